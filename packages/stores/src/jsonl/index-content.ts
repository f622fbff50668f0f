import type { SessionRecord } from '@varve/core';
import type { LostBytes } from './damaged-line.ts';
import { type FileFacts, type OpenFile, readAt } from './file-system.ts';
import { IdsByKey } from './ids-by-key.ts';
import { decodeIndexLine, encodeRecord, type HeaderLine, type RecordLine, tellingBytes } from './index-line.ts';
import { type Line, readLines } from './line-reader.ts';
import { RecordOrder } from './record-order.ts';
import { splitLine } from './record-reader.ts';

/** A file that took the place of an index. */
export interface NewIndex {
  readonly facts: FileFacts;
  /** Its first line, with the line feed. */
  readonly header: Buffer;
}

/** Told of a line that counts, and of the byte where its text ends. */
type OnTaken = (line: RecordLine, end: number) => void;

/** Shorter indexes are never rewritten for being mostly garbage. */
const smallIndex = 65_536;

/**
 * So many writes of a record are known beside the last: whoever wrote one looks in a moment whether it counts, and must
 * find it though others built on it and the file was rewritten.
 */
const rememberedWrites = 8;

/**
 * What the file of an index says. It is read again from where reading stopped when the file has grown, and anew when it
 * is another one.
 *
 * Of several lines for one session that with the highest revision counts, and of two with the same the first: that is
 * how writers who raced know which of them won.
 */
export class IndexContent {
  readonly #held = new Map<string, RecordLine>();
  readonly #idsByKey = new IdsByKey();
  readonly #order = new RecordOrder();
  /** Lines of newer versions, each with its line feed. */
  readonly newer: Buffer[] = [];
  /** Bytes that are no line of an index. */
  readonly lost: LostBytes[] = [];
  #facts: Pick<FileFacts, 'ino' | 'size' | 'mtimeMs'> | null = null;
  /** Its first bytes, by which it is told from others. */
  #beginning: Buffer = Buffer.alloc(0);
  /** Where the next line begins that has not been read. */
  #readTo = 0;
  #lines = 0;
  #header: HeaderLine | null = null;
  #lacksLineFeed = false;

  /** True when the file has not changed since it was read. */
  isOf({ ino, size, mtimeMs }: FileFacts): boolean {
    return this.#facts?.ino === ino && this.#facts.size === size && this.#facts.mtimeMs === mtimeMs;
  }

  /** True when the file is the one that was read, perhaps with something appended. */
  async isStartOf(file: OpenFile, { ino, size }: FileFacts): Promise<boolean> {
    if (this.#facts === null || this.#facts.ino !== ino || size < this.#facts.size) return false;
    return this.#beginning.equals(await readAt(file, { position: 0, length: this.#beginning.length }));
  }

  /** Bytes are lost, or the file has no beginning; then records may be missing too. */
  get isDamaged(): boolean {
    return this.lost.length > 0 || this.#header === null;
  }

  get lacksLineFeed(): boolean {
    return this.#lacksLineFeed;
  }

  /** The file ends in the middle of a line. Somebody may be writing the rest of it. */
  get isTorn(): boolean {
    return this.#lacksLineFeed && this.lost.some(({ offset }) => offset >= this.#readTo);
  }

  get size(): number {
    return this.#facts?.size ?? 0;
  }

  /** Most lines are those of older revisions. */
  get isMostlyGarbage(): boolean {
    return this.size > smallIndex && this.#lines > 2 * this.#held.size;
  }

  /** All records, last updated first. */
  get records(): readonly SessionRecord[] {
    return this.#order.of(() => [...this.#held.values()].map(({ record }) => record));
  }

  get(sessionId: string): SessionRecord | undefined {
    return this.#held.get(sessionId)?.record;
  }

  /** The records of a key, in no order. */
  ofKey(key: string): readonly SessionRecord[] {
    return this.#idsByKey.of(key).flatMap((sessionId) => this.get(sessionId) ?? []);
  }

  /** Whether the record that counts came with that write, or builds on what did. */
  isBy(sessionId: string, by: string): boolean {
    const held = this.#held.get(sessionId);
    return held !== undefined && (held.by === by || held.after.includes(by));
  }

  /** Takes a line in. False when another one counts. */
  apply(line: RecordLine): boolean {
    const { sessionId, rev } = line.record;
    const held = this.#held.get(sessionId);
    if (held !== undefined && held.record.rev >= rev) return false;
    this.#held.set(
      sessionId,
      held === undefined ? line : { ...line, after: [...held.after, held.by].slice(-rememberedWrites) },
    );
    this.#note(sessionId, held?.record, line.record);
    return true;
  }

