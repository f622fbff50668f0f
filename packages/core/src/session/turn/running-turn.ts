import type { CompactOutcome } from '../../compaction/compaction.ts';
import type { EntryRef, MessageEntry } from '../../journal/entry.ts';
import type { JsonValue } from '../../json-value.ts';
import type { AssistantMessage } from '../../message.ts';
import type { ToolDefinition } from '../../tool.ts';
import type { CheckedMessage } from '../ingest.ts';
import type { PromptRequest } from '../prompt-request.ts';
import type { SessionRuntime } from '../session-runtime.ts';
import { textOfMessage } from './text-of-message.ts';
import type { CheckedTurn } from './turn-options.ts';
import type { TurnStep } from './turn-record.ts';
import type { TurnTools } from './turn-tools.ts';
import type { LeaseOfTurn } from './under-lease.ts';

/** What a turn has come to so far. */
interface TurnNotes {
  input: EntryRef | null;
  message: AssistantMessage | null;
  readonly steps: TurnStep[];
  readonly compactions: CompactOutcome[];
  overflowsRecovered: number;
}

/** What the parts of a turn share. */
export interface Turn {
  readonly id: string;
  readonly runtime: SessionRuntime;
  readonly options: CheckedTurn;
  readonly tools: TurnTools;
  readonly definitions: readonly ToolDefinition[];
  /** Aborted by the caller, when the session is closed, or when another host has taken over. */
  readonly signal: AbortSignal;
  readonly lease: LeaseOfTurn;
  readonly notes: TurnNotes;
  /** Puts a message of the turn into the journal, behind those that were ingested before. */
  store(message: CheckedMessage): Promise<MessageEntry>;
}

/** What the turn asks of prompts and of compactions. */
export function requestOf({
  options,
  definitions,
  signal,
}: Turn): Required<Pick<PromptRequest, 'model' | 'tools' | 'signal' | 'query'>> {
  const tools = definitions as unknown as readonly JsonValue[];
  return { model: options.model.ref, tools, signal, query: options.query ?? queryOf(options) };
}

/** What the user asks is what a prompt is to answer, unless the caller says otherwise. */
function queryOf({ input }: CheckedTurn): string | undefined {
  if (input?.message.role !== 'user') return undefined;
  return textOfMessage(input.message) || undefined;
}
