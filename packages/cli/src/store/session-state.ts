import type { CompactionEntry, JsonValue, Milliseconds, Seq, Session, Tokens } from '@varve/core';

/** What a journal says of its session, beside the messages. */
export interface SessionState {
  /** Entries of all types: the number of the last one. */
  readonly entries: number;
  /** Settings in force, by name. */
  readonly settings: Readonly<Record<string, JsonValue>>;
  /** The compaction whose summary is shown; `null` for none, or when it was taken back or rewound. */
  readonly lastCompaction: LastCompaction | null;
}

/** A compaction in figures. */
export interface LastCompaction {
  readonly seq: Seq;
  readonly at: Milliseconds;
  readonly trigger: string;
  readonly by: string;
  /** The entries that its summary stands for. */
  readonly fromSeq: Seq;
  readonly toSeq: Seq;
  readonly tokensBefore: Tokens;
  readonly tokensAfter: Tokens;
}

/** What a session that is open says of itself: what lies before its tail is not read. */
export function sessionState({ view, info }: Session): SessionState {
  const compaction = view.compaction();
  return {
    entries: info().counters.countedSeq,
    settings: view.settings,
    lastCompaction: compaction === null ? null : figuresOfCompaction(compaction),
  };
}

/** A compaction in figures, out of its entry. */
export function figuresOfCompaction(entry: CompactionEntry): LastCompaction {
  const { seq, at, trigger, by, range, tokensBefore, tokensAfter } = entry;
  const { from, to } = range;
  return { seq, at, trigger, by: by.plugin, fromSeq: from.seq, toSeq: to.seq, tokensBefore, tokensAfter };
}
