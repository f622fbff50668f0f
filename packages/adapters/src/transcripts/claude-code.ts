import type { JsonValue, UserMessage } from '@varve/core';
import { type AnthropicUserContent, assistantContent, userContent, userMessages } from './anthropic-content.ts';
import { type CallGatherer, callGatherer } from './claude-code-call.ts';
import { isSideChainLine } from './claude-code-side-chain.ts';
import type { FormatReader, ReadableLine } from './format-reader.ts';
import {
  countAt,
  filledStringAt,
  isObject,
  type JsonObject,
  momentAt,
  objectAt,
  stringAt,
  typeNameOf,
  valueAt,
} from './json-guards.ts';
import { type RecentMap, recentMap } from './recent-map.ts';
import type { CompactionRecord, MessageRecord, TranscriptRecord, UnknownRecord } from './transcript-record.ts';

/** Calls whose tool is remembered for the results to come. */
const rememberedCalls = 10_000;

/** Kinds of lines without a message that begin many files, each with a field that other tools do not have. */
const firstLines: ReadonlyMap<string, string> = new Map([
  ['summary', 'leafUuid'],
  ['file-history-snapshot', 'messageId'],
  ['queue-operation', 'sessionId'],
  ['system', 'uuid'],
]);

/** True for a line that only Claude Code writes. */
export function isClaudeCodeLine(value: JsonObject): boolean {
  const type = stringAt(value, 'type') ?? '';
  if (type === 'user' || type === 'assistant') return stringAt(objectAt(value, 'message'), 'role') !== undefined;
  const field = firstLines.get(type);
  return field !== undefined && stringAt(value, field) !== undefined;
}

/**
 * Reads sessions of Claude Code. Its lines are blocks: those of one `message.id` become one message, and results that
 * came between them stand behind it. Lines of side chains are `unknown`, unless the whole file is one.
 */
export function claudeCodeReader({ sideChain }: { readonly sideChain: boolean }): FormatReader {
  const state: ReaderState = { tools: recentMap(rememberedCalls), calls: callGatherer(), boundary: null };
  return {
    read(source) {
      if (sideChain || !isObject(source.value) || !isSideChainLine(source.value)) return read(state, source);
      return state.calls.pass([unknown(source, 'side-chain')], source.bytes);
    },
    end: () => [...state.calls.end(), ...takeBoundary(state)],
  };
}

interface ReaderState {
  readonly tools: RecentMap<string>;
  readonly calls: CallGatherer;
  /** A compaction whose summary has not come yet. */
  boundary: CompactionRecord | null;
}

function read(state: ReaderState, source: ReadableLine): readonly TranscriptRecord[] {
  const { value, bytes } = source;
  if (!isObject(value)) return state.calls.pass([unknown(source, typeNameOf(value))], bytes);
  const type = stringAt(value, 'type');
  if (type === 'assistant') return assistantRecords(state, source, value);
  if (type === 'user') return state.calls.pass(userRecords(state, source, value), bytes);
  const name = [typeNameOf(value), filledStringAt(value, 'subtype')].filter((word) => word !== undefined).join(':');
  if (name !== 'system:compact_boundary') return state.calls.pass([unknown(source, name)], bytes);
  const earlier = takeBoundary(state);
  state.boundary = boundaryOf(value, source.line);
  return state.calls.pass(earlier, bytes);
}

function assistantRecords(state: ReaderState, source: ReadableLine, value: JsonObject): readonly TranscriptRecord[] {
  const { line, bytes } = source;
  const message = objectAt(value, 'message');
  const content = assistantContent(valueAt(message, 'content'));
  const before = state.calls.pass(takeBoundary(state), 0);
  if (content === null) return [...before, ...state.calls.pass([unknown(source, 'assistant')], bytes)];
  for (const part of content.parts) if (part.type === 'tool-call') state.tools.set(part.toolCallId, part.toolName);
  const whole = state.calls.add({ line, bytes, at: momentAt(value, 'timestamp'), message, parts: content.parts });
  return [...before, ...whole, ...state.calls.pass(unknownContent(line, content.unknown), 0)];
}

function userRecords(state: ReaderState, source: ReadableLine, value: JsonObject): readonly TranscriptRecord[] {
  const content = userContent(valueAt(objectAt(value, 'message'), 'content'));
  if (valueAt(value, 'isCompactSummary') === true) return [summarised(state, { source, value, content })];
  const before = takeBoundary(state);
  if (content === null) return [...before, unknown(source, 'user')];
  const isMeta = valueAt(value, 'isMeta') === true;
  const at = momentAt(value, 'timestamp');
  const found = userMessages(content, state.tools);
  if (found.length === 0 && content.unknown.length === 0) return [...before, unknown(source, 'user')];
  const messages = found.map((message, index): MessageRecord => {
    const { line } = source;
    const key = index === 0 ? `line:${line}` : `line:${line}.${index + 1}`;
    const record = { kind: 'message', line, lines: [line], key, message, at } as const;
    const isSaid = message.role !== 'user' || !(isMeta || isCommandOutput(message));
    return isSaid ? record : { ...record, provenance: { kind: 'system-event' } };
  });
  return [...before, ...messages, ...unknownContent(source.line, content.unknown)];
}

function boundaryOf(value: JsonObject, line: number): CompactionRecord {
  const metadata = objectAt(value, 'compactMetadata');
  const data = {
    format: 'claude-code',
    summary: null,
    at: momentAt(value, 'timestamp'),
    trigger: filledStringAt(metadata, 'trigger'),
    tokensBefore: countAt(metadata, 'preTokens'),
  } as const;
  return { kind: 'compaction', line, data };
}

/** The boundary with its summary; files of early versions have no boundary. */
function summarised(
  state: ReaderState,
  summary: { readonly source: ReadableLine; readonly value: JsonObject; readonly content: AnthropicUserContent | null },
): CompactionRecord {
  const texts = summary.content?.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])) ?? [];
  const boundary = state.boundary ?? boundaryOf(summary.value, summary.source.line);
  state.boundary = null;
  return { ...boundary, data: { ...boundary.data, summary: texts.join('\n') } };
}

function takeBoundary(state: ReaderState): readonly CompactionRecord[] {
  const boundary = state.boundary === null ? [] : [state.boundary];
  state.boundary = null;
  return boundary;
}

function unknown({ line, value }: ReadableLine, type: string): UnknownRecord {
  return { kind: 'unknown', line, type, data: value };
}

function unknownContent(line: number, blocks: readonly JsonValue[]): UnknownRecord[] {
  return blocks.map((data) => ({ kind: 'unknown', line, type: `content:${typeNameOf(data)}`, data }));
}

/** What a command printed that the user ran beside the model stands in the user's place, but is nobody's words. */
function isCommandOutput({ content }: UserMessage): boolean {
  const [first] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  return first !== undefined && 'text' in first && /^\s*<(bash|local-command)-(stdout|stderr)>/.test(first.text);
}
