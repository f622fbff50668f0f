/** A date as far as a text names it. */
export interface AskedDate {
  readonly year: number | null;
  /** 1 to 12. */
  readonly month: number | null;
  readonly day: number | null;
}

/** Names of months without accents, in English, German, French and Spanish, by their number. */
const months: ReadonlyMap<string, number> = new Map(
  (
    'january=1 february=2 march=3 april=4 may=5 june=6 july=7 august=8 september=9 october=10 november=11 december=12 ' +
    'jan=1 feb=2 mar=3 apr=4 jun=6 jul=7 aug=8 sep=9 sept=9 oct=10 nov=11 dec=12 ' +
    'januar=1 februar=2 marz=3 mai=5 juni=6 juli=7 oktober=10 dezember=12 ' +
    'janvier=1 fevrier=2 mars=3 avril=4 juin=6 juillet=7 aout=8 septembre=9 octobre=10 novembre=11 decembre=12 ' +
    'enero=1 febrero=2 marzo=3 abril=4 mayo=5 junio=6 julio=7 agosto=8 septiembre=9 octubre=10 noviembre=11 diciembre=12'
  )
    .split(' ')
    .map((line) => line.split('='))
    .map(([name = '', month]) => [name, Number(month)] as const),
);

const isoDate = /\b(\d{4})-(\d{1,2})(?:-(\d{1,2}))?\b/g;
const dayAndMonth =
  /\b(\d{1,2})(?:st|nd|rd|th|er|\.)?\s+(?:of\s+|de\s+)?(\p{L}{3,12})\b\.?(?:,?\s+(?:de\s+)?(\d{4})\b)?/gu;
const monthAndDay = /\b(\p{L}{3,12})\.?\s+(\d{1,2})(?:st|nd|rd|th)?\b(?!:)(?:,?\s+(\d{4})\b)?/gu;
const monthAlone = /\b(\p{L}{3,12})\b(?:,?\s+(?:of\s+|de\s+)?(\d{4})\b)?/gu;
const eastAsian = /(?:(\d{4})\s*[年년]\s*)?(\d{1,2})\s*[月월](?:\s*(\d{1,2})\s*[日号일])?/g;

/** Longest text that is looked through, from its beginning: a question is no longer. */
const mostCharacters = 4_000;

/** The dates that a text names, whole or in part: `8 May 2023`, `in March`, `2026-03-02`, `5月8日`. Relative ones are not. */
export function askedDates(text: string): readonly AskedDate[] {
  const plain = text
    .slice(0, mostCharacters)
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC');
  const lower = plain.toLowerCase();
  const found: AskedDate[] = [];
  const add = (year: string | undefined, month: number | undefined, day: string | undefined): void => {
    const date = { year: numberOf(year), month: month ?? null, day: numberOf(day) };
    if (date.month === null || (date.month >= 1 && date.month <= 12 && (date.day ?? 1) <= 31)) found.push(date);
  };
  for (const [, year, month, day] of lower.matchAll(isoDate)) add(year, Number(month), day);
  for (const [, day, name = '', year] of lower.matchAll(dayAndMonth))
    if (months.has(name)) add(year, months.get(name), day);
  for (const [, name = '', day, year] of lower.matchAll(monthAndDay))
    if (months.has(name)) add(year, months.get(name), day);
  for (const [, year, month, day] of lower.matchAll(eastAsian)) add(year, Number(month), day);
  if (found.length > 0) return found;
  for (const [whole, name = '', year] of lower.matchAll(monthAlone)) {
    // "may" and "march" are months where they are written as names, or stand before a year.
    const isName = !ambiguous.has(name) || year !== undefined || plain.includes(capitalized(whole));
    if (months.has(name) && name.length > 3 && isName) add(year, months.get(name), undefined);
    else if (name === 'may' && isName) add(year, 5, undefined);
  }
  if (found.length > 0) return found;
  for (const [year] of lower.matchAll(/\b(?:19|20)\d\d\b/g)) add(year, undefined, undefined);
  return found;
}

const ambiguous: ReadonlySet<string> = new Set(['may', 'march', 'mars']);

function capitalized(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}

function numberOf(digits: string | undefined): number | null {
  return digits === undefined ? null : Number(digits);
}

/** How well a day, as `2026-03-02`, fits the dates that are asked for: 1 for the day, less for its month or year. */
export function dateFit(day: string, asked: readonly AskedDate[]): number {
  const [year, month, dayOfMonth] = day.split('-').map(Number);
  return asked.reduce((best, date) => {
    if (date.year !== null && date.year !== year) return best;
    if (date.month === null) return Math.max(best, yearFit);
    if (date.month !== month) return best;
    if (date.day === null) return Math.max(best, monthFit);
    return date.day === dayOfMonth ? 1 : Math.max(best, monthFit / 2);
  }, 0);
}

const yearFit = 0.1;
const monthFit = 0.4;
