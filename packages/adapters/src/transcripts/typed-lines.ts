import type { JsonValue, Milliseconds, ToolOutput, ToolResultPart } from '@varve/core';
import { type AssistantPart, assistantContent, userContent, userMessages } from './anthropic-content.ts';
import type { FormatReader, ReadableLine } from './format-reader.ts';
import {
  countAt,
  filledStringAt,
  isArray,
  isObject,
  type JsonObject,
  momentAt,
  stringAt,
  typeNameOf,
  valueAt,
} from './json-guards.ts';
import { type RecentMap, recentMap } from './recent-map.ts';
import { outputOfParts, outputOfValue } from './tool-output.ts';
import type { CompactionRecord, MessageRecord, TranscriptRecord, UnknownRecord } from './transcript-record.ts';

/** Calls that are remembered for the results to come. */
const rememberedCalls = 10_000;

/** How many lines one answer may have, and how many may lie between them, before it is given out. */
const mostLines = 1_000;

const messageTypes: ReadonlySet<string> = new Set(['user', 'assistant', 'tool_use', 'tool_result']);

/** Fields that name a call; without one, the entry's own id does. */
const callIdFields = ['tool_use_id', 'toolUseId', 'tool_call_id', 'toolCallId', 'call_id', 'callId'] as const;

/** True for a line of a tree whose types are the roles, and the calls and results, themselves. */
export function isTypedLine(value: JsonObject): boolean {
  const parent = valueAt(value, 'parentId');
  const isEntry = filledStringAt(value, 'id') !== undefined && (parent === null || typeof parent === 'string');
  return isEntry && messageTypes.has(stringAt(value, 'type') ?? '');
}

/**
 * Reads typed lines, `{"type": "user" | "assistant" | "tool_use" | "tool_result", "id", "parentId"}`. A line of the
 * assistant and the calls that follow it are one message, which is one call of the model; so are calls without one.
 */
export function typedLineReader({ isOnPath }: { readonly isOnPath: (line: number) => boolean }): FormatReader {
  const state: ReaderState = { open: null, waiting: [], calls: recentMap(rememberedCalls), unanswered: [] };
  return {
    read(source) {
      if (isOnPath(source.line)) return read(state, source);
      return pass(state, [{ kind: 'unknown', line: source.line, type: 'off-path', data: source.value }]);
    },
    end: () => flush(state),
  };
}

/** An answer of the model whose calls may still come. */
interface OpenAnswer {
  readonly lines: number[];
  readonly parts: AssistantPart[];
  readonly at: Milliseconds | undefined;
  readonly model: string | undefined;
}

interface Call {
  readonly id: string;
  readonly name: string;
}

interface ReaderState {
  open: OpenAnswer | null;
  /** What came behind the lines of the open answer. */
  waiting: TranscriptRecord[];
  /** Calls by their id, and by that of their entry. */
  readonly calls: RecentMap<Call>;
  /** Calls in their order, for results that name none. */
  unanswered: Call[];
}

function read(state: ReaderState, source: ReadableLine): readonly TranscriptRecord[] {
  const { value } = source;
  if (!isObject(value)) return pass(state, [unknown(source)]);
  switch (stringAt(value, 'type')) {
    case 'user':
      return [...flush(state), ...userRecords(state, source, value)];
    case 'assistant':
      return assistantRecords(state, source, value);
    case 'tool_use':
      return callRecords(state, source, value);
    case 'tool_result':
      return [...flush(state), ...resultRecords(state, source, value)];
    case 'compaction':
      return [...flush(state), compaction(source, value)];
    default:
      return pass(state, [unknown(source)]);
  }
}

function userRecords(state: ReaderState, source: ReadableLine, value: JsonObject): readonly TranscriptRecord[] {
  const content = userContent(contentOf(value));
  if (content === null) return [unknown(source)];
  const names = { get: (id: string) => state.calls.get(id)?.name };
  const messages = userMessages(content, names).map((message, index): MessageRecord => {
    const base = messageBase(source, value);
    return { ...base, key: index === 0 ? base.key : `${base.key}.${index + 1}`, message };
  });
  return [...messages, ...unknownContent(source, content.unknown)];
}

function assistantRecords(state: ReaderState, source: ReadableLine, value: JsonObject): readonly TranscriptRecord[] {
  const content = assistantContent(contentOf(value));
  if (content === null) return pass(state, [unknown(source)]);
  const before = flush(state);
  for (const part of content.parts) {
    if (part.type === 'tool-call') remember(state, { id: part.toolCallId, name: part.toolName });
  }
  begin(state, source, { value, parts: content.parts });
  return [...before, ...pass(state, unknownContent(source, content.unknown))];
}

