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

/** The stretches that do not lead to the head, oldest first. Of several moves that left an entry, the last one counts. */
export function offPathStretches(branches: readonly Branch[]): readonly OffPathStretch[] {
  const known = offPath.get(branches);
  if (known !== undefined) return known;
  let left: OffPathStretch[] = [];
  let path: readonly Stretch[] = [{ fromSeq: 1, toSeq: Infinity }];
  branches.forEach(({ fromSeq, parentSeq, reason }, index) => {
    const before = upTo(path, fromSeq - 2);
    const isAhead = before.some((stretch) => stretch.fromSeq <= parentSeq && parentSeq <= stretch.toSeq);
    const now = isAhead ? upTo(before, parentSeq) : stretchesTo(branches.slice(0, index), parentSeq);
    if (!isAhead) left = without(left, now);
    for (const stretch of without(before, now)) left.push({ ...stretch, reason, movedBySeq: fromSeq - 1 });
    path = [...now, { fromSeq, toSeq: Infinity }];
  });
  left.sort((a, b) => a.fromSeq - b.fromSeq);
  offPath.set(branches, left);
  return left;
}

/** The answers for the moves of each journal: every prompt asks. */
const offPath = new WeakMap<readonly Branch[], readonly OffPathStretch[]>();

function upTo(stretches: readonly Stretch[], seq: Seq): readonly Stretch[] {
  return stretches.flatMap(({ fromSeq, toSeq }) => (fromSeq > seq ? [] : [{ fromSeq, toSeq: Math.min(toSeq, seq) }]));
}

/** What is left of stretches, in their order, without the entries of others. */
function without<Kind extends Stretch>(stretches: readonly Kind[], away: readonly Stretch[]): Kind[] {
  return away.reduce<Kind[]>(
    (rest, { fromSeq, toSeq }) =>
      rest.flatMap((one) =>
        [
          { ...one, toSeq: Math.min(one.toSeq, fromSeq - 1) },
          { ...one, fromSeq: Math.max(one.fromSeq, toSeq + 1) },
        ].filter((piece) => piece.fromSeq <= piece.toSeq),
      ),
    [...stretches],
  );
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
