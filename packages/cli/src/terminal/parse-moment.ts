import type { Milliseconds } from '@varve/core';
import { usage } from './parse-options.ts';

const units: Readonly<Record<string, Milliseconds>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};

/** Reads how long ago something is: `30d`, `12h`, `90m`, `2w`, `0`. */
function parseAge(text: string): Milliseconds {
  const age = ageIn(text);
  if (age !== null) return age;
  throw usage(`"${text}" is no span of time.`, 'Give a number with its unit, such as 30d, 12h or 90m.');
}

/** Reads an age, or `none` for no limit. @throws VARVE_USAGE */
export function parseAgeOrNone(text: string): Milliseconds | false {
  return text.trim().toLowerCase() === 'none' ? false : parseAge(text);
}

/** Reads a moment: a day, a day with a time, or an age before now. Days and times are in UTC. @throws VARVE_USAGE */
export function parseMoment(text: string): Milliseconds {
  const age = ageIn(text);
  if (age !== null) return Date.now() - age;
  const isMoment = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?Z?)?$/.test(text.trim());
  const iso = text.trim().replace(' ', 'T');
  const moment = isMoment ? Date.parse(iso.includes('T') && !iso.endsWith('Z') ? `${iso}Z` : iso) : Number.NaN;
  if (Number.isFinite(moment)) return moment;
  throw usage(`"${text}" is no moment.`, 'Give a day such as 2026-05-01, 2026-05-01T08:30, or an age such as 7d.');
}

/** Reads a whole number from 0, or `none` for no limit. @throws VARVE_USAGE */
export function parseCountOrNone(text: string): number | false {
  if (text.trim().toLowerCase() === 'none') return false;
  const value = /^\d+$/.test(text.trim().replaceAll('_', '')) ? Number(text.trim().replaceAll('_', '')) : Number.NaN;
  if (Number.isSafeInteger(value)) return value;
  throw usage(`"${text}" is no whole number.`, 'Give a number such as 500, or none.');
}

/** Reads `500kB`, `10MB`, `2GB`, or `none` for no limit. @throws VARVE_USAGE */
export function parseBytesOrNone(text: string): number | false {
  if (text.trim().toLowerCase() === 'none') return false;
  const match = /^(\d+(?:\.\d+)?)\s*(|b|kb|mb|gb|tb)$/i.exec(text.trim());
  const powers: readonly string[] = ['b', 'kb', 'mb', 'gb', 'tb'];
  const power = powers.indexOf((match?.[2] || 'b').toLowerCase());
  const bytes = match === null ? Number.NaN : Math.round(Number(match[1]) * 1024 ** power);
  if (Number.isSafeInteger(bytes)) return bytes;
  throw usage(`"${text}" is no number of bytes.`, 'Give a number with its unit, such as 500MB or 2GB, or none.');
}

function ageIn(text: string): Milliseconds | null {
  const match = /^(\d+(?:\.\d+)?)([smhdw])?$/i.exec(text.trim());
  if (match === null || (match[2] === undefined && Number(match[1]) !== 0)) return null;
  const age = Math.round(Number(match[1]) * (units[(match[2] ?? 's').toLowerCase()] ?? 0));
  return Number.isSafeInteger(age) ? age : null;
}
