import { type OpenFile, readAt } from './file-system.ts';
import { longestLine } from './journal-line.ts';

/** A line as it stands in the file. */
export interface Line {
  readonly offset: number;
  /** How many bytes it has, without the line feed. */
  readonly length: number;
  /** Its bytes without the line feed; none when it is too long to be a line of the store. */
  readonly bytes: Buffer;
  /** False for what follows the last line feed. */
  readonly isTerminated: boolean;
}

/** A stretch of a file. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
  /** How much is read first; each further read is twice as long, up to 1 MB. @default 64 KB */
  readonly firstChunk?: number;
}

/** Small enough for a session that ends a line away, large enough that most tails need few of them. */
const smallChunk = 65_536;

/** Twice as long would not be faster: scanning runs at memory speed. */
const largestChunk = 1_048_576;

const lineFeed = 10;
const noBytes = Buffer.alloc(0);

/**
 * Streams the lines of a range in order, as many at a time as one chunk holds. Empty lines are left out.
 * Memory is bounded by the longest line and 1 MB.
 */
export async function* readLines(file: OpenFile, range: ByteRange): AsyncGenerator<readonly Line[]> {
  let chunk = range.firstChunk ?? smallChunk;
  let position = range.from;
  const begun = new LineParts();
  let offset = position;
  while (position < range.to) {
    const buffer = await readAt(file, { position, length: Math.min(chunk, range.to - position) });
    if (buffer.length === 0) break;
    const lines: Line[] = [];
    let start = 0;
    for (let end = buffer.indexOf(lineFeed); end !== -1; end = buffer.indexOf(lineFeed, start)) {
      begun.push(buffer.subarray(start, end));
      if (begun.length > 0) lines.push({ offset, ...begun.take(), isTerminated: true });
      start = end + 1;
      offset = position + start;
    }
    if (start < buffer.length) begun.push(buffer.subarray(start));
    position += buffer.length;
    chunk = Math.min(chunk * 2, largestChunk);
    if (lines.length > 0) yield lines;
  }
  if (begun.length > 0) yield [{ offset, ...begun.take(), isTerminated: false }];
}

/** Streams the lines before `end`, the last one first; what follows the last line feed comes first of all. */
export async function* readLinesBackwards(file: OpenFile, end: number): AsyncGenerator<Line> {
  let chunk = smallChunk;
  let position = end;
  const begun = new LineParts();
  let isTerminated = false;
  while (position > 0) {
    const length = Math.min(chunk, position);
    position -= length;
    const buffer = await readAt(file, { position, length });
    let stop = buffer.length;
    for (let at = lastLineFeed(buffer, stop); at !== -1; at = lastLineFeed(buffer, stop)) {
      begun.unshift(buffer.subarray(at + 1, stop));
      if (begun.length > 0) yield { offset: position + at + 1, ...begun.take(), isTerminated };
      isTerminated = true;
      stop = at;
    }
    if (stop > 0) begun.unshift(buffer.subarray(0, stop));
    chunk = Math.min(chunk * 2, largestChunk);
  }
  if (begun.length > 0) yield { offset: 0, ...begun.take(), isTerminated };
}

/** Reads the line that begins at `offset`; `null` when none begins there before `end`. */
export async function readLineAt(
  file: OpenFile,
  place: { readonly offset: number; readonly end: number },
): Promise<Line | null> {
  const { offset, end } = place;
  if (offset < 0 || offset >= end) return null;
  if (offset > 0) {
    const before = await readAt(file, { position: offset - 1, length: 1 });
    if (before[0] !== lineFeed) return null;
  }
  for await (const lines of readLines(file, { from: offset, to: end })) {
    const line = lines[0];
    return line?.offset === offset ? line : null;
  }
  return null;
}

/** The pieces of one line, as chunks bring them; of a line that is too long, nothing but its length. */
class LineParts {
  length = 0;
  #parts: Buffer[] = [];

  push(part: Buffer): void {
    if (this.#counts(part)) this.#parts.push(part);
  }

  unshift(part: Buffer): void {
    if (this.#counts(part)) this.#parts.unshift(part);
  }

  /** The line so far; the next one begins. */
  take(): Pick<Line, 'length' | 'bytes'> {
    const { length } = this;
    const [first] = this.#parts;
    const isOnePart = this.#parts.length === 1 && first !== undefined;
    const bytes = isOnePart ? first : length > longestLine ? noBytes : Buffer.concat(this.#parts);
    this.length = 0;
    this.#parts = [];
    return { length, bytes };
  }

  #counts(part: Buffer): boolean {
    this.length += part.length;
    if (this.length > longestLine) this.#parts = [];
    return part.length > 0 && this.length <= longestLine;
  }
}

function lastLineFeed(buffer: Buffer, before: number): number {
  // A negative start would count from the end.
  return before === 0 ? -1 : buffer.lastIndexOf(lineFeed, before - 1);
}
