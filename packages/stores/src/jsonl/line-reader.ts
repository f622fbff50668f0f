import { type ReadableFile, readAt, readInto } from './file-system.ts';
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
  /** How much is read first; each further read is twice as long, up to 256 KB. @default 64 KB */
  readonly firstChunk?: number;
}

/** Small enough for a session that ends a line away, large enough that most tails need few of them. */
const smallChunk = 65_536;

/** Most lines are shorter: what is read to find one of them, or the last ones. */
const oneLine = 4_096;
const fewLines = 16_384;

/** Twice as long would not be faster: scanning runs at memory speed, and what a chunk holds is in memory at once. */
const largestChunk = 262_144;

const lineFeed = 10;
const noBytes = Buffer.alloc(0);

/**
 * Streams the lines of a range in order, as many at a time as one chunk holds. Empty lines are left out. The bytes of lines
 * are good until the next ones are asked for. Memory is bounded by the longest line and 256 KB.
 */
export async function* readLines(file: ReadableFile, range: ByteRange): AsyncGenerator<readonly Line[]> {
  let chunk = range.firstChunk ?? smallChunk;
  let position = range.from;
  let offset = position;
  const begun = new BegunLine();
  // Used again and again: what thousands of buffers hold is not let go of before many megabytes of them are there.
  let space = noBytes;
  while (position < range.to) {
    const length = Math.min(chunk, range.to - position);
    if (space.length < length) space = Buffer.allocUnsafeSlow(length);
    const buffer = await readInto(file, { position, space: space.subarray(0, length) });
    if (buffer.length === 0) break;
    const lines: Line[] = [];
    let start = 0;
    for (let end = buffer.indexOf(lineFeed); end !== -1; end = buffer.indexOf(lineFeed, start)) {
      const line = begun.end(buffer.subarray(start, end));
      if (line.length > 0) lines.push({ offset, ...line, isTerminated: true });
      start = end + 1;
      offset = position + start;
    }
    position += buffer.length;
    chunk = Math.min(chunk * 2, largestChunk);
    if (lines.length > 0) yield lines;
    // Behind the yield: it goes where the first of those lines may be.
    begun.add(buffer.subarray(start));
  }
  const line = begun.end(noBytes);
  if (line.length > 0) yield [{ offset, ...line, isTerminated: false }];
}

/** How much is read at a time of what is read backwards. */
export interface BackwardReads {
  /** Bytes of the first read. @default 16 KB */
  readonly chunk?: number;
  /** Reads are no longer than that before so many bytes are read; from there on each is twice as long, up to 256 KB. @default 0 */
  readonly sameFor?: number;
}

/**
 * Streams the lines before `end`, as many at a time as one chunk has the beginnings of, the last one first; what follows
 * the last line feed comes first of all. Empty lines are left out.
 */
export async function* readLinesBackwards(
  file: ReadableFile,
  end: number,
  { chunk: firstChunk = fewLines, sameFor = 0 }: BackwardReads = {},
): AsyncGenerator<readonly Line[]> {
  let chunk = firstChunk;
  let position = end;
  const begun = new LineParts();
  let isTerminated = false;
  while (position > 0) {
    const length = Math.min(chunk, position);
    position -= length;
    const buffer = await readAt(file, { position, length });
    const lines: Line[] = [];
    let stop = buffer.length;
    for (let at = lastLineFeed(buffer, stop); at !== -1; at = lastLineFeed(buffer, stop)) {
      begun.unshift(buffer.subarray(at + 1, stop));
      if (begun.length > 0) lines.push({ offset: position + at + 1, ...begun.take(), isTerminated });
      isTerminated = true;
      stop = at;
    }
    if (stop > 0) begun.unshift(buffer.subarray(0, stop));
    if (end - position >= sameFor) chunk = Math.min(chunk * 2, largestChunk);
    if (lines.length > 0) yield lines;
  }
  if (begun.length > 0) yield [{ offset: 0, ...begun.take(), isTerminated }];
}

/** Reads the line that begins at `offset`; `null` when none begins there before `end`. */
export async function readLineAt(
  file: ReadableFile,
  place: { readonly offset: number; readonly end: number },
): Promise<Line | null> {
  const { offset, end } = place;
  if (offset < 0 || offset >= end) return null;
  if (offset > 0) {
    const before = await readAt(file, { position: offset - 1, length: 1 });
    if (before[0] !== lineFeed) return null;
  }
  for await (const lines of readLines(file, { from: offset, to: end, firstChunk: oneLine })) {
    const line = lines[0];
    return line?.offset === offset ? line : null;
  }
  return null;
}

/**
 * A line that goes on in the next chunk; of one that is too long, nothing but its length. There is one place for all such
 * lines of a file.
 */
class BegunLine {
  #length = 0;
  #space: Buffer = noBytes;

  add(part: Buffer): void {
    const end = this.#length + part.length;
    if (part.length > 0 && end <= longestLine) {
      if (this.#space.length < end) {
        const larger = Buffer.allocUnsafeSlow(Math.min(longestLine, Math.max(end, 2 * this.#space.length)));
        this.#space.copy(larger, 0, 0, this.#length);
        this.#space = larger;
      }
      part.copy(this.#space, this.#length);
    }
    this.#length = end;
  }

  /** The line that ends with `part`; the next one begins. */
  end(part: Buffer): Pick<Line, 'length' | 'bytes'> {
    if (this.#length === 0) return { length: part.length, bytes: part };
    this.add(part);
    const length = this.#length;
    this.#length = 0;
    return { length, bytes: length > longestLine ? noBytes : this.#space.subarray(0, length) };
  }
}

/** The pieces of one line, as chunks that are read backwards bring them; of a line that is too long, its length alone. */
class LineParts {
  length = 0;
  #parts: Buffer[] = [];

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
