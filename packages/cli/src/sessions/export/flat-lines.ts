import {
  type JsonValue,
  type Message,
  type MessageEntry,
  type MessagePart,
  partsOfMessage,
  type Session,
  type ToolOutput,
  textOfOutput,
} from '@varve/core';
import { isoText } from '../../terminal/moment-text.ts';
import type { LossTally } from './loss-tally.ts';
import { noteMessageLosses } from './message-losses.ts';
import { pathEntries } from './path-entries.ts';

/** A call whose result is still to come. */
interface OpenCall {
  readonly name: string;
  readonly input: JsonValue;
  readonly timestamp: string;
}

const kept = { reasoning: false, systemMessages: true, calls: false } as const;

/**
 * A conversation as flat lines, `{"role", "content", "timestamp"}`; a call of a tool and its result are one line,
 * `{"role": "tool", "name", "input", "output", "timestamp"}`, where the result stands. What a model thought is left out.
 */
export async function* flatLines(session: Session, tally: LossTally): AsyncGenerator<object, void, undefined> {
  const calls = new Map<string, OpenCall>();
  for await (const entry of pathEntries(session, tally)) {
    if (entry.type !== 'message') {
      tally.note(entry.type);
      continue;
    }
    noteMessageLosses(entry, kept, tally);
    yield* linesOf(entry, calls);
  }
  for (const { name, input, timestamp } of calls.values()) {
    yield { role: 'tool', name, input, output: 'no result', isError: true, timestamp };
  }
}

function* linesOf({ message, at }: MessageEntry, calls: Map<string, OpenCall>): Generator<object, void, undefined> {
  const timestamp = isoText(at);
  if (message.role !== 'tool') {
    const content = contentOf(message);
    if (content !== '') yield { role: message.role, content, timestamp };
  }
  for (const part of partsOfMessage(message)) {
    if (part.type === 'tool-call') calls.set(part.toolCallId, { name: part.toolName, input: part.input, timestamp });
    if (part.type !== 'tool-result') continue;
    const { toolCallId, toolName, output } = part;
    const call = calls.get(toolCallId);
    calls.delete(toolCallId);
    const failed = isFailure(output) ? { isError: true } : {};
    yield { role: 'tool', name: toolName, input: call?.input ?? {}, output: jsonOf(output), ...failed, timestamp };
  }
}

/** Text where there is nothing else, parts where there is an image or a file. */
function contentOf(message: Exclude<Message, { role: 'tool' }>): string | readonly object[] {
  if (typeof message.content === 'string') return message.content;
  const shown = partsOfMessage(message).filter(({ type }) => type === 'text' || type === 'image' || type === 'file');
  const texts = shown.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts.length === shown.length ? texts.join('\n') : shown.map(blockOf);
}

function blockOf(part: MessagePart): object {
  if (part.type === 'image') {
    const isUrl = /^(https?|data):/i.test(part.image);
    const url = isUrl ? part.image : `data:${part.mediaType ?? 'image/png'};base64,${part.image}`;
    return { type: 'image_url', image_url: { url } };
  }
  return { type: 'text', text: part.type === 'text' ? part.text : '[file]' };
}

function jsonOf(output: ToolOutput): JsonValue {
  return output.type === 'json' || output.type === 'error-json' ? output.value : textOfOutput(output);
}

function isFailure({ type }: ToolOutput): boolean {
  return type === 'error-text' || type === 'error-json';
}
