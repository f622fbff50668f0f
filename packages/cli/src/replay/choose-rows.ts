import type { RequestRow } from './request-row.ts';

/** How many rows are shown when there are more, how many of the first, and how many where something was done. */
const fewRows = 24;
const firstRows = 4;
const mostEventful = 40;

/**
 * Indexes of the requests that a table of a long replay shows, in order: some of the first, those at which something
 * was done (evenly chosen, if there are very many), evenly spaced ones between, and the last.
 */
export function chooseRows(rows: readonly RequestRow[]): readonly number[] {
  if (rows.length <= fewRows) return rows.map((_, index) => index);
  const eventful = rows.flatMap((row, index) => (isEventful(row) ? [index] : []));
  const chosen = new Set([...spread(eventful, mostEventful), rows.length - 1]);
  for (let index = 0; index < firstRows; index += 1) chosen.add(index);
  const others = rows.map((_, index) => index).filter((index) => !chosen.has(index));
  for (const index of spread(others, fewRows - chosen.size)) chosen.add(index);
  return [...chosen].sort((a, b) => a - b);
}

/** At most so many of the values, at even distances. */
function spread(values: readonly number[], most: number): readonly number[] {
  if (values.length <= most) return values;
  return Array.from({ length: Math.max(0, most) }, (_, step) => {
    return values[Math.floor(((step + 0.5) * values.length) / most)] as number;
  });
}

/** True where something happened that a reader looks for. */
function isEventful({ actions, dropped, error, invalid }: RequestRow): boolean {
  return actions.length > 0 || dropped > 0 || error !== undefined || invalid !== undefined;
}
