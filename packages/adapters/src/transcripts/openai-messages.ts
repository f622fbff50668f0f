import type { JsonValue, Message } from '@varve/core';
import { type ConversationFormat, listWith } from './conversation-format.ts';
import type { FormatReader } from './format-reader.ts';
import {
  arrayAt,
  filledStringAt,
  isObject,
  type JsonObject,
  momentAt,
  stringAt,
  typeNameOf,
  valueAt,
} from './json-guards.ts';
import { isMessage } from './message-dialect.ts';
import { assistantContent, contentOf, type OpenAiContent } from './openai-content.ts';
import { type RecentMap, recentMap } from './recent-map.ts';
import { outputOfParts } from './tool-output.ts';
import type { MessageRecord, TranscriptRecord, UnknownRecord } from './transcript-record.ts';

/** Calls whose tool is remembered for the results to come. */
const rememberedCalls = 10_000;

/** A value that may be a message, with the name that its record gets. */
export interface MessageSource {
  readonly value: JsonValue;
  readonly line: number;
  readonly key: string;
}

/** Reads the messages of one conversation, in order: results are named after the calls before them. */
export type MessageReader = (source: MessageSource) => readonly TranscriptRecord[];

/** Messages in the form of OpenAI: an object with `messages`. */
export const openAiMessages: ConversationFormat = {
  id: 'openai-messages',
  recognises: (conversation) => listWith(conversation, 'messages', isMessage).length > 0,
  records: (conversation, { line }) => {
    const read = openAiMessageReader({ model: filledStringAt(conversation, 'model') });
    return arrayAt(conversation, 'messages').flatMap((value, index) => read(sourceOf(value, { index, line })));
  },
};

/** Reads one message a line. */
export function openAiReader(): FormatReader {
  const read = openAiMessageReader({});
  return { read: ({ line, value }) => read({ value, line, key: `line:${line}` }), end: () => [] };
}

/** The element of a list of messages as a source: `message:3` for the third. */
export function sourceOf(
  value: JsonValue,
  { index, line }: { readonly index: number; readonly line?: number | undefined },
): MessageSource {
  return { value, line: line ?? index + 1, key: `message:${index + 1}` };
}

/** Content of a message in the neutral form, and what in it is not known. */
interface Reading {
  readonly message: Message;
  readonly unknown: readonly JsonValue[];
}

/** Makes a {@link MessageReader} for OpenAI's form. `model` is that of messages that do not name their own. */
export function openAiMessageReader({ model }: { readonly model?: string | undefined }): MessageReader {
  const tools = recentMap<string>(rememberedCalls);
  return (source) => {
    const { value, line, key } = source;
    const reading = isObject(value) ? readMessage(value, key) : null;
    if (!isObject(value) || reading === null) return [unknown(line, { type: typeNameOf(value), data: value })];
    const message = withToolNames(reading.message, tools);
    const at = momentAt(value, 'timestamp') ?? momentAt(value, 'created_at');
    const record: MessageRecord = { kind: 'message', line, lines: [line], key, message, at };
    const call = { model: filledStringAt(value, 'model') ?? model };
    return [
      message.role === 'assistant' ? { ...record, call } : record,
      ...reading.unknown.map((data) => unknown(line, { type: `content:${typeNameOf(data)}`, data })),
    ];
  };
}

function readMessage(value: JsonObject, key: string): Reading | null {
  const role = stringAt(value, 'role');
  if (role === 'assistant') return assistantReading(value, key);
  const content = contentOf(valueAt(value, 'content'));
  if (content === null) return null;
  if (role === 'user') return { message: { role, content: content.parts }, unknown: content.unknown };
  if (role === 'tool' || role === 'function') return toolReading(value, content);
  if (role !== 'system' && role !== 'developer') return null;
  const texts = content.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return { message: { role: 'system', content: texts.join('\n') }, unknown: content.unknown };
}

function assistantReading(value: JsonObject, key: string): Reading {
  const { parts, unknown } = assistantContent(value, key);
  return { message: { role: 'assistant', content: parts }, unknown };
}

/** Before calls had ids, a result named the function; it belongs to the function's last call. */
function toolReading(value: JsonObject, { parts, unknown }: OpenAiContent): Reading {
  const toolName = filledStringAt(value, 'name') ?? '';
  const toolCallId = filledStringAt(value, 'tool_call_id') ?? '';
  const output = outputOfParts(parts, false);
  return { message: { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] }, unknown };
}

/** Remembers the calls of a message, and completes its results: the tool's name by the id, the id by the name. */
function withToolNames(message: Message, tools: RecentMap<string>): Message {
  if (message.role === 'assistant' && typeof message.content !== 'string') {
    for (const part of message.content) {
      if (part.type !== 'tool-call') continue;
      tools.set(`id:${part.toolCallId}`, part.toolName);
      tools.set(`name:${part.toolName}`, part.toolCallId);
    }
  }
  if (message.role !== 'tool') return message;
  const content = message.content.map((part) => ({
    ...part,
    toolCallId: part.toolCallId || (tools.get(`name:${part.toolName}`) ?? 'unknown'),
    toolName: part.toolName || (tools.get(`id:${part.toolCallId}`) ?? 'unknown'),
  }));
  return { role: 'tool', content };
}

function unknown(line: number, { type, data }: { readonly type: string; readonly data: JsonValue }): UnknownRecord {
  return { kind: 'unknown', line, type, data };
}
