import { editDistance } from './edit-distance.ts';

/** False for what is no name of a time zone anywhere: offsets, which know no daylight saving time, and dates with a zone. */
export function looksLikeTimeZone(name: string): boolean {
  return /^[a-z][\w+/-]*$/i.test(name);
}

/** True for the name of a time zone that this machine knows, such as `Asia/Shanghai`. */
export function isTimeZone(name: string): boolean {
  if (!looksLikeTimeZone(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Says that there is no such zone, and which ones may have been meant. */
export function unknownZoneText(name: string): string {
  const near = nearZones(name);
  const hint =
    near.length > 0
      ? `Did you mean ${near.map((zone) => `"${zone}"`).join(' or ')}?`
      : 'Name a place, as in "Asia/Shanghai" or "Europe/London", or "UTC".';
  return `There is no time zone "${name.slice(0, 64)}". ${hint}`;
}

/** At most three names of zones whose last part is nearly the same. */
function nearZones(name: string): readonly string[] {
  const wanted = name.slice(0, 64).trim().replaceAll(' ', '_').toLowerCase();
  const place = placeOf(wanted);
  const most = Math.floor(place.length / 3);
  return Intl.supportedValuesOf('timeZone')
    .map((zone) => ({ zone, distance: editDistance(place, placeOf(zone.toLowerCase())) }))
    .filter(({ distance }) => distance <= most)
    .map((one) => ({ ...one, whole: editDistance(wanted, one.zone.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance || a.whole - b.whole || (a.zone < b.zone ? -1 : 1))
    .slice(0, 3)
    .map(({ zone }) => zone);
}

function placeOf(zone: string): string {
  return zone.split('/').at(-1) ?? zone;
}
