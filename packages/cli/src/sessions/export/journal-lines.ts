import type { Session, SessionRecord } from '@varve/core';

/** What the first line of an exported journal calls itself. */
export const journalFormat = 'varve-journal';

/** First line of an exported journal: what is known of its session. */
interface JournalTitle {
  readonly format: typeof journalFormat;
  readonly v: 1;
  readonly record: Omit<SessionRecord, 'rev' | 'counters' | 'lease' | 'state' | 'currentSince'>;
}

/** A whole journal as it is, with what was rewound: a title, then one entry a line. `varve sessions import` reads it. */
export async function* journalLines(session: Session): AsyncGenerator<object, void, undefined> {
  const {
    rev: _rev,
    counters: _counters,
    lease: _lease,
    state: _state,
    currentSince: _since,
    ...record
  } = session.info();
  const title: JournalTitle = { format: journalFormat, v: 1, record };
  yield title;
  yield* session.read();
}
