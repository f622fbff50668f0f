import type { Budget, PressureLevel } from '../budget.ts';
import type { CompactionEntry, Entry, MessageEntry, TurnKind } from '../journal/entry.ts';
import type { JsonValue } from '../json-value.ts';
import type { ModelRef } from '../model-ref.ts';
import type { ToolDefinition } from '../tool.ts';
import type { Milliseconds, Seq, Tokens } from '../units.ts';

/** What a plugin may see of the session that it runs for. Read-only. */
export interface SessionView {
  readonly sessionId: string;
  /** The host's own name for the conversation. */
  readonly key: string | null;
  readonly agentId: string;
  /** Where the conversation takes place; `null` when nobody said. */
  readonly channel: string | null;
  readonly chatType: 'direct' | 'group' | 'channel' | null;
  /** One name for the person behind the conversation, the same in every channel; `null` when nobody said. */
  readonly identity: string | null;
  /** Key of the session that began this one: a sub-agent's parent; `null` for none. */
  readonly parentSessionKey: string | null;
  /** The model of the last request; `null` before the first. */
  readonly model: string | null;
  /** When the last request was made; `null` before the first. */
  readonly lastRequestAt: Milliseconds | null;
  readonly settings: Readonly<Record<string, JsonValue>>;
  /** Messages on the path that no compaction covers, oldest first. */
  messages(): readonly MessageEntry[];
  /** The compaction whose summary is shown; `null` for none. */
  compaction(): CompactionEntry | null;
  /** The plugin's own last record of a kind; `undefined` for none. */
  lastRecord(kind: string): JsonValue | undefined;
}

/**
 * What plugins may read of the session's journal: entries that lead to its head, also those that a compaction covers.
 * What was rewound is not among them.
 */
export interface JournalReader {
  /** Streams the entries of a range, both ends included, in order. @default fromSeq 1, toSeq the last */
  readEntries(range?: { readonly fromSeq?: Seq; readonly toSeq?: Seq }): AsyncIterable<Entry>;
  /**
   * Single entries by seq or id, in the order asked for; unknown ones are left out.
   *
   * @throws VARVE_PLUGIN_READ  for more than 1 000 at once.
   */
  getEntries(seqsOrIds: readonly (Seq | string)[]): Promise<readonly Entry[]>;
}

/**
 * What a tap is handed beside the value. After its deadline the context is revoked: `signal` is aborted, and every
 * access, also of a method that was taken from it or from its session before, throws `VARVE_TAP_EXPIRED`; a reading that
 * has begun ends with that error.
 */
export interface HookContext extends JournalReader {
  readonly session: SessionView;
  readonly model: ModelRef | null;
  readonly budget: Budget | null;
  readonly turn: { readonly id: string; readonly kind: TurnKind };
  /** How full the prompt was when the run began. */
  readonly pressure: PressureLevel;
  /** What the caller asked about, if it said; else nothing. */
  readonly query: string | null;
  /** The tools that the host's plugins offer; what the host adds itself is not among them. */
  readonly tools: readonly ToolDefinition[];
  /** Aborted by the caller, or when the deadline has passed. */
  readonly signal: AbortSignal;
  /** Until when the tap must be done. */
  readonly deadline: Milliseconds;
  /** The host's time. */
  now(): Milliseconds;
  /** Tokens of a text by the session's counter. */
  countTokens(text: string): Tokens;
  /**
   * Stores data under `plugin:kind`, with the run's next append. The only way a plugin stores anything.
   *
   * @throws VARVE_PLUGIN_RECORD  when the data is not JSON or the kind is not a plain word.
   */
  record(kind: string, data: JsonValue): void;
  /** Tells the host's listeners of something that is not as it should be: the event `warning`, under the plugin's name. */
  warn(text: string): void;
}
