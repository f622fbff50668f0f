import type { ListUnit, Said } from './list-unit.ts';
import type { PathUnit } from './session-path.ts';

/** How a list stands to a journal. */
export interface Alignment {
  /** Number of units of the path that stay; the head is moved when that is not all. */
  readonly cut: number;
  /** First unit of the list that is new behind them. */
  readonly next: number;
  /** For units of the path, by index, those of the list that say the same. */
  readonly pairs: ReadonlyMap<number, number>;
  /** True when the list lacks something before what both have, and that was kept. */
  readonly isShorter: boolean;
}

/** A list, and whether what it lacks before its end is kept. */
interface AlignOptions {
  readonly list: readonly ListUnit[];
  readonly keeps: boolean;
}

/** Finds what a list and a journal have in common, and where they part. An empty list is passed over. */
export function alignList(path: readonly PathUnit[], { list, keeps }: AlignOptions): Alignment {
  const same = sameIn(path, list, keeps);
  const pairs = new Map<number, number>();
  let [at, next] = [0, 0];
  for (; at < path.length; at += 1) {
    if (same(at, next)) {
      pairs.set(at, next);
      next += 1;
    } else if (path[at]?.isBeside !== true) break;
  }
  const isKnown = at === path.length || list.length === 0;
  if (isKnown) return { cut: path.length, next, pairs, isShorter: false };
  const run = keeps && next < list.length ? longestRun(path, { list, at, next, same }) : null;
  if (run === null) return wholeGroups(path, { cut: at, next, pairs, isShorter: false });
  for (const [step, index] of run.path.entries()) pairs.set(index, run.next + step);
  return wholeGroups(path, { cut: run.cut, next: run.next + run.path.length, pairs, isShorter: true });
}

/**
 * Moves a cut back to where no call is parted from its results, nor a result from the entry that it shares with others:
 * what then lies behind the cut comes again out of the list. Where the list does not have it, the cut stays.
 */
export function wholeGroups(path: readonly PathUnit[], alignment: Alignment): Alignment {
  const { pairs } = alignment;
  let { cut, next } = alignment;
  for (let begin = beginOfGroup(path, cut); begin < cut; begin = beginOfGroup(path, cut)) {
    const listed = pairs.get(begin);
    if (listed === undefined) break;
    [cut, next] = [begin, listed];
  }
  return { ...alignment, cut, next };
}

function beginOfGroup(path: readonly PathUnit[], cut: number): number {
  const { ref } = path[cut] ?? {};
  if (cut > 0 && ref !== undefined && path[cut - 1]?.ref.id === ref.id) return cut - 1;
  let begin = cut;
  for (let index = cut; index < path.length; index += 1) {
    const { resultOf } = path[index] as PathUnit;
    if (resultOf === null) continue;
    const call = path.findLastIndex((unit, before) => before < index && unit.callIds.includes(resultOf));
    if (call !== -1 && call < begin) begin = call;
  }
  return begin;
}

/** Whether a unit of the path and one of the list, by their indexes, are the same message. */
type Same = (index: number, next: number) => boolean;

/**
 * Tells the same messages. Where a host's cuts are not followed, a result that both have answered stands for its full
 * self when the host has cleared or shortened it.
 */
function sameIn(path: readonly PathUnit[], list: readonly ListUnit[], keeps: boolean): Same {
  const isAnswer = ({ role }: Said): boolean => role === 'assistant';
  const [answered, answeredInList] = [path.findLastIndex(isAnswer), list.findLastIndex(isAnswer)];
  return (index, next) => {
    const [unit, listed] = [path[index], list[next]];
    if (unit === undefined || listed === undefined) return false;
    const { fingerprint, role, resultOf, resultChars } = unit;
    if (fingerprint === listed.fingerprint) return true;
    if (role !== listed.role || resultOf !== listed.resultOf) return false;
    if (fingerprint === null) return true;
    const areAnswered = index < answered && next < answeredInList;
    return keeps && resultOf !== null && areAnswered && listed.resultChars < resultChars;
  };
}

interface Parted {
  readonly list: readonly ListUnit[];
  /** Where the path and the list part. */
  readonly at: number;
  readonly next: number;
  readonly same: Same;
}

/** A stretch that the path and the list have in common behind where they part. */
interface Run {
  /** Its units, as indexes of the path. */
  readonly path: readonly number[];
  /** Where it begins in the list. */
  readonly next: number;
  /** Where the path and the list part again; the end of the path, if they do not. */
  readonly cut: number;
}

/**
 * The stretch that shows that a list is the same conversation with less of its front: the longest one that ends as the
 * path does, else the longest of at least two messages. A list that has as many messages in the place of those it lacks
 * is no shorter: somebody has edited it.
 */
function longestRun(path: readonly PathUnit[], parted: Parted): Run | null {
  const { list, at, next, same } = parted;
  const spoken = path.flatMap(({ isBeside }, index) => (index < at || isBeside ? [] : [index]));
  const places = placesOf(path, spoken);
  let best: Run | null = null;
  for (let listed = next; listed < list.length; listed += 1) {
    for (const place of places(list[listed] as ListUnit)) {
      const before = spoken[place - 1];
      // What begins one message earlier ends as this does, and is longer.
      const isWithin = listed > next && before !== undefined && same(before, listed - 1);
      if (isWithin || listed - next >= place) continue;
      const run = runFrom(place, { ...parted, next: listed, spoken, pathEnd: path.length });
      if (run !== null && isBetter(run, best, path.length)) best = run;
    }
  }
  return best;
}

/** Where in the path a unit of a list may stand: by what it says, or by the call that it answers. */
function placesOf(path: readonly PathUnit[], spoken: readonly number[]): (listed: ListUnit) => Iterable<number> {
  const places = new Map<string, number[]>();
  const put = (name: string, place: number): void => {
    const known = places.get(name);
    if (known === undefined) places.set(name, [place]);
    else known.push(place);
  };
  spoken.forEach((index, place) => {
    const { fingerprint, resultOf } = path[index] as PathUnit;
    if (fingerprint !== null) put(`says ${fingerprint}`, place);
    if (resultOf !== null) put(`answers ${resultOf}`, place);
  });
  return ({ fingerprint, resultOf }) =>
    new Set([...(places.get(`says ${fingerprint}`) ?? []), ...(places.get(`answers ${resultOf ?? ''}`) ?? [])]);
}

interface RunStart extends Parted {
  readonly spoken: readonly number[];
  readonly pathEnd: number;
}

function runFrom(place: number, { next, same, spoken, pathEnd }: RunStart): Run | null {
  const indexes: number[] = [];
  for (let index = spoken[place]; index !== undefined && same(index, next + indexes.length); ) {
    indexes.push(index);
    index = spoken[place + indexes.length];
  }
  const cut = spoken[place + indexes.length] ?? pathEnd;
  const isEnough = indexes.length > 1 || (indexes.length === 1 && cut === pathEnd);
  return isEnough ? { path: indexes, next, cut } : null;
}

function isBetter(run: Run, best: Run | null, pathEnd: number): boolean {
  if (best === null) return true;
  const [isWhole, wasWhole] = [run.cut === pathEnd, best.cut === pathEnd];
  if (isWhole !== wasWhole) return isWhole;
  if (run.path.length !== best.path.length) return run.path.length > best.path.length;
  // Of equal messages in the list, the first ones are those that are known: what comes behind them was said again.
  return run.cut > best.cut;
}
