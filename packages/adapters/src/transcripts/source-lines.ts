import { isUtf8 } from 'node:buffer';
import { open } from 'node:fs/promises';
import type { JsonValue } from '@varve/core';
import { deepestNesting, isDeeperThan } from './json-guards.ts';
import { reasonOf, throwIfAborted, unreadable } from './transcript-errors.ts';

/** Longest line that is read, in bytes. A longer one is passed over without being held. */
export const longestLineBytes: number = 100 * 1024 * 1024;

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
  /** Longest line that is held, in bytes. @default longestLineBytes */
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

/** How much is read at once. */
const pieceBytes = 64 * 1024;

/** How large a buffer for long lines may be and still be kept for the next one. */
const keptBytes = 32 * 1024 * 1024;

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
  for await (const piece of piecesOf(path, size)) {
    throwIfAborted(signal);
    const lines = parsed(cutter.cut(piece));
    if (lines.length > 0) yield lines;
    read += piece.length;
    onProgress?.({ read, total: size });
  }
  yield parsed(cutter.end());
}

function parsed(raw: readonly RawLine[]): SourceLine[] {
  return raw.map(parseLine).filter((line) => line !== null);
}

/** The bytes of a file, piece by piece. Each piece is overwritten by the next. */
async function* piecesOf(path: string, size: number): AsyncGenerator<Buffer, void, undefined> {
  try {
    await using file = await open(path);
    const piece = Buffer.allocUnsafe(pieceBytes);
    for (let position = 0; position < size; ) {
      const { bytesRead } = await file.read(piece, 0, Math.min(pieceBytes, size - position), position);
      if (bytesRead === 0) return;
      yield piece.subarray(0, bytesRead);
      position += bytesRead;
    }
  } catch (cause) {
    throw unreadable(path, { reason: reasonOf(cause), cause });
  }
}

/** Cuts pieces into lines, and holds what has no end yet. A line is good until the next call. */
function lineCutter(longest: number): { cut(piece: Buffer): RawLine[]; end(): RawLine[] } {
  const held = heldBytes(longest);
  let line = 0;
  const release = (rest: Buffer, ended: boolean): RawLine => {
    line += 1;
    if (held.length() === 0) return { line, bytes: rest, length: rest.length, ended };
    held.add(rest);
    return { line, ended, length: held.length(), bytes: held.take() };
  };
  return {
    cut(piece) {
      const lines: RawLine[] = [];
      let start = 0;
      for (let end = piece.indexOf(newline); end !== -1; end = piece.indexOf(newline, start)) {
        lines.push(release(piece.subarray(start, end), true));
        start = end + 1;
      }
      held.add(piece.subarray(start));
      return lines;
    },
    end: () => (held.length() > 0 ? [release(Buffer.alloc(0), false)] : []),
  };
}

/** A buffer that grows to the longest line and is used again for the next, so that long lines leave no garbage. */
function heldBytes(longest: number): { add(bytes: Buffer): void; length(): number; take(): Buffer | null } {
  let buffer = Buffer.alloc(0);
  let length = 0;
  return {
    add(bytes) {
      const end = length + bytes.length;
      if (end <= longest) {
        if (end > buffer.length) buffer = Buffer.concat([buffer.subarray(0, length)], Math.min(longest, end * 2));
        bytes.copy(buffer, length);
      }
      length = end;
    },
    length: () => length,
    take() {
      const taken = length > longest ? null : buffer.subarray(0, length);
      length = 0;
      if (buffer.length > keptBytes) buffer = Buffer.alloc(0);
      return taken;
    },
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
