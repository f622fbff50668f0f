import { addUsage } from '../../add-usage.ts';
import type { CompactOutcome } from '../../compaction/compaction.ts';
import type { EntryRef } from '../../journal/entry.ts';
import type { AssistantMessage, Usage } from '../../message.ts';
import type { Tokens } from '../../units.ts';

/** What became of one call of a tool. */
export interface TurnToolCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** `error`: its result says what went wrong. `aborted`: the turn ended first. `not-run`: its answer was cut off. */
  readonly status: 'done' | 'error' | 'aborted' | 'not-run';
}

/** One answer of the model, with the tools that it called. */
export interface TurnStep {
  /** Size of the prompt that was answered, by the session's counter. */
  readonly promptTokens: Tokens;
  /** What the provider reported; `null` when it reported nothing. */
  readonly usage: Usage | null;
  /** Calls of the model that it took: more than one after an overflow. */
  readonly attempts: number;
  readonly toolCalls: readonly TurnToolCall[];
}

/** How a turn ended, and what it took. */
export interface TurnRecord {
  /** Stands in the message entries that the turn stored, and in its requests. No other turn of the session has it. */
  readonly turnId: string;
  /** `step-limit`: the model still called tools in its last step; their results are stored, and a next turn goes on. */
  readonly status: 'answered' | 'aborted' | 'step-limit';
  /** The message that began the turn; `null` when there was none, or it was aborted before that was stored. */
  readonly input: EntryRef | null;
  /**
   * The newest answer, as it is stored: `stop` says whether it is whole. `null` when there is none, or when the model
   * answered nothing at all.
   */
  readonly message: AssistantMessage | null;
  /** The text of `message`; empty for none. */
  readonly text: string;
  /** Empty when there was nothing to answer: `message` is then the answer that was there already. */
  readonly steps: readonly TurnStep[];
  /** The compactions that were due, and how they ended. */
  readonly compactions: readonly CompactOutcome[];
  /** Prompts that were too long for the model, or for their budget, and were answered all the same once shortened. */
  readonly overflowsRecovered: number;
  /** What providers reported for the steps, added up. */
  readonly usage: Usage;
  /** Messages of the user's side that have no answer yet, such as those that came too late: the next turn answers them. */
  readonly pending: readonly EntryRef[];
}

/** Adds up what providers reported. */
export function sumUsage(steps: readonly Pick<TurnStep, 'usage'>[]): Usage {
  const none = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  return steps.reduce((sum, { usage }) => addUsage(sum, usage), none);
}
