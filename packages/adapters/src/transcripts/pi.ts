import type { Message, Milliseconds, Provenance, StopReason, ToolResultPart } from '@varve/core';
import type { FormatReader, ReadableLine } from './format-reader.ts';
import {
  countAt,
  filledStringAt,
  isObject,
  type JsonObject,
  momentAt,
  numberAt,
  objectAt,
  stringAt,
  typeNameOf,
  valueAt,
} from './json-guards.ts';
import { isOpenClawNotice, openClawProvenance } from './openclaw-message.ts';
import { assistantContent, bashText, type PiContent, userContent } from './pi-content.ts';
import { outputOfParts } from './tool-output.ts';
import type {
  CompactionRecord,
  MessageRecord,
  ModelCall,
  SettingRecord,
  TranscriptRecord,
  UnknownRecord,
} from './transcript-record.ts';

/** Highest version of the header whose meaning is known. Version 1 has none. */
const knownVersion = 3;

/** Roles of version 1 to 3 that stand for what an extension said. */
const extensionRoles: ReadonlySet<string> = new Set(['custom', 'hookMessage']);

const stopReasons: ReadonlyMap<string, StopReason> = new Map([
  ['stop', 'stop'],
  ['length', 'length'],
  ['toolUse', 'tool-calls'],
  ['error', 'error'],
  ['aborted', 'aborted'],
]);

/** True for the header of pi. Tools that write other lines behind it have taken it over: what follows decides. */
export function isPiHeader(value: JsonObject): boolean {
  if (stringAt(value, 'type') !== 'session') return false;
  return ['id', 'cwd', 'version'].some((key) => valueAt(value, key) !== undefined);
}

/** True for a line that only pi writes: a message with what pi puts around it. */
export function isPiLine(value: JsonObject): boolean {
  return stringAt(value, 'type') === 'message' && stringAt(objectAt(value, 'message'), 'role') !== undefined;
}

/**
 * Reads sessions of pi, versions 1 to 3, and those of OpenClaw, which have its form. Of a tree, the way to the newest
 * leaf is the conversation; other branches are `off-path`. The summary of a branch that was left is kept as `unknown`,
 * as is what a later version adds.
 */
export function piReader({ isOnPath }: { readonly isOnPath: (line: number) => boolean }): FormatReader {
  return {
    read(source) {
      const { line, value } = source;
      const isHeader = isObject(value) && stringAt(value, 'type') === 'session';
      if (isOnPath(line) || isHeader) return recordsOf(source);
      return [{ kind: 'unknown', line, type: 'off-path', data: value }];
    },
    end: () => [],
  };
}

/** An object line, with what most records need of it. */
interface PiLine {
  readonly line: number;
  readonly value: JsonObject;
  readonly at: Milliseconds | undefined;
}

function recordsOf({ line, value }: ReadableLine): TranscriptRecord[] {
  if (!isObject(value)) return [{ kind: 'unknown', line, type: typeNameOf(value), data: value }];
  const source = { line, value, at: momentAt(value, 'timestamp') };
  switch (stringAt(value, 'type')) {
    case 'session':
      return header(source);
    case 'message':
      return messageRecords(source, objectAt(value, 'message'));
    case 'custom_message':
      return textRecords(source, { content: userContent(valueAt(value, 'content')), provenance: { kind: 'plugin' } });
    case 'compaction':
      return [compaction(source, value)];
    case 'model_change':
      return settings(source, [modelSetting(source)]);
    case 'thinking_level_change':
      return settings(source, [thinkingSetting(source)]);
    default:
      return [unknown(source)];
  }
}

function unknown({ line, value }: PiLine): UnknownRecord {
  return { kind: 'unknown', line, type: typeNameOf(value), data: value };
}

/** The header of version 1 also says which model the session began with. */
function header(source: PiLine): TranscriptRecord[] {
  const version = numberAt(source.value, 'version') ?? 1;
  const known = [modelSetting(source), thinkingSetting(source)].filter((setting) => setting !== null);
  return version > knownVersion || source.line > 1 ? [unknown(source), ...known] : known;
}

function settings(source: PiLine, found: readonly (SettingRecord | null)[]): TranscriptRecord[] {
  return found.map((setting) => setting ?? unknown(source));
}

function modelSetting({ line, value, at }: PiLine): SettingRecord | null {
  const provider = filledStringAt(value, 'provider');
  const model = filledStringAt(value, 'modelId');
  if (provider === undefined || model === undefined) return null;
  return { kind: 'setting', line, name: 'model', value: `${provider}/${model}`, at };
}

function thinkingSetting({ line, value, at }: PiLine): SettingRecord | null {
  const level = filledStringAt(value, 'thinkingLevel');
  return level === undefined ? null : { kind: 'setting', line, name: 'thinking', value: level, at };
}

