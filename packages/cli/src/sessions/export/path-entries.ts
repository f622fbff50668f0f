import type { Entry, Seq, Session } from '@varve/core';
import type { LossTally } from './loss-tally.ts';

/** Entries of consecutive seqs, both ends included. */
interface Stretch {
  readonly fromSeq: Seq;
  readonly toSeq: Seq;
}

/** The way to the head, and how many entries there are in all. */
interface Path {
  readonly stretches: readonly Stretch[];
  readonly entries: number;
}

/** The entries that lead to the head of a session, in order: what was rewound is noted. Reads the journal twice. */
export async function* pathEntries(session: Session, tally: LossTally): AsyncGenerator<Entry, void, undefined> {
  const { stretches, entries } = await pathOf(session);
  let left = entries;
  for (const { fromSeq, toSeq } of stretches) {
    if (toSeq < fromSeq) continue;
    for await (const entry of session.read(toSeq === Infinity ? { fromSeq } : { fromSeq, toSeq })) {
      left -= 1;
      yield entry;
    }
  }
  tally.note('rewound entry', left);
}

/** Seqs grow along every path, so one walk back over the moves of the head finds it. */
async function pathOf(session: Session): Promise<Path> {
  const moves: { readonly fromSeq: Seq; readonly parentSeq: Seq }[] = [];
  let entries = 0;
  for await (const entry of session.read()) {
    entries += 1;
    if (entry.type === 'head') moves.push({ fromSeq: entry.seq + 1, parentSeq: entry.targetSeq });
  }
  const stretches: Stretch[] = [];
  let toSeq: Seq = Infinity;
  for (const { fromSeq, parentSeq } of moves.reverse()) {
    if (toSeq < fromSeq) continue;
    stretches.push({ fromSeq, toSeq });
    toSeq = parentSeq;
  }
  return { stretches: [...stretches, { fromSeq: 1, toSeq }].reverse(), entries };
}
