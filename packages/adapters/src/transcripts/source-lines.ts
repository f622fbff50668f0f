import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import type { JsonValue } from '@varve/core';
import { deepestNesting, isDeeperThan } from './json-guards.ts';
import { reasonOf, throwIfAborted, unreadable } from './transcript-errors.ts';

/** Longest line that is read, in bytes. A longer one is passed over without being held. */
const longestLineBytes = 100 * 1024 * 1024;

/** How far reading has come. */
export interface ReadProgress {
  readonly read: number;
  readonly total: number;
}

/** What a line source needs to know. */
export interface SourceOptions {
  /** Bytes to read: what is appended later is left alone. */
  readonly size: number;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: ReadProgress) => void) | undefined;
  /** Longest line that is held, in bytes. @default 100 MB */
  readonly lineBytes?: number | undefined;
}

/** One line that is not blank. */
export interface SourceLine {
  readonly line: number;
  /** Its length in the file. */
  readonly bytes: number;
  /** The JSON value of the line; `undefined` when it has none. */
  readonly value: JsonValue | undefined;
  /** What is wrong with the line. With a value: it can be used all the same. */
  readonly damage: string | null;
}

/** A line as it was cut out of the file; no bytes when it was too long to be held. */
interface RawLine {
  readonly line: number;
  readonly bytes: Buffer | null;
  readonly length: number;
  /** False for a last line without an end. */
  readonly ended: boolean;
}

const newline = 10;
const byteOrderMark = '\uFEFF';

/**
 * Reads a file as JSON Lines, and gives what each piece of the file completes: one `await` for many short lines, and
 * never more in memory than one long one. Blank lines are counted and left out.
 *
 * @throws VARVE_TRANSCRIPT_UNREADABLE when the disk refuses.
 * @throws VARVE_ABORTED when the signal is aborted.
 */
export async function* sourceLines(
  path: string,
  { size, signal, onProgress, lineBytes = longestLineBytes }: SourceOptions,
): AsyncGenerator<readonly SourceLine[], void, undefined> {
  const cutter = lineCutter(lineBytes);
  let read = 0;
  throwIfAborted(signal);
  for await (const chunk of chunksOf(path, size)) {
    throwIfAborted(signal);
    const lines = parsed(cutter.cut(chunk));
    if (lines.length > 0) yield lines;
    read += chunk.length;
    onProgress?.({ read, total: size });
  }
  yield parsed(cutter.end());
}

function parsed(raw: readonly RawLine[]): SourceLine[] {
  return raw.map(parseLine).filter((line) => line !== null);
}

async function* chunksOf(path: string, size: number): AsyncGenerator<Buffer, void, undefined> {
  try {
    // Larger chunks are no faster, and complete more lines at once than a small heap can hold.
    const stream: AsyncIterable<Buffer> = createReadStream(path, { end: size - 1, highWaterMark: 64 * 1024 });
    yield* stream;
  } catch (cause) {
    throw unreadable(path, { reason: reasonOf(cause), cause });
  }
}

/** Cuts chunks into lines; holds what has no end yet. */
function lineCutter(longest: number): { cut(chunk: Buffer): RawLine[]; end(): RawLine[] } {
  let pieces: Buffer[] = [];
  let length = 0;
  let line = 0;
  const hold = (piece: Buffer): void => {
    length += piece.length;
    if (length > longest) pieces = [];
    else pieces.push(piece);
  };
  const release = (ended: boolean): RawLine => {
    line += 1;
    const bytes = length > longest ? null : pieces.length === 1 ? (pieces[0] ?? null) : Buffer.concat(pieces);
    const raw = { line, bytes, length, ended };
    pieces = [];
    length = 0;
    return raw;
  };
  return {
    cut(chunk) {
      const lines: RawLine[] = [];
      let start = 0;
      for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
        hold(chunk.subarray(start, end));
        lines.push(release(true));
        start = end + 1;
      }
      if (start < chunk.length) hold(chunk.subarray(start));
      return lines;
    },
    end: () => (length > 0 ? [release(false)] : []),
  };
}

function parseLine({ line, bytes, length, ended }: RawLine): SourceLine | null {
  const source = { line, bytes: length };
  if (bytes === null)
    return { ...source, value: undefined, damage: `the line has ${length} bytes: too long to be read` };
  const text = textOf(bytes, line);
  if (text.trim() === '') return null;
  try {
    const value: JsonValue = JSON.parse(text);
    if (isDeeperThan(value, deepestNesting)) {
      return { ...source, value: undefined, damage: `the line is nested deeper than ${deepestNesting} levels` };
    }
    return {
      ...source,
      value,
      damage: isUtf8(bytes) ? null : 'not valid UTF-8; what cannot be read is shown as U+FFFD',
    };
  } catch (error) {
    const what = ended ? 'the line is not JSON' : 'the file ends inside this line';
    return { ...source, value: undefined, damage: `${what}: ${reasonOf(error)}` };
  }
}

function textOf(bytes: Buffer, line: number): string {
  const text = bytes.toString('utf8');
  return line === 1 && text.startsWith(byteOrderMark) ? text.slice(1) : text;
}