function compaction({ line, at }: PiLine, value: JsonObject): CompactionRecord {
  const data = {
    format: 'pi',
    summary: stringAt(value, 'summary') ?? null,
    at,
    tokensBefore: countAt(value, 'tokensBefore'),
    firstKeptEntryIndex: countAt(value, 'firstKeptEntryIndex'),
    firstKeptEntryId: stringAt(value, 'firstKeptEntryId'),
  } as const;
  return { kind: 'compaction', line, data };
}

/** The records of one message as pi holds it itself, outside of any file. */
export function readPiMessage(message: JsonObject): readonly TranscriptRecord[] {
  return messageRecords({ line: 1, value: message, at: undefined }, message);
}

function messageRecords(source: PiLine, message: JsonObject): TranscriptRecord[] {
  const timed = { ...source, at: source.at ?? momentAt(message, 'timestamp') };
  const role = stringAt(message, 'role') ?? '';
  if (role === 'user') {
    const provenance = openClawProvenance(message);
    return textRecords(timed, { content: userContent(valueAt(message, 'content')), provenance });
  }
  if (role === 'assistant') return assistantRecords(timed, message);
  if (role === 'toolResult') return toolRecords(timed, message);
  if (extensionRoles.has(role)) {
    return textRecords(timed, { content: userContent(valueAt(message, 'content')), provenance: { kind: 'plugin' } });
  }
  if (role === 'compactionSummary') return [compaction(timed, message)];
  if (role !== 'bashExecution' || valueAt(message, 'excludeFromContext') === true) return [unknown(source)];
  // The user ran the command, but the words are the shell's.
  const content: PiContent = { parts: [{ type: 'text', text: bashText(message) }], unknown: [] };
  return textRecords(timed, { content, provenance: { kind: 'tool', tool: 'bash' } });
}

function textRecords(
  source: PiLine,
  { content, provenance }: { readonly content: PiContent | null; readonly provenance?: Provenance | undefined },
): TranscriptRecord[] {
  if (content === null) return [unknown(source)];
  const message: Message = { role: 'user', content: content.parts };
  return [...unknownContent(source, content), { ...messageBase(source), message, provenance }];
}

function toolRecords(source: PiLine, message: JsonObject): TranscriptRecord[] {
  const toolCallId = stringAt(message, 'toolCallId');
  const content = userContent(valueAt(message, 'content'));
  if (toolCallId === undefined || content === null) return [unknown(source)];
  const toolName = filledStringAt(message, 'toolName') ?? 'unknown';
  const output = outputOfParts(content.parts, valueAt(message, 'isError') === true);
  const part: ToolResultPart = { type: 'tool-result', toolCallId, toolName, output };
  return [...unknownContent(source, content), { ...messageBase(source), message: { role: 'tool', content: [part] } }];
}

function assistantRecords(source: PiLine, message: JsonObject): TranscriptRecord[] {
  const content = assistantContent(message);
  if (content === null) return [unknown(source)];
  const stop = stopReasons.get(stringAt(message, 'stopReason') ?? '');
  const call: ModelCall = {
    provider: filledStringAt(message, 'provider'),
    model: filledStringAt(message, 'model'),
    stop,
    error: filledStringAt(message, 'errorMessage'),
  };
  const answer: Message = { role: 'assistant', content: content.parts, ...(stop === undefined ? {} : { stop }) };
  const record = { ...messageBase(source), message: answer };
  const said: MessageRecord = isOpenClawNotice(message)
    ? { ...record, provenance: { kind: 'system-event' } }
    : { ...record, usage: usageOf(objectAt(message, 'usage')), call };
  return [...unknownContent(source, content), said];
}

/** A call that was aborted before the provider reported anything has nothing but zeros. */
function usageOf(usage: JsonObject): MessageRecord['usage'] {
  const [inputTokens, outputTokens] = [countAt(usage, 'input'), countAt(usage, 'output')];
  const [cacheReadTokens, cacheWriteTokens] = [countAt(usage, 'cacheRead'), countAt(usage, 'cacheWrite')];
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  const isSilent = inputTokens + outputTokens + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0) === 0;
  return isSilent ? undefined : { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens };
}

function messageBase({ line, at }: PiLine): Pick<MessageRecord, 'kind' | 'line' | 'lines' | 'key' | 'at'> {
  return { kind: 'message', line, lines: [line], key: `line:${line}`, at };
}

function unknownContent({ line }: PiLine, content: { readonly unknown: PiContent['unknown'] }): UnknownRecord[] {
  return content.unknown.map((data) => ({ kind: 'unknown', line, type: `content:${typeNameOf(data)}`, data }));
}
