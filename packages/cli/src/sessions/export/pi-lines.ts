import {
  type Entry,
  type MessageEntry,
  type MessagePart,
  type Milliseconds,
  partsOfMessage,
  type Session,
  type StopReason,
  type ToolOutput,
  textOfOutput,
} from '@varve/core';
import { isoText } from '../../terminal/moment-text.ts';
import type { LossTally } from './loss-tally.ts';
import { noteMessageLosses } from './message-losses.ts';
import { pathEntries } from './path-entries.ts';

const stopWords: Readonly<Partial<Record<StopReason, string>>> = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'toolUse',
  error: 'error',
  aborted: 'aborted',
};

const kept = { reasoning: true, systemMessages: false, calls: true } as const;

/**
 * A conversation as OpenClaw and pi keep one, version 3: a header, then one message a line, each with the one before as
 * its parent. Compactions are left to who reads it; a system prompt has no place there and is left out.
 */
export async function* piLines(session: Session, tally: LossTally): AsyncGenerator<object, void, undefined> {
  const { createdAt, sessionId } = session.info();
  yield { type: 'session', version: 3, id: sessionId, timestamp: isoText(createdAt), cwd: '/' };
  let parentId: string | null = null;
  let model: string | null = null;
  for await (const entry of pathEntries(session, tally)) {
    model = modelIn(entry) ?? model;
    if (entry.type !== 'message') {
      tally.note(entry.type);
      continue;
    }
    noteMessageLosses(entry, kept, tally);
    for (const [index, message] of messagesOf(entry, model).entries()) {
      const id: string = index === 0 ? entry.id : `${entry.id}-${index + 1}`;
      yield { type: 'message', id, parentId, timestamp: isoText(entry.at), message };
      parentId = id;
    }
  }
}

function modelIn(entry: Entry): string | null {
  if (entry.type === 'request') return entry.model;
  const isModel = entry.type === 'setting' && entry.name === 'model' && typeof entry.value === 'string';
  return isModel ? String(entry.value) : null;
}

function messagesOf(entry: MessageEntry, model: string | null): readonly object[] {
  const { message, at, usage } = entry;
  const parts = partsOfMessage(message);
  if (message.role === 'user') return [{ role: 'user', content: parts.map(blockOf), timestamp: at }];
  if (message.role === 'tool')
    return parts.flatMap((part) => (part.type === 'tool-result' ? [resultOf(part, at)] : []));
  if (message.role === 'system') return [];
  const [provider = '', ...name] = model?.split('/') ?? [];
  return [
    {
      role: 'assistant',
      content: parts.map(blockOf),
      ...(name.length === 0 ? {} : { provider, model: name.join('/') }),
      ...(usage === undefined
        ? {}
        : {
            usage: {
              input: usage.inputTokens,
              output: usage.outputTokens,
              cacheRead: usage.cacheReadTokens ?? 0,
              cacheWrite: usage.cacheWriteTokens ?? 0,
            },
          }),
      ...(message.stop === undefined ? {} : { stopReason: stopWords[message.stop] ?? 'stop' }),
      timestamp: at,
    },
  ];
}

function resultOf(part: Extract<MessagePart, { type: 'tool-result' }>, at: Milliseconds): object {
  const { toolCallId, toolName, output } = part;
  const isError = output.type === 'error-text' || output.type === 'error-json';
  return { role: 'toolResult', toolCallId, toolName, content: blocksOf(output), isError, timestamp: at };
}

function blocksOf(output: ToolOutput): readonly object[] {
  return output.type === 'content' ? output.value.map(blockOf) : [{ type: 'text', text: textOfOutput(output) }];
}

function blockOf(part: MessagePart): object {
  switch (part.type) {
    case 'text':
      return { type: 'text', text: part.text };
    case 'image':
      return { type: 'image', data: part.image, mimeType: part.mediaType ?? 'image/png' };
    case 'reasoning': {
      const { anthropic = {} } = part.providerOptions ?? {};
      const { signature } = anthropic;
      const signed = typeof signature === 'string' ? { thinkingSignature: signature } : {};
      return { type: 'thinking', thinking: part.text, ...signed };
    }
    case 'tool-call':
      return { type: 'toolCall', id: part.toolCallId, name: part.toolName, arguments: part.input };
    default:
      return { type: 'text', text: `[${part.type}]` };
  }
}