  /** Forgets a record, as if there had been none. */
  remove(sessionId: string): void {
    this.#note(sessionId, this.get(sessionId), undefined);
    this.#held.delete(sessionId);
  }

  #note(sessionId: string, before: SessionRecord | undefined, after: SessionRecord | undefined): void {
    this.#idsByKey.move(sessionId, { from: before?.key, to: after?.key });
    this.#order.replace(before, after);
  }

  /** What a file that takes the place of this one says of it. */
  get replaced(): HeaderLine['replaces'] {
    return this.#header === null ? null : { file: this.#header.file, bytes: this.size };
  }

  /** Whether this file was made of an earlier one up to that byte, at least. */
  isMadeOf(earlier: IndexContent, end: number): boolean {
    const { file, bytes } = this.#header?.replaces ?? { file: null, bytes: 0 };
    return file !== null && file === earlier.#header?.file && end <= bytes;
  }

  /**
   * Reads what was not read yet.
   *
   * @param onTaken  Told of each line that counts when it is read, and where it ends.
   */
  async read(file: OpenFile, facts: FileFacts, onTaken?: OnTaken): Promise<void> {
    // Lost bytes behind the last line feed may have been a line that was being written.
    const at = this.lost.findIndex(({ offset }) => offset >= this.#readTo);
    if (at !== -1) this.lost.splice(at);
    this.#lacksLineFeed = false;
    this.#beginning = await readAt(file, { position: 0, length: Math.min(tellingBytes, facts.size) });
    for await (const lines of readLines(file, { from: this.#readTo, to: facts.size })) {
      for (const line of lines) this.#take(line, onTaken);
    }
    this.#facts = { ino: facts.ino, size: facts.size, mtimeMs: facts.mtimeMs };
  }

  /** Takes over what was appended, and what the file is then. */
  appended(lines: readonly RecordLine[], facts: FileFacts): void {
    for (const line of lines) this.apply(line);
    this.#lines += lines.length;
    this.#readTo = facts.size;
    this.#lacksLineFeed = false;
    this.#facts = { ino: facts.ino, size: facts.size, mtimeMs: facts.mtimeMs };
  }

  /** Takes over that a new file stands in the place of the old one, with nothing but {@link lines}. */
  rewritten({ facts, header }: NewIndex): void {
    this.#beginning = header.subarray(0, tellingBytes);
    const line = decodeIndexLine(header.subarray(0, -1));
    this.#header = line?.kind === 'header' ? line : null;
    this.lost.splice(0);
    this.#lines = this.#held.size;
    this.#lacksLineFeed = false;
    this.#readTo = facts.size;
    this.#facts = { ino: facts.ino, size: facts.size, mtimeMs: facts.mtimeMs };
  }

  /** The lines of a new file: those that count, and those of newer versions. */
  *lines(): Iterable<Buffer> {
    for (const held of this.#held.values()) yield encodeRecord(held);
    yield* this.newer;
  }

  #take(line: Line, onTaken: OnTaken | undefined): void {
    const { records, lost } = splitLine(line, decodeIndexLine);
    for (const { offset, end, record: found } of records) {
      if (found.kind === 'header') this.#header ??= found;
      else if (found.kind === 'newer') this.#keep(line.bytes.subarray(offset - line.offset, end - line.offset));
      else {
        this.#lines += 1;
        if (this.apply(found)) onTaken?.(found, end);
      }
    }
    this.lost.push(...lost);
    if (line.isTerminated) this.#readTo = line.offset + line.length + 1;
    else this.#lacksLineFeed = true;
  }

  #keep(bytes: Buffer): void {
    const line = Buffer.concat([bytes, Buffer.from('\n')]);
    if (!this.newer.some((known) => known.equals(line))) this.newer.push(line);
  }
}
