import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchCheck } from '../bench-result.ts';
import { type RatioFigure, regressionsOf } from '../regression.ts';

/**
 * Ratios that a set was committed with, by `pnpm bench SET --json bench/results/SET.json` on a machine that does nothing
 * else.
 *
 * @param folder  With the results of all sets. @default bench/results
 * @returns `null` when the set has no file.
 */
export function committedFigures(
  set: string,
  folder = join(import.meta.dirname, '../results'),
): readonly RatioFigure[] | null {
  const file = join(folder, `${set}.json`);
  if (!existsSync(file)) return null;
  const result = JSON.parse(readFileSync(file, 'utf8')) as {
    readonly data: { readonly figures: readonly RatioFigure[] };
  };
  return result.data.figures;
}

/** Whether ratios have become worse than the committed ones: missed when there is nothing to compare them with. */
export function regressionCheck(
  now: readonly RatioFigure[],
  { set, committed }: { readonly set: string; readonly committed: readonly RatioFigure[] | null },
): BenchCheck {
  const what = `ratios against those in bench/results/${set}.json`;
  const must = 'at least half as good, and their must';
  if (committed === null) return { what, figure: 'there is no such file', must, isMet: false };
  const known = new Set(committed.map(({ id }) => id));
  const compared = now.filter(({ id }) => known.has(id)).length;
  if (compared === 0 && now.length > 0) return { what, figure: 'none of them is in it', must, isMet: false };
  const worse = regressionsOf(now, committed);
  const figure = worse.length === 0 ? `none of ${compared} is worse` : worse.join('\n');
  return { what, figure, must, isMet: worse.length === 0 };
}
