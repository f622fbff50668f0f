import type { Journal, SessionRecord } from '@varve/core';
import type { LossTally } from './loss-tally.ts';

/** What the first line of an exported journal calls itself. */
export const journalFormat = 'varve-journal';

/** First line of an exported journal: what is known of its session. */
interface JournalTitle {
  readonly format: typeof journalFormat;
  readonly v: 1;
  readonly record: Omit<SessionRecord, 'rev' | 'counters' | 'lease' | 'state' | 'currentSince'>;
}

/**
 * A whole journal as it is, with what was rewound and what this version does not know: a title, then one entry a line.
 * `varve sessions import` reads it. Seqs that a damaged journal lacks are noted.
 */
export async function* journalLines(
  journal: Journal,
  { record, tally }: { readonly record: SessionRecord; readonly tally: LossTally },
): AsyncGenerator<object, void, undefined> {
  yield { format: journalFormat, v: 1, record: titleOf(record) } satisfies JournalTitle;
  let seq = 0;
  for await (const entry of journal.read()) {
    tally.note('missing entry', entry.seq - seq - 1);
    seq = entry.seq;
    yield entry;
  }
}

/** Field by field: stores keep them in different orders, and what is exported twice is the same text. */
function titleOf(record: SessionRecord): JournalTitle['record'] {
  const { sessionId, agentId, key, channel, chatType, identity, parentSessionKey, label, displayName } = record;
  const { previousSessionId, forkedFrom, createdAt, updatedAt } = record;
  return {
    ...{ sessionId, agentId, key, channel, chatType, identity, parentSessionKey, label, displayName },
    ...{ previousSessionId, forkedFrom, createdAt, updatedAt },
  };
}
