import type { JsonValue } from '@varve/core';
import { anthropicReader } from './anthropic-messages.ts';
import { claudeCodeReader, isClaudeCodeLine } from './claude-code.ts';
import { isSideChainFile } from './claude-code-side-chain.ts';
import { conversationFormats, conversationReader } from './conversation-formats.ts';
import { newestPath } from './entry-tree.ts';
import { flatLineReader, isFlatToolLine } from './flat-lines.ts';
import type { FormatReader } from './format-reader.ts';
import { isObject, type JsonObject, numberAt } from './json-guards.ts';
import { dialectOf, isMessage } from './message-dialect.ts';
import { openAiReader } from './openai-messages.ts';
import { isPiHeader, isPiLine, piReader } from './pi.ts';
import type { SourceOptions } from './source-lines.ts';
import type { TranscriptFormat } from './transcript-record.ts';
import { isTypedLine, typedLineReader } from './typed-lines.ts';

/** One kind of JSON Lines that can be read. */
export interface LineFormat {
  readonly id: TranscriptFormat;
  /** How many conversations a file has; `many` gives one `item` record for each itself. */
  readonly items: 'one' | 'many';
  reader(path: string, options: SourceOptions): Promise<FormatReader>;
}

/** A kind whose lines nothing else looks like. */
interface DistinctFormat extends LineFormat {
  recognises(value: JsonObject): boolean;
}

const piLines: DistinctFormat = {
  id: 'pi',
  items: 'one',
  recognises: isPiLine,
  reader: async (path, options) => piReader({ isOnPath: await newestPath(path, options) }),
};

/** Kinds of which one line tells, in the order in which they are asked. */
const distinctFormats: readonly DistinctFormat[] = [
  piLines,
  {
    id: 'typed-lines',
    items: 'one',
    recognises: isTypedLine,
    reader: async (path, options) => typedLineReader({ isOnPath: await newestPath(path, options) }),
  },
  {
    id: 'claude-code',
    items: 'one',
    recognises: isClaudeCodeLine,
    reader: async (path, options) => claudeCodeReader({ sideChain: await isSideChainFile(path, options) }),
  },
  ...conversationFormats.map((format): DistinctFormat => {
    const { id } = format;
    return {
      id,
      items: 'many',
      recognises: (value) => format.recognises(value),
      reader: async () => conversationReader(),
    };
  }),
];

const flatLines: LineFormat = { id: 'flat-lines', items: 'one', reader: async () => flatLineReader() };
const anthropicLines: LineFormat = { id: 'anthropic-messages', items: 'one', reader: async () => anthropicReader() };
const openAiLines: LineFormat = { id: 'openai-messages', items: 'one', reader: async () => openAiReader() };

/** The kind of a file with these lines at its beginning; `undefined` when nothing in them is known. */
export function lineFormatOf(lines: readonly JsonValue[]): LineFormat | undefined {
  const objects = lines.filter(isObject);
  const hasPiHeader = objects.some(isPiHeader);
  if (hasPiHeader && objects.some(isPiLine)) return piLines;
  for (const line of lines) {
    const distinct = isObject(line) ? distinctFormats.find((format) => format.recognises(line)) : undefined;
    if (distinct !== undefined) return distinct;
    if (isObject(line) && (isMessage(line) || isFlatToolLine(line))) return messageFormatOf(lines);
  }
  // A header alone: the file has no message yet, or none that is known.
  return hasPiHeader ? piLines : undefined;
}

/** True when more lines would not change what {@link lineFormatOf} says: a plain message may be of several kinds. */
export function isDecisive(line: JsonValue | undefined): boolean {
  if (!isObject(line)) return false;
  return (
    isFlatToolLine(line) || dialectOf([line]) !== null || distinctFormats.some((format) => format.recognises(line))
  );
}

/** Which kind a file is that has one message a line: the first line that only one kind has decides. */
function messageFormatOf(lines: readonly JsonValue[]): LineFormat {
  for (const line of lines) {
    if (isObject(line) && isFlatToolLine(line)) return flatLines;
    const dialect = dialectOf([line]);
    if (dialect !== null) return dialect === 'anthropic' ? anthropicLines : openAiLines;
  }
  const first = lines.find(isMessage);
  return isObject(first) && numberAt(first, 'timestamp') !== undefined ? flatLines : openAiLines;
}
