import type { JsonValue, Message } from '@varve/core';
import type { FormatReader } from './format-reader.ts';
import {
  arrayAt,
  filledStringAt,
  isArray,
  isObject,
  type JsonObject,
  momentAt,
  stringAt,
  typeNameOf,
  valueAt,
} from './json-guards.ts';
import { assistantContent, contentOf, type OpenAiContent } from './openai-content.ts';
import { type RecentMap, recentMap } from './recent-map.ts';
import { outputOfParts } from './tool-output.ts';
import type { ItemRecord, MessageRecord, TranscriptRecord, UnknownRecord } from './transcript-record.ts';

const roles: ReadonlySet<string> = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);

/** Calls whose tool is remembered for the results to come. */
const rememberedCalls = 10_000;

/** True for one message in the form of OpenAI's chat completions. */
export function isOpenAiMessage(value: JsonValue | undefined): boolean {
  if (!isObject(value) || (stringAt(value, 'type') ?? 'message') !== 'message') return false;
  const hasContent = ['content', 'tool_calls'].some((key) => valueAt(value, key) !== undefined);
  return hasContent && roles.has(stringAt(value, 'role') ?? '');
}

/** True for a whole conversation: an object with `messages`. */
export function isOpenAiConversation(value: JsonValue | undefined): value is JsonObject {
  return isObject(value) && isOpenAiMessage(arrayAt(value, 'messages')[0]);
}

/** Reads one message, or one conversation, a line. */
export function openAiReader(): FormatReader {
  let items = 0;
  let read = messageReader();
  return {
    read({ line, value }) {
      if (!isOpenAiConversation(value)) return read({ value, line, key: `line:${line}` });
      items += 1;
      read = messageReader();
      return openAiRecords(value, { item: items, line });
    },
    end: () => [],
  };
}

/** Conversations that one JSON document holds: a list of messages, an object with one, or a list of such objects. */
export function openAiConversations(document: JsonValue): readonly JsonObject[] | null {
  if (isOpenAiConversation(document)) return [document];
  if (!isArray(document)) return null;
  if (isOpenAiMessage(document[0])) return [{ messages: document }];
  return document.length > 0 && document.every(isOpenAiConversation) ? document : null;
}

/** The records of one conversation, from the one that begins it. `line` is set where the conversation is one line. */
export function openAiRecords(
  conversation: JsonObject,
  { item, line }: { readonly item: number; readonly line?: number },
): TranscriptRecord[] {
  const title = filledStringAt(conversation, 'title') ?? filledStringAt(conversation, 'id');
  const begin: ItemRecord = { kind: 'item', line: line ?? 1, item, title };
  const read = messageReader();
  const records = arrayAt(conversation, 'messages').flatMap((value, index) => {
    return read({ value, line: line ?? index + 1, key: `message:${index + 1}` });
  });
  return [begin, ...records];
}

/** A value that may be a message, with the name that its record gets. */
interface Source {
  readonly value: JsonValue;
  readonly line: number;
  readonly key: string;
}

/** Content of a message in the neutral form, and what in it is not known. */
interface Reading {
  readonly message: Message;
  readonly unknown: readonly JsonValue[];
}

/** Reads the messages of one conversation, in order: results are named after the calls before them. */
function messageReader(): (source: Source) => TranscriptRecord[] {
  const tools = recentMap<string>(rememberedCalls);
  return (source) => {
    const { value, line, key } = source;
    const reading = isObject(value) ? readMessage(value, key) : null;
    if (!isObject(value) || reading === null) return [unknown(line, { type: typeNameOf(value), data: value })];
    const message = withToolNames(reading.message, tools);
    const at = momentAt(value, 'timestamp') ?? momentAt(value, 'created_at');
    const record: MessageRecord = { kind: 'message', line, lines: [line], key, message, at };
    const model = filledStringAt(value, 'model');
    return [
      message.role === 'assistant' ? { ...record, call: { model } } : record,
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
