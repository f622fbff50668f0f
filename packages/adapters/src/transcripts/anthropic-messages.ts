import type { AssistantMessage, JsonValue } from '@varve/core';
import { assistantContent, userContent, userMessages } from './anthropic-content.ts';
import { cacheWriteTtl, stopReasonOf, usageOf } from './anthropic-usage.ts';
import { type ConversationFormat, listWith } from './conversation-format.ts';
import type { FormatReader } from './format-reader.ts';
import {
  arrayAt,
  filledStringAt,
  isArray,
  isObject,
  type JsonObject,
  momentAt,
  objectAt,
  stringAt,
  typeNameOf,
  valueAt,
} from './json-guards.ts';
import { dialectOf, isMessage } from './message-dialect.ts';
import { type MessageReader, type MessageSource, sourceOf } from './openai-messages.ts';
import { type RecentMap, recentMap } from './recent-map.ts';
import type { MessageRecord, TranscriptRecord, UnknownRecord } from './transcript-record.ts';

/** Calls whose tool is remembered for the results to come. */
const rememberedCalls = 10_000;

/** Messages in the form of Anthropic: an object with `messages`, and `system` beside them as in the body of a call. */
export const anthropicMessages: ConversationFormat = {
  id: 'anthropic-messages',
  recognises(conversation) {
    const messages = listWith(conversation, 'messages', isMessage);
    if (messages.length === 0) return false;
    const dialect = dialectOf(messages);
    return dialect === 'anthropic' || (dialect === null && systemText(conversation) !== null);
  },
  records(conversation, { line }) {
    const read = anthropicMessageReader({ model: filledStringAt(conversation, 'model') });
    const records = arrayAt(conversation, 'messages').flatMap((value, index) => read(sourceOf(value, { index, line })));
    const system = systemText(conversation);
    return system === null ? records : [systemRecord(system, { line: line ?? 1, key: 'system' }), ...records];
  },
};

/** Reads one message a line. */
export function anthropicReader(): FormatReader {
  const read = anthropicMessageReader({});
  return { read: ({ line, value }) => read({ value, line, key: `line:${line}` }), end: () => [] };
}

/** Makes a {@link MessageReader} for Anthropic's form. `model` is that of messages that do not name their own. */
function anthropicMessageReader({ model }: { readonly model?: string | undefined }): MessageReader {
  const tools = recentMap<string>(rememberedCalls);
  return (source) => {
    const { value, line } = source;
    const role = isObject(value) && isMessage(value) ? stringAt(value, 'role') : undefined;
    if (!isObject(value) || role === undefined) return [unknown(line, { type: typeNameOf(value), data: value })];
    if (role === 'assistant') return assistantRecords(source, { value, tools, model });
    if (role === 'user') return userRecords(source, { value, tools });
    const text = role === 'system' ? textOf(valueAt(value, 'content')) : null;
    return [text === null ? unknown(line, { type: typeNameOf(value), data: value }) : systemRecord(text, source)];
  };
}

function userRecords(
  { line, key }: MessageSource,
  { value, tools }: { readonly value: JsonObject; readonly tools: RecentMap<string> },
): readonly TranscriptRecord[] {
  const content = userContent(valueAt(value, 'content'));
  if (content === null) return [unknown(line, { type: typeNameOf(value), data: value })];
  const at = momentAt(value, 'timestamp');
  const messages = userMessages(content, tools).map((message, index): MessageRecord => {
    return { kind: 'message', line, lines: [line], key: index === 0 ? key : `${key}.${index + 1}`, message, at };
  });
  return [...messages, ...unknownContent(line, content.unknown)];
}

function assistantRecords(
  { line, key }: MessageSource,
  from: { readonly value: JsonObject; readonly tools: RecentMap<string>; readonly model: string | undefined },
): readonly TranscriptRecord[] {
  const { value, tools } = from;
  const content = assistantContent(valueAt(value, 'content'));
  if (content === null) return [unknown(line, { type: typeNameOf(value), data: value })];
  for (const part of content.parts) if (part.type === 'tool-call') tools.set(part.toolCallId, part.toolName);
  const usage = objectAt(value, 'usage');
  const stop = stopReasonOf(value);
  const message: AssistantMessage = {
    role: 'assistant',
    content: content.parts,
    ...(stop === undefined ? {} : { stop }),
  };
  const model = filledStringAt(value, 'model') ?? from.model;
  const call = { provider: 'anthropic', model, stop, cacheWriteTtl: cacheWriteTtl(usage) };
  const at = momentAt(value, 'timestamp');
  const record: MessageRecord = { kind: 'message', line, lines: [line], key, message, at, usage: usageOf(usage), call };
  return [record, ...unknownContent(line, content.unknown)];
}

/** The system prompt of a body, which is a text or a list of them; `null` for none. */
function systemText(conversation: JsonObject): string | null {
  return textOf(valueAt(conversation, 'system'));
}

function textOf(content: JsonValue | undefined): string | null {
  if (typeof content === 'string') return content === '' ? null : content;
  if (!isArray(content)) return null;
  const texts = content.flatMap((block) => (isObject(block) ? [stringAt(block, 'text') ?? ''] : []));
  return texts.some((text) => text !== '') ? texts.join('\n') : null;
}

function systemRecord(content: string, { line, key }: Pick<MessageSource, 'line' | 'key'>): MessageRecord {
  return { kind: 'message', line, lines: [line], key, message: { role: 'system', content } };
}

function unknown(line: number, { type, data }: Pick<UnknownRecord, 'type' | 'data'>): UnknownRecord {
  return { kind: 'unknown', line, type, data };
}

function unknownContent(line: number, blocks: readonly JsonValue[]): readonly UnknownRecord[] {
  return blocks.map((block) => unknown(line, { type: `content:${typeNameOf(block)}`, data: block }));
}
