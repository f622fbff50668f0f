import type { Seq } from '@varve/core';
import { fileNameOf } from './file-names.ts';
import { type FileSystem, type OpenFile, openFlags, readAt } from './file-system.ts';
import { findEnd, type JournalEnd } from './journal-end.ts';
import { decodeLine, type EntryRecord, type JournalRecord } from './journal-line.ts';
import { type Line, readLineAt, readLines } from './line-reader.ts';
import { byteOrderMark, splitLine } from './record-reader.ts';
import { endsWithCarriageReturn } from './sealed-line.ts';
import { type FindingCode, type FindingPlace, finding, type StoreFinding } from './store-finding.ts';

/** What was looked at in a journal. */
export interface ExaminedJournal {
  readonly findings: readonly StoreFinding[];
  /** As the header says; `null` when it does not. */
  readonly sessionId: string | null;
  readonly lastSeq: Seq;
  readonly entries: number;
  readonly bytes: number;
}

/** Places of one kind in a journal, told in one finding: a file may be damaged in a thousand places. */
interface Places {
  count: number;
  bytes: number;
  readonly first: string;
}

/** Reads a journal from end to end, in bounded memory, and says what is not as it should be. Takes no lock. */
export async function examineJournal(
  fileSystem: Pick<FileSystem, 'open' | 'fstatSync'>,
  journal: FindingPlace & { readonly name: string; readonly isBeingWritten: boolean },
): Promise<ExaminedJournal> {
  const { name, isBeingWritten, ...place } = journal;
  const opened = await fileSystem.open(journal.file, openFlags.read);
  try {
    const { size } = fileSystem.fstatSync(opened.fd);
    const examination = new JournalExamination(opened, name);
    const found = await findEnd(opened, size);
    await examination.read(found.end);
    // The last append of a writer who is at work may be half there.
    if (!isBeingWritten) await examination.lookBehind(found, size);
    return { ...examination.result(place, size), lastSeq: found.lastSeq, bytes: size };
  } finally {
    await opened.close();
  }
}

class JournalExamination {
  readonly #file: OpenFile;
  readonly #name: string;
  readonly #places = new Map<FindingCode, Places>();
  #sessionId: string | null = null;
  #hasHeader = false;
  #isHeaderDamaged = false;
  #entries = 0;
  #lineNumber = 0;
  #nextOffset = 0;
  #lastSeq: Seq = 0;
  #lostSince = false;
  #end = 0;

  constructor(file: OpenFile, name: string) {
    this.#file = file;
    this.#name = name;
  }

