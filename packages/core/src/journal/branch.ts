import type { Seq } from '../units.ts';
import type { HeadEntry } from './entry.ts';

/** A move of the head: entries from `fromSeq` on, up to the next branch, follow the entry `parentSeq`. */
export interface Branch {
  readonly fromSeq: Seq;
  readonly parentSeq: Seq;
  readonly reason: HeadEntry['reason'];
}

/** Entries of consecutive seqs, both ends included. */
interface Stretch {
  readonly fromSeq: Seq;
  readonly toSeq: Seq;
}

/** A stretch that does not lead to the head, with the move that left it. */
export interface OffPathStretch extends Stretch {
  readonly reason: HeadEntry['reason'];
  /** Seq of the `head` entry. */
  readonly movedBySeq: Seq;
}

/**
 * Tells which entries lead to the entry `seq`, that one included, whether or not it exists yet.
 *
 * @param branches  In the order in which they were made.
 */
export function pathTo(branches: readonly Branch[], seq: Seq): (seq: Seq) => boolean {
  const stretches = stretchesTo(branches, seq);
  return (other) => stretches.some(({ fromSeq, toSeq }) => fromSeq <= other && other <= toSeq);
}

/** The branch that entry `seq` stands on, from its first entry to its last; `Infinity` for the one that grows. */
export function stretchAt(branches: readonly Branch[], seq: Seq): Stretch {
  const next = branches.findIndex((branch) => branch.fromSeq > seq);
  const own = next === -1 ? branches.at(-1) : branches[next - 1];
  return { fromSeq: own?.fromSeq ?? 1, toSeq: next === -1 ? Infinity : (branches[next]?.fromSeq ?? 0) - 1 };
}

/** The stretches that do not lead to the head, oldest first. */
export function offPathStretches(branches: readonly Branch[]): readonly OffPathStretch[] {
  const shown = new Map(stretchesTo(branches, Infinity).map(({ fromSeq, toSeq }) => [fromSeq, toSeq]));
  return branches.flatMap(({ fromSeq: nextFrom, reason }, index) => {
    const begin = branches[index - 1]?.fromSeq ?? 1;
    const fromSeq = (shown.get(begin) ?? begin - 1) + 1;
    const toSeq = nextFrom - 2;
    return fromSeq > toSeq ? [] : [{ fromSeq, toSeq, reason, movedBySeq: nextFrom - 1 }];
  });
}

/** Seqs grow along every path, so one walk back over the branches finds it. */
function stretchesTo(branches: readonly Branch[], seq: Seq): readonly Stretch[] {
  const stretches: Stretch[] = [];
  let toSeq = seq;
  for (const { fromSeq, parentSeq } of branches.toReversed()) {
    if (toSeq < fromSeq) continue;
    stretches.push({ fromSeq, toSeq });
    toSeq = parentSeq;
  }
  return [...stretches, { fromSeq: 1, toSeq }].reverse();
}