function callRecords(state: ReaderState, source: ReadableLine, value: JsonObject): readonly TranscriptRecord[] {
  const name = filledStringAt(value, 'name') ?? filledStringAt(value, 'toolName') ?? filledStringAt(value, 'tool');
  const entryId = filledStringAt(value, 'id');
  const id = callIdOf(value) ?? entryId;
  if (name === undefined || id === undefined) return pass(state, [unknown(source)]);
  const call = { id, name };
  if (entryId !== undefined) state.calls.set(entryId, call);
  remember(state, call);
  const input = valueAt(value, 'input') ?? valueAt(value, 'arguments') ?? valueAt(value, 'args') ?? {};
  const part = { type: 'tool-call', toolCallId: id, toolName: name, input } as const;
  if (state.open === null || state.open.lines.length >= mostLines) {
    const before = flush(state);
    begin(state, source, { value, parts: [part] });
    return before;
  }
  state.open.lines.push(source.line);
  state.open.parts.push(part);
  return [];
}

function resultRecords(state: ReaderState, source: ReadableLine, value: JsonObject): readonly TranscriptRecord[] {
  const given = callIdOf(value);
  const call = given === undefined ? state.unanswered[0] : state.calls.get(given);
  state.unanswered = state.unanswered.filter((one) => one.id !== call?.id);
  const { output, unread } = outputOf(value);
  const part: ToolResultPart = {
    type: 'tool-result',
    toolCallId: call?.id ?? given ?? 'unknown',
    toolName: call?.name ?? filledStringAt(value, 'name') ?? 'unknown',
    output,
  };
  const record = { ...messageBase(source, value), message: { role: 'tool', content: [part] } } as const;
  return [record, ...unknownContent(source, unread)];
}

/** What a tool gave back, as one value or in blocks. */
function outputOf(value: JsonObject): { readonly output: ToolOutput; readonly unread: readonly JsonValue[] } {
  const given = valueAt(value, 'output') ?? valueAt(value, 'content') ?? valueAt(value, 'result');
  const error = stringAt(value, 'error');
  const failed = valueAt(value, 'is_error') === true || valueAt(value, 'isError') === true || error !== undefined;
  const isBlocks = isArray(given) && given.every((block) => isObject(block) && stringAt(block, 'type') !== undefined);
  const content = isBlocks ? userContent(given) : null;
  if (content === null) return { output: outputOfValue(given ?? error, failed), unread: [] };
  return { output: outputOfParts(content.parts, failed), unread: content.unknown };
}

function compaction({ line }: ReadableLine, value: JsonObject): CompactionRecord {
  const data = {
    format: 'typed-lines',
    summary: stringAt(value, 'summary') ?? null,
    at: momentAt(value, 'timestamp'),
    tokensBefore: countAt(value, 'tokensBefore'),
    firstKeptEntryId: stringAt(value, 'firstKeptEntryId'),
  } as const;
  return { kind: 'compaction', line, data };
}

function begin(
  state: ReaderState,
  { line }: ReadableLine,
  { value, parts }: { readonly value: JsonObject; readonly parts: readonly AssistantPart[] },
): void {
  const [at, model] = [momentAt(value, 'timestamp'), filledStringAt(value, 'model')];
  state.open = { lines: [line], parts: [...parts], at, model };
}

/** The open answer and what waited behind it. */
function flush(state: ReaderState): readonly TranscriptRecord[] {
  const { open, waiting } = state;
  state.open = null;
  state.waiting = [];
  if (open === null) return waiting;
  const { lines, parts, at, model } = open;
  const line = lines[0] ?? 1;
  const message = { role: 'assistant', content: parts } as const;
  return [{ kind: 'message', line, lines, key: `line:${line}`, message, at, call: { model } }, ...waiting];
}

/** What is no message and ends no answer. */
function pass(state: ReaderState, records: readonly TranscriptRecord[]): readonly TranscriptRecord[] {
  if (state.open === null) return records;
  state.waiting.push(...records);
  return state.waiting.length > mostLines ? flush(state) : [];
}

function remember(state: ReaderState, call: Call): void {
  state.calls.set(call.id, call);
  state.unanswered = [...state.unanswered, call].slice(-mostLines);
}

function callIdOf(value: JsonObject): string | undefined {
  return callIdFields.map((field) => filledStringAt(value, field)).find((id) => id !== undefined);
}

/** Some writers put the content into a `message`, as OpenClaw does. */
function contentOf(value: JsonObject): JsonValue | undefined {
  const message = valueAt(value, 'message');
  const body = isObject(message) ? message : value;
  return valueAt(body, 'content') ?? valueAt(body, 'text') ?? (typeof message === 'string' ? message : undefined);
}

function messageBase({ line }: ReadableLine, value: JsonObject): Omit<MessageRecord, 'message'> {
  return { kind: 'message', line, lines: [line], key: `line:${line}`, at: momentAt(value, 'timestamp') };
}

function unknown({ line, value }: ReadableLine): UnknownRecord {
  return { kind: 'unknown', line, type: typeNameOf(value), data: value };
}

function unknownContent({ line }: ReadableLine, blocks: readonly JsonValue[]): readonly UnknownRecord[] {
  return blocks.map((data) => ({ kind: 'unknown', line, type: `content:${typeNameOf(data)}`, data }));
}