  async read(end: number): Promise<void> {
    this.#end = end;
    for await (const lines of readLines(this.#file, { from: 0, to: end })) {
      for (const line of lines) await this.#lookAt(line);
    }
    if (end > this.#nextOffset) this.#note('lines-empty', { bytes: end - this.#nextOffset });
  }

  async lookBehind({ end, lacksLineFeed }: JournalEnd, size: number): Promise<void> {
    if (lacksLineFeed && size === end) this.#note('line-feed-missing', { bytes: 0 });
    if (size === end) return;
    const behind = await readAt(this.#file, { position: end, length: Math.min(size - end, 65_536) });
    const what = behind.every((byte) => byte === 0) ? 'zeros' : 'the last append was not finished';
    this.#note('append-torn', { bytes: size - end, where: `behind byte ${end}: ${what}` });
  }

  result(place: FindingPlace, size: number): Pick<ExaminedJournal, 'findings' | 'sessionId' | 'entries'> {
    if (size === 0) this.#note('journal-empty', { bytes: 0, where: 'the file has 0 bytes' });
    else if (!this.#hasHeader) this.#note(this.#isHeaderDamaged ? 'header-damaged' : 'header-missing', { bytes: 0 });
    const findings = [...this.#places].map(([code, { count, bytes, first }]) =>
      finding(code, {
        ...place,
        text: `${sentences[code] ?? code} (${count === 1 ? '' : `${count} times, first `}${first}).`,
        bytes,
      }),
    );
    return { findings, sessionId: this.#sessionId, entries: this.#entries };
  }

  async #lookAt(line: Line): Promise<void> {
    if (line.offset > this.#nextOffset) this.#note('lines-empty', { bytes: line.offset - this.#nextOffset });
    this.#lineNumber += 1;
    this.#nextOffset = line.offset + line.length + 1;
    const plain = this.#withoutMarks(line);
    const { records, lost } = splitLine(plain, decodeLine);
    if (records.length > 1 || (records.length > 0 && lost.length > 0))
      this.#note('lines-glued', { bytes: line.length });
    for (const { offset, length } of lost) {
      const start = offset - plain.offset;
      this.#noteLost({
        offset,
        length,
        bytes: plain.bytes.subarray(start, start + length),
        isAlone: records.length === 0,
      });
    }
    for (const { record } of records) await this.#count(record);
  }

  #withoutMarks(line: Line): Line {
    const { offset, bytes, length } = line;
    if (endsWithCarriageReturn(bytes)) this.#note('lines-foreign-ends', { bytes: 1 });
    if (offset > 0 || !bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark)) return line;
    this.#note('mark-foreign', { bytes: byteOrderMark.length });
    const mark = byteOrderMark.length;
    return { ...line, offset: mark, bytes: bytes.subarray(mark), length: length - mark };
  }

  #noteLost(lost: {
    readonly offset: number;
    readonly length: number;
    readonly bytes: Buffer;
    readonly isAlone: boolean;
  }): void {
    const { offset, length, bytes, isAlone } = lost;
    this.#lostSince = true;
    const isFirst = this.#lineNumber === 1;
    if (isFirst) this.#isHeaderDamaged = true;
    const code = isFirst ? 'header-damaged' : isAlone && isObject(bytes) ? 'line-foreign' : 'line-damaged';
    this.#note(code, { bytes: length, where: `in line ${this.#lineNumber}, at byte ${offset}` });
  }

  async #count(record: JournalRecord): Promise<void> {
    if (record.kind === 'header') {
      if (fileNameOf(record.header.sessionId) !== this.#name) {
        this.#isHeaderDamaged = true;
        return;
      }
      this.#hasHeader = true;
      this.#sessionId = record.header.sessionId;
      return;
    }
    const { entry, checkpoint } = record;
    this.#entries += 1;
    if (Number(entry.v) > 1) this.#note('entry-newer', { bytes: 0 });
    if (entry.seq <= this.#lastSeq) return this.#note('entry-duplicate', { bytes: 0, where: `seq ${entry.seq}` });
    // Where bytes were lost between the two, those have been told.
    if (entry.seq > this.#lastSeq + 1 && !this.#lostSince) {
      this.#note('entry-missing', { bytes: 0, where: `before seq ${entry.seq}, in line ${this.#lineNumber}` });
    }
    this.#lostSince = false;
    this.#lastSeq = entry.seq;
    if (checkpoint !== null && record.keep > 0) await this.#checkKeep(record, checkpoint.visibleFromSeq);
  }

  async #checkKeep({ keep }: EntryRecord, visibleFromSeq: Seq): Promise<void> {
    const line = await readLineAt(this.#file, { offset: keep, end: this.#end });
    const record = line === null ? null : decodeLine(line.bytes);
    if (record?.kind === 'entry' && record.entry.seq === visibleFromSeq) return;
    this.#note('keep-wrong', {
      bytes: 0,
      where: `in line ${this.#lineNumber}: seq ${visibleFromSeq} is not at byte ${keep}`,
    });
  }

  #note(code: FindingCode, { bytes, where }: { readonly bytes: number; readonly where?: string }): void {
    const known = this.#places.get(code);
    if (known === undefined) {
      this.#places.set(code, { count: 1, bytes, first: where ?? `in line ${Math.max(1, this.#lineNumber)}` });
      return;
    }
    known.count += 1;
    known.bytes += bytes;
  }
}

const sentences: Partial<Readonly<Record<FindingCode, string>>> = {
  'append-torn': 'Bytes at the end are no entry',
  'entry-duplicate': 'An entry has the seq of one before it',
  'entry-missing': 'Entries are missing',
  'entry-newer': 'An entry is of a newer version',
  'header-damaged': 'The first line is not the header of this session',
  'header-missing': 'There is no header',
  'journal-empty': 'Nothing is left of this journal',
  'keep-wrong': 'The hint of a checkpoint points elsewhere',
  'line-damaged': 'Bytes are no entry and were skipped',
  'line-feed-missing': 'The last line is not ended',
  'line-foreign': 'A line is JSON of another program',
  'lines-empty': 'There are empty lines',
  'lines-foreign-ends': 'Lines end with a carriage return',
  'lines-glued': 'Several entries, or something beside one, stand on one line',
  'mark-foreign': 'The file begins with a byte order mark',
};

function isObject(bytes: Buffer): boolean {
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'));
    // What has a checksum was a line of ours, and is not what it was.
    return typeof value === 'object' && value !== null && !('crc' in value);
  } catch {
    return false;
  }
}
