import { nearNames } from './near-names.ts';

/** True for the name of a time zone that this machine knows; false for offsets, which know no daylight saving time. */
export function isTimeZone(name: string): boolean {
  if (!/^[a-z][\w+/-]*$/i.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** What to write instead of a zone that there is none of: those whose place is called nearly so, or examples. */
export function zoneFix(name: string): string {
  const zones = Intl.supportedValuesOf('timeZone');
  const byPlace = new Map(zones.map((zone) => [placeOf(zone), zone]));
  const near = nearNames(placeOf(name), [...byPlace.keys()]).map((place) => `"${byPlace.get(place)}"`);
  if (near.length > 0) return `Did you mean ${near.join(' or ')}?`;
  return 'Name a place, as in "Asia/Shanghai" or "Europe/London", or "UTC".';
}

function placeOf(zone: string): string {
  return zone.split('/').at(-1) ?? zone;
}
