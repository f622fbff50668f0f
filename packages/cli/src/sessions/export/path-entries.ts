import type { Entry, Seq, Session } from '@varve/core';

/** Entries of consecutive seqs, both ends included. */
interface Stretch {
  readonly fromSeq: Seq;
  readonly toSeq: Seq;
}

/** The entries that lead to the head of a session, in order: what was rewound is not among them. Reads the journal twice. */
export async function* pathEntries(session: Session): AsyncGenerator<Entry, void, undefined> {
  for (const { fromSeq, toSeq } of await stretchesOf(session)) {
    if (toSeq >= fromSeq) yield* session.read(toSeq === Infinity ? { fromSeq } : { fromSeq, toSeq });
  }
}

/** Seqs grow along every path, so one walk back over the moves of the head finds it. */
async function stretchesOf(session: Session): Promise<readonly Stretch[]> {
  const moves: { readonly fromSeq: Seq; readonly parentSeq: Seq }[] = [];
  for await (const entry of session.read()) {
    if (entry.type === 'head') moves.push({ fromSeq: entry.seq + 1, parentSeq: entry.targetSeq });
  }
  const stretches: Stretch[] = [];
  let toSeq: Seq = Infinity;
  for (const { fromSeq, parentSeq } of moves.reverse()) {
    if (toSeq < fromSeq) continue;
    stretches.push({ fromSeq, toSeq });
    toSeq = parentSeq;
  }
  return [...stretches, { fromSeq: 1, toSeq }].reverse();
}
