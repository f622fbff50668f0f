import { isUtf8 } from 'node:buffer';
import { open, readFile } from 'node:fs/promises';
import type { JsonValue } from '@varve/core';
import { conversationFormatOf, conversationsOf } from './conversation-formats.ts';
import { isDecisive, type LineFormat, lineFormatOf } from './formats.ts';
import { deepestNesting, isDeeperThan, isObject } from './json-guards.ts';
import { type SourceLine, type SourceOptions, sourceLines } from './source-lines.ts';
import { empty, reasonOf, throwIfAborted, tooLarge, unknownFormat, unreadable } from './transcript-errors.ts';
import type { TranscriptFormat } from './transcript-record.ts';

/** Largest file that is read as one JSON document, in bytes. */
const largestDocumentBytes = 100 * 1024 * 1024;

/** How much of the beginning may say nothing about the format, and how long a line of it may be. */
const head = { lines: 1000, bytes: 32 * 1024 * 1024, lineBytes: 16 * 1024 * 1024 } as const;

const byteOrderMarkBytes = 3;

/** The beginning of an object that is spread over lines. */
const spreadObject = /^\s*\{[ \t\r]*\n/;

/** What a file is: lines of one format, or one document with all its conversations. */
export type DetectedFormat =
  | { readonly layout: 'lines'; readonly format: LineFormat }
  | {
      readonly layout: 'document';
      readonly format: TranscriptFormat;
      readonly conversations: readonly JsonValue[];
      /** What is wrong with the document, which can be used all the same. */
      readonly damage: string | null;
    };

/**
 * Finds out what a file is from what stands in it.
 *
 * @throws VARVE_TRANSCRIPT_EMPTY when it holds nothing but white space.
 * @throws VARVE_TRANSCRIPT_TOO_LARGE when it is one document of more than 100 MB.
 * @throws VARVE_TRANSCRIPT_FORMAT when no format fits.
 */
export async function detectFormat(path: string, options: SourceOptions): Promise<DetectedFormat> {
  const beginning = await beginningOf(path);
  if (beginning.trimStart().startsWith('[')) return documentFormat(path, options);
  if (spreadObject.test(beginning)) checkSize(path, options);
  const lines = await headOf(path, options);
  const [first] = lines;
  if (first === undefined) throw empty(path, 'it is empty');
  const format = lineFormatOf(valuesOf(lines));
  // A document that is spread over lines may have one that looks like a message, so it is tried before them.
  if (first.value === undefined && beginning.trimStart().startsWith('{')) {
    if (options.size <= largestDocumentBytes) {
      const document = await readDocument(path, options);
      if (document.value !== undefined) return detectedDocument(path, document);
    } else if (format === undefined || isSpread(lines)) checkSize(path, options);
  }
  if (format === undefined) throw unknownFormat(path, whyUnknown(first, beginning));
  if (format.items === 'many' && isWholeFile(first, options)) return detectedDocument(path, first);
  return { layout: 'lines', format };
}

function valuesOf(lines: readonly SourceLine[]): JsonValue[] {
  return lines.flatMap(({ value }) => (value === undefined ? [] : [value]));
}

/** True when most lines are no objects: then they are pieces of one document, of which some look like a message. */
function isSpread(lines: readonly SourceLine[]): boolean {
  return valuesOf(lines).filter(isObject).length * 2 < lines.length;
}

/** True when nothing but the end of the line, and a byte order mark, can stand beside it. */
function isWholeFile({ bytes }: SourceLine, { size }: SourceOptions): boolean {
  return bytes + byteOrderMarkBytes + 2 >= size;
}

/** The first kilobytes as text, without a byte order mark. */
async function beginningOf(path: string): Promise<string> {
  try {
    await using file = await open(path);
    const { bytesRead, buffer } = await file.read({ buffer: Buffer.alloc(4096) });
    return buffer
      .subarray(0, bytesRead)
      .toString('utf8')
      .replace(/^\uFEFF/, '');
  } catch (cause) {
    throw unreadable(path, { reason: reasonOf(cause), cause });
  }
}

async function headOf(path: string, { size, signal }: SourceOptions): Promise<SourceLine[]> {
  const lines: SourceLine[] = [];
  let bytes = 0;
  for await (const batch of sourceLines(path, { size, signal, lineBytes: head.lineBytes })) {
    lines.push(...batch);
    bytes += batch.reduce((sum, line) => sum + line.bytes, 0);
    if (lines.length >= head.lines || bytes >= head.bytes || valuesOf(batch).some(isDecisive)) break;
  }
  return lines;
}

function checkSize(path: string, { size }: SourceOptions): void {
  if (size > largestDocumentBytes) throw tooLarge(path, { size, limit: largestDocumentBytes });
}

async function documentFormat(path: string, options: SourceOptions): Promise<DetectedFormat> {
  checkSize(path, options);
  return detectedDocument(path, await readDocument(path, options));
}

/** A file read as one JSON value; `undefined` when it is none. */
interface Document {
  readonly value: JsonValue | undefined;
  readonly damage: string | null;
}

async function readDocument(path: string, { size, signal }: SourceOptions): Promise<Document> {
  const bytes = await readFile(path, { signal }).catch((cause: unknown) => {
    throwIfAborted(signal);
    throw unreadable(path, { reason: reasonOf(cause), cause });
  });
  try {
    const text = bytes
      .subarray(0, size)
      .toString('utf8')
      .replace(/^\uFEFF/, '');
    const damage = isUtf8(bytes) ? null : 'not valid UTF-8; what cannot be read is shown as U+FFFD';
    return { value: JSON.parse(text), damage };
  } catch (error) {
    return { value: undefined, damage: reasonOf(error) };
  }
}

function detectedDocument(path: string, { value, damage }: Document): DetectedFormat {
  if (value === undefined) throw unknownFormat(path, `it is not JSON: ${damage}`);
  if (isDeeperThan(value, deepestNesting)) {
    throw unknownFormat(path, `it is nested deeper than ${deepestNesting} levels`);
  }
  const conversations = conversationsOf(value);
  const known = conversations?.find((conversation) => conversationFormatOf(conversation) !== undefined);
  const format = conversationFormatOf(known);
  if (conversations === null || format === undefined) {
    throw unknownFormat(path, 'it is one JSON document, but no list of messages');
  }
  return { layout: 'document', format: format.id, conversations, damage };
}

function whyUnknown({ line, value, damage }: SourceLine, beginning: string): string {
  if (beginning.includes('\0')) return 'it is binary, or text in another encoding than UTF-8';
  if (value === undefined) return `line ${line}: ${damage}`;
  return `line ${line} is JSON, but nothing at the beginning is a message that Varve knows`;
}
