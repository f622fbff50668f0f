/** A ratio that is compared from run to run. */
export interface RatioFigure {
  /** The same in every run: `B7 pi`. */
  readonly id: string;
  /** The median of the ratios of all rounds. */
  readonly ratio: number;
  /** `more`: a peer takes so many times our time. `less`: we take so many times the time of a limit. */
  readonly better: 'more' | 'less';
  /** What the ratio must reach. */
  readonly must?: number | undefined;
}

/**
 * What has become worse: a ratio that is not half as good as the committed one, or that misses its must and did not then.
 * One that was not measured this time is not compared.
 *
 * @returns a sentence for each.
 */
export function regressionsOf(now: readonly RatioFigure[], committed: readonly RatioFigure[]): readonly string[] {
  const before = new Map(committed.map((figure) => [figure.id, figure]));
  return now.flatMap((figure) => {
    const { id, ratio, must } = figure;
    const then = before.get(id)?.ratio;
    const said = `${id}: ${ratio.toPrecision(3)} ×`;
    const missedThen = must !== undefined && then !== undefined && !isAsGood({ ...figure, ratio: then }, must);
    if (must !== undefined && !missedThen && !isAsGood(figure, must)) return [`${said}, and it must be ${must} ×`];
    if (then === undefined || isAsGood(figure, figure.better === 'more' ? then / 2 : then * 2)) return [];
    return [`${said}, and it was ${then.toPrecision(3)} ×: not half as good`];
  });
}

/** Whether a ratio reaches a limit. */
export function isAsGood({ ratio, better }: Pick<RatioFigure, 'ratio' | 'better'>, limit: number): boolean {
  return better === 'more' ? ratio >= limit : ratio <= limit;
}
