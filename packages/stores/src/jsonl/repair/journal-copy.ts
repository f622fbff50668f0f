import { type JournalHeader, type Seq, VarveError } from '@varve/core';
import type { Found, LostBytes } from '../damaged-line.ts';
import { fileNameOf } from '../file-names.ts';
import { appendTo, type OpenFile } from '../file-system.ts';
import { checkpointEnding, decodeLine, type EntryRecord, encodeHeader, type JournalRecord } from '../journal-line.ts';
import type { Line } from '../line-reader.ts';
import { byteOrderMark, splitLine } from '../record-reader.ts';
import { endsWithCarriageReturn, seal } from '../sealed-line.ts';
import { createSeqIndex } from '../seq-index.ts';
import { locateSeq } from '../seq-locator.ts';

/** So many bytes are gathered before they are written. */
const writeSize = 1_048_576;

const lineFeed = Buffer.from('\n');

/** How the line of an entry without a checkpoint ends. */
const entryEnding = /,"more":\d{1,16},"crc":"[0-9a-f]{8}"\}$/;

/** A record that is to be written, without its line feed. */
interface Pending {
  readonly record: EntryRecord;
  readonly bytes: Buffer;
}

/**
 * A journal that is written anew with what can be read of a damaged one: the header, then every entry once, in order, as
 * it stands there. What is left out is noted, so that it can be kept elsewhere.
 */
export class JournalCopy {
  /** Bytes of the old file that the new one does not have, in order. Line ends and a byte order mark are not told. */
  readonly lost: LostBytes[] = [];
  readonly #target: OpenFile;
  readonly #name: string;
  readonly #index = createSeqIndex();
  #buffers: Buffer[] = [];
  #buffered = 0;
  #end = 0;
  #lastSeq: Seq = 0;
  #hasHeader = false;
  #pending: Pending | null = null;
  /** Seqs that the old file has not shown yet, where it went on behind them: the first of each gap, and the seq behind. */
  readonly #gaps = new Map<Seq, Seq>();

  /** @param name  The name of the journal's file, without its ending. */
  constructor(target: OpenFile, name: string) {
    this.#target = target;
    this.#name = name;
  }

  /** Takes the next line of the old file. The header that is given counts where the first line is none. */
  async take(line: Line, { header }: { readonly header: JournalHeader }): Promise<void> {
    const plain = withoutMark(line);
    const { records, lost } = splitLine(plain, decodeLine);
    const left: LostBytes[] = [...lost];
    for (const found of records) {
      const bytes = bytesOf(plain, found);
      if (!this.#hasHeader) this.#writeHeader(this.#isHeader(found) ? bytes : encodeHeader(header).subarray(0, -1));
      else if (found.record.kind === 'header') left.push({ offset: found.offset, length: bytes.length });
      if (found.record.kind === 'header') {
        if (!this.#isHeader(found)) left.push({ offset: found.offset, length: bytes.length });
        continue;
      }
      const { seq } = found.record.entry;
      const behind = this.#gaps.get(seq);
      // It is nowhere else: taking one of the two away may take the one that belongs there.
      if (behind !== undefined) throw misplacedError(this.#name, { seq, behind });
      if (seq <= this.#lastSeq) left.push({ offset: found.offset, length: bytes.length });
      else await this.#push({ record: found.record, bytes });
    }
    this.lost.push(...left.sort((a, b) => a.offset - b.offset));
  }

  /** Writes what is left, and gives how long the new file is. */
  async finish({ header }: { readonly header: JournalHeader }): Promise<number> {
    if (!this.#hasHeader) this.#writeHeader(encodeHeader(header).subarray(0, -1));
    const last = this.#pending;
    this.#pending = null;
    // The rest of its append is lost. With nothing behind it, it would be taken for one that was not finished.
    if (last !== null)
      await this.#write(last.record.more === 0 ? last : { ...last, bytes: asLastOfAppend(last.bytes) });
    await this.#flush();
    return this.#end;
  }

  #isHeader({ record }: Found<JournalRecord>): boolean {
    return record.kind === 'header' && fileNameOf(record.header.sessionId) === this.#name;
  }

  #writeHeader(bytes: Buffer): void {
    this.#hasHeader = true;
    this.#add(bytes);
  }

  async #push(next: Pending): Promise<void> {
    const before = this.#pending;
    this.#pending = next;
    const { seq } = next.record.entry;
    if (seq > this.#lastSeq + 1) this.#gaps.set(this.#lastSeq + 1, seq);
    this.#lastSeq = seq;
    if (before !== null) await this.#write(before);
  }

  async #write({ record, bytes }: Pending): Promise<void> {
    const { checkpoint, keep, entry } = record;
    this.#index.note({ seq: entry.seq, offset: this.#end });
    this.#add(checkpoint === null || keep === 0 ? bytes : await this.#withKeep(bytes, checkpoint.visibleFromSeq));
    if (this.#buffered >= writeSize) await this.#flush();
  }

  /** The line of a checkpoint with the place that the entry has in the new file. */
  async #withKeep(bytes: Buffer, visibleFromSeq: Seq): Promise<Buffer> {
    await this.#flush();
    const search = { end: this.#end, index: this.#index, report: () => {} };
    const keep = await locateSeq(this.#target, visibleFromSeq, search);
    const at = bytes.lastIndexOf(checkpointEnding.marker);
    const isHinted = at !== -1 && checkpointEnding.pattern.test(bytes.toString('latin1', at));
    if (!isHinted) return bytes;
    return seal(`${bytes.toString('utf8', 0, at)},"keep":${keep === this.#end ? 0 : keep},"more":0`).subarray(0, -1);
  }

  #add(bytes: Buffer): void {
    this.#buffers.push(bytes, lineFeed);
    this.#buffered += bytes.length + 1;
    this.#end += bytes.length + 1;
  }

  async #flush(): Promise<void> {
    const buffers = this.#buffers;
    this.#buffers = [];
    this.#buffered = 0;
    if (buffers.length > 0) await appendTo(this.#target, buffers);
  }
}

function misplacedError(name: string, { seq, behind }: { readonly seq: Seq; readonly behind: Seq }): VarveError {
  return new VarveError(
    'VARVE_STORE_IO',
    `In the journal "${name}", the entry of seq ${seq} stands behind that of ${behind}.`,
    {
      fix: `Look which of them belongs to the session; take the line of seq ${behind} out where it does not, or move it. Nothing was changed.`,
      details: { seq, behind },
    },
  );
}

function withoutMark(line: Line): Line {
  const { offset, bytes, length } = line;
  const mark = byteOrderMark.length;
  if (offset > 0 || !bytes.subarray(0, mark).equals(byteOrderMark)) return line;
  return { ...line, offset: mark, bytes: bytes.subarray(mark), length: length - mark };
}

/** The bytes of a record to be kept: the line's own are lent. Without the carriage return that some programs put behind. */
function bytesOf(line: Line, { offset, end }: Found<JournalRecord>): Buffer {
  const bytes = line.bytes.subarray(offset - line.offset, end - line.offset);
  return Buffer.from(endsWithCarriageReturn(bytes) ? bytes.subarray(0, -1) : bytes);
}

function asLastOfAppend(bytes: Buffer): Buffer {
  const text = bytes.toString('utf8');
  return seal(`${text.replace(entryEnding, '')},"more":0`).subarray(0, -1);
}
