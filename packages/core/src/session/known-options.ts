import { VarveError } from '../errors.ts';

/** Names of all options, as an object so that the compiler misses none. */
export type OptionNames<Options> = Readonly<Record<keyof Options, true>>;

/**
 * Refuses options that do not exist: in plain JavaScript, or from a file, a misspelt one would be ignored.
 *
 * @param what  Whose options they are, as the error begins its sentence: `The host`.
 * @throws VARVE_OPTION_INVALID  naming the option that it resembles most.
 */
export function checkOptionNames<Options extends object>(
  options: Options,
  { what, names }: { readonly what: string; readonly names: OptionNames<Options> },
): void {
  const known = Object.keys(names);
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(names, name));
  if (unknown === undefined) return;
  const nearest = nearestOf(unknown, known);
  throw new VarveError('VARVE_OPTION_INVALID', `${what} has no option "${unknown}".`, {
    fix: nearest === null ? `Use some of: ${known.join(', ')}.` : `Did you mean "${nearest}"?`,
    details: { path: unknown, nearest, known },
  });
}

/** The name that a misspelt one stands for, as far as it can be told: at most a third of its letters differ. */
function nearestOf(unknown: string, known: readonly string[]): string | null {
  const found = known
    .map((name) => ({ name, distance: distanceOf(unknown.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)[0];
  return found !== undefined && found.distance <= Math.max(1, unknown.length / 3) ? found.name : null;
}

/** Letters to add, take away or change to make one word of the other. */
function distanceOf(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [rowIndex, letter] of [...from].entries()) {
    const next = [rowIndex + 1];
    for (const [index, other] of [...to].entries()) {
      const change = (row[index] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(change, (row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
