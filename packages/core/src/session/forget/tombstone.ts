import type { MessageEntry } from '../../journal/entry.ts';
import {
  type Message,
  partsOfMessage,
  type ToolCallPart,
  type ToolMessage,
  type ToolResultPart,
} from '../../message.ts';
import { textOfOutput } from '../../text-of-output.ts';
import type { TokenCounter } from '../../tokens/token-counter.ts';
import { textsOfJson } from './forgotten-text.ts';

/** When something was forgotten, and why. */
export type Forgotten = NonNullable<MessageEntry['forgotten']>;

/**
 * What is left of a message that was forgotten: its role, what kind of source it came from, its tool calls and results
 * without what was in them, and a note in place of its text. It stands where the message stood, so that every call still
 * has its result.
 */
export function tombstoneOf(
  entry: MessageEntry,
  { forgotten, counter }: { readonly forgotten: Forgotten; readonly counter: TokenCounter },
): MessageEntry {
  const { key: _key, message: said, provenance, ...rest } = entry;
  const message = emptied(said, `[forgotten: ${forgotten.reason}]`);
  const tokens = { n: counter.countMessage(message), by: counter.id };
  return { ...rest, message, provenance: { kind: provenance.kind }, tokens, forgotten };
}

/** Every text of a message, and of what is known about it, that is lost when it is forgotten. */
export function textsToForget({ message, provenance, key = '' }: MessageEntry): readonly string[] {
  const { kind: _kind, ...origin } = provenance;
  const parts = partsOfMessage(message).flatMap((part): readonly string[] => {
    const options = textsOfJson((part.providerOptions ?? null) as never);
    if (part.type === 'text' || part.type === 'reasoning') return [part.text, ...options];
    if (part.type === 'image') return [part.image, ...options];
    if (part.type === 'file') return [part.data, part.filename ?? '', ...options];
    const value = part.type === 'tool-call' ? part.input : part.output.value;
    const whole = part.type === 'tool-call' ? '' : textOfOutput(part.output);
    return [...textsOfJson(value as never), JSON.stringify(value), whole, ...options];
  });
  return [...parts, ...textsOfJson(origin), key];
}

/** What a message still says once it is forgotten: names and ids of its tool calls. */
export function textsThatStay({ message }: MessageEntry): readonly string[] {
  return partsOfMessage(message).flatMap((part) =>
    part.type === 'tool-call' || part.type === 'tool-result' ? [part.toolCallId, part.toolName] : [],
  );
}

function emptied(message: Message, note: string): Message {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: note };
    case 'user':
      return { role: 'user', content: note };
    case 'assistant': {
      const calls = partsOfMessage(message).filter((part) => part.type === 'tool-call');
      const content = calls.length === 0 ? note : [{ type: 'text' as const, text: note }, ...calls.map(emptiedCall)];
      return { role: 'assistant', content, ...(message.stop === undefined ? {} : { stop: message.stop }) };
    }
    case 'tool':
      return emptiedResults(message, note);
  }
}

function emptiedCall({ type, toolCallId, toolName }: ToolCallPart): ToolCallPart {
  return { type, toolCallId, toolName, input: {} };
}

function emptiedResults({ content }: ToolMessage, note: string): ToolMessage {
  return {
    role: 'tool',
    content: content.map(({ type, toolCallId, toolName, output }): ToolResultPart => {
      const failed = output.type.startsWith('error-');
      return { type, toolCallId, toolName, output: { type: failed ? 'error-text' : 'text', value: note } };
    }),
  };
}
