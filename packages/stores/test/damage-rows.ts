import { chmod, mkdir, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { RepairEvent } from '@varve/stores/jsonl';

/** Where the files are that a row damages. */
export interface DamagedPlace {
  readonly root: string;
  readonly file: string;
}

/** One way to damage a journal, and all that comes of it. */
export interface DamageRow {
  readonly name: string;
  /** What becomes of the bytes, line by line; the first is the header, the next ten are messages. */
  readonly change?: (bytes: Buffer, lines: readonly string[]) => Buffer | string;
  /** What becomes of the file itself. */
  readonly tamper?: (place: DamagedPlace) => Promise<void>;
  /** Why the row proves nothing here. */
  readonly skip?: string | undefined;
  /** Seqs that are read; the code of an error where none can be. */
  readonly reads: string;
  /** Where the tail begins: at the checkpoint, which names seq 4, or at the beginning. */
  readonly tailFrom: number | null;
  /** What `onRepair` is told, by a reader and the writer after it. */
  readonly told: readonly RepairEvent['kind'][];
  /** What `examineStore` finds. */
  readonly found: readonly string[];
  /** Where the bytes are afterwards that cannot be read. */
  readonly kept: 'in place' | 'in quarantine' | 'nothing was left';
  /** What an append of one message gives, and what is read then. */
  readonly appended: string;
}

/** Ends a line, given up to its checksum, with a right one. */
function seal(line: string): string {
  return `${line}"crc":"${crc32(line).toString(16).padStart(8, '0')}"}`;
}

/** The line with one change, and a checksum that fits. */
function resealed(line: string, change: (text: string) => string): string {
  return seal(change(line.slice(0, line.lastIndexOf('"crc":'))));
}

function joined(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** Bytes with one bit changed in the line with that index. */
function flipped(bytes: Buffer, lines: readonly string[], index: number): Buffer {
  const at = Buffer.byteLength(joined(lines.slice(0, index))) + 40;
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
}

const isRoot = process.getuid?.() === 0;

/** Every kind of damage that a journal of ten messages is held against. Line n holds message n - 1. */
export const damageRows: readonly DamageRow[] = [
  {
    name: 'not damaged',
    change: (bytes) => bytes,
    ...{ reads: '1-10', tailFrom: 4, told: [], found: [] },
    ...{ kept: 'in place', appended: '11: 1-11' },
  },
  {
    name: 'R-13 cut to 0 bytes, then one message comes',
    change: () => '',
    ...{ reads: '', tailFrom: null, told: ['empty-file'], found: ['counters-ahead', 'journal-empty'] },
    ...{ kept: 'nothing was left', appended: '1: 1' },
  },
  {
    name: 'R-13 cut in half, then one message comes',
    change: (bytes) => bytes.subarray(0, bytes.length / 2),
    ...{ reads: '1-5', tailFrom: null, told: ['torn-tail'], found: ['append-torn', 'counters-ahead'] },
    ...{ kept: 'in quarantine', appended: '6: 1-6' },
  },
  {
    name: 'R-14 line 9 of 11 cut to 30 characters',
    change: (_bytes, lines) => joined(lines.with(8, lines[8]?.slice(0, 30) ?? '')),
    ...{ reads: '1-7 9-10', tailFrom: 4, told: ['bad-line'], found: ['line-damaged'] },
    ...{ kept: 'in place', appended: '11: 1-7 9-11' },
  },
  {
    name: 'R-15 torn tail without line feed, then another writer appends',
    change: (bytes) => bytes.subarray(0, -20),
    ...{ reads: '1-7', tailFrom: 4, told: ['torn-tail'], found: ['append-torn', 'counters-ahead'] },
    ...{ kept: 'in quarantine', appended: '8: 1-8' },
  },
  {
    name: 'R-15 torn tail, and a program without a lock appended a line to it',
    change: (bytes, lines) =>
      `${bytes.subarray(0, -40)}${resealed(lines[10] ?? '', (line) => line.replace('"seq":10', '"seq":11'))}\n`,
    ...{
      reads: '1-9 11',
      tailFrom: 4,
      told: ['glued-lines', 'bad-line'],
      found: ['counters-behind', 'line-damaged', 'lines-glued'],
    },
    ...{ kept: 'in place', appended: '12: 1-9 11-12' },
  },
  {
    name: 'R-15b a bit of the header changed',
    change: (bytes, lines) => flipped(bytes, lines, 0),
    ...{ reads: '1-10', tailFrom: 4, told: ['bad-header'], found: ['header-damaged'] },
    ...{ kept: 'in place', appended: '11: 1-11' },
  },
  {
    name: 'R-15b the header removed',
    change: (_bytes, lines) => joined(lines.slice(1)),
    ...{ reads: '1-10', tailFrom: 4, told: ['bad-header'], found: ['header-missing', 'keep-wrong'] },
    ...{ kept: 'in place', appended: '11: 1-11' },
  },
  {
    name: 'the header of another session',
    change: (_bytes, lines) =>
      joined(
        lines.with(
          0,
          resealed(lines[0] ?? '', (line) => line.replace('"one"', '"two"')),
        ),
      ),
    ...{ reads: '1-10', tailFrom: 4, told: ['bad-header'], found: ['header-damaged'] },
    ...{ kept: 'in place', appended: '11: 1-11' },
  },
  {
    name: 'lines glued, }{',
    change: (_bytes, lines) => joined([...lines.slice(0, 3), lines.slice(3, 6).join(''), ...lines.slice(6)]),
    ...{ reads: '1-10', tailFrom: 4, told: ['glued-lines'], found: ['keep-wrong', 'lines-glued'] },
    ...{ kept: 'in place', appended: '11: 1-11' },
  },
  {
    name: 'a bit changed in a middle line',
    change: (bytes, lines) => flipped(bytes, lines, 3),
    ...{ reads: '1-2 4-10', tailFrom: 4, told: ['bad-line'], found: ['line-damaged'] },
    ...{ kept: 'in place', appended: '11: 1-2 4-11' },
  },
  {
    name: 'a bit changed in the line of the checkpoint',
    change: (bytes, lines) => flipped(bytes, lines, 6),
    ...{ reads: '1-5 7-10', tailFrom: null, told: ['bad-line'], found: ['line-damaged'] },
    ...{ kept: 'in place', appended: '11: 1-5 7-11' },
  },
  {
    name: 'a bit changed in the last line',
    change: (bytes, lines) => flipped(bytes, lines, 10),
    ...{ reads: '1-9', tailFrom: 4, told: ['bad-line'], found: ['counters-ahead', 'line-damaged'] },
    ...{ kept: 'in place', appended: '10: 1-10' },
  },
  {
    name: 'a keep hint that points elsewhere',
    change: (_bytes, lines) =>
      joined(
        lines.with(
          6,
          resealed(lines[6] ?? '', (line) => line.replace(/"keep":\d+/, '"keep":123')),
        ),
      ),
    ...{ reads: '1-10', tailFrom: 4, told: [], found: ['keep-wrong'] },
    ...{ kept: 'in place', appended: '11: 1-11' },
  },
  {
    name: 'the last append torn between its lines',
    change: (_bytes, lines) => joined(lines.slice(0, 10)),
    ...{ reads: '1-7', tailFrom: 4, told: ['torn-tail'], found: ['append-torn', 'counters-ahead'] },
    ...{ kept: 'in quarantine', appended: '8: 1-8' },
  },
  {
    name: 'the last line not ended',
    change: (bytes) => bytes.subarray(0, -1),
    ...{ reads: '1-10', tailFrom: 4, told: ['missing-line-feed'], found: ['line-feed-missing'] },
    ...{ kept: 'in place', appended: '11: 1-11' },
  },
  {
    name: 'a tail of zeros, as after a loss of power',
    change: (bytes) => Buffer.concat([bytes, Buffer.alloc(5_000)]),
    ...{ reads: '1-10', tailFrom: 4, told: ['torn-tail'], found: ['append-torn'] },
    ...{ kept: 'in quarantine', appended: '11: 1-11' },
  },
  {
    name: 'the last append zeros, as after a loss of power',
    change: (bytes, lines) => {
      const { length } = Buffer.from(joined(lines.slice(8)));
      return Buffer.concat([bytes.subarray(0, -length), Buffer.alloc(length)]);
    },
    ...{ reads: '1-7', tailFrom: 4, told: ['torn-tail'], found: ['append-torn', 'counters-ahead'] },
    ...{ kept: 'in quarantine', appended: '8: 1-8' },
  },
  {
    name: 'line ends of another system, CR LF',
    change: (_bytes, lines) => joined(lines.map((line) => `${line}\r`)),
    ...{ reads: '1-10', tailFrom: 4, told: ['carriage-return'], found: ['keep-wrong', 'lines-foreign-ends'] },
    ...{ kept: 'in place', appended: '11: 1-11' },
  },
  {
    name: 'a byte order mark',
    change: (bytes) => `\ufeff${bytes}`,
    ...{ reads: '1-10', tailFrom: 4, told: ['byte-order-mark'], found: ['keep-wrong', 'mark-foreign'] },
    ...{ kept: 'in place', appended: '11: 1-11' },
  },
  {
    name: 'empty lines',
    change: (_bytes, lines) => joined(lines.flatMap((line) => [line, ''])),
    ...{ reads: '1-10', tailFrom: 4, told: [], found: ['keep-wrong', 'lines-empty'] },
    ...{ kept: 'in place', appended: '11: 1-11' },
  },
  {
    name: 'a line of another program inside',
    change: (_bytes, lines) => joined(lines.toSpliced(8, 0, '{"level":"info","msg":"hello"}')),
    ...{ reads: '1-10', tailFrom: 4, told: ['bad-line'], found: ['line-foreign'] },
    ...{ kept: 'in place', appended: '11: 1-11' },
  },
  {
    name: 'a line of another program at the end',
    change: (bytes) => `${bytes}{"level":"info","msg":"hello"}\n`,
    ...{ reads: '1-10', tailFrom: 4, told: ['bad-line'], found: ['line-foreign'] },
    ...{ kept: 'in place', appended: '11: 1-11' },
  },
  {
    name: 'an entry of a newer version, v: 2',
    change: (_bytes, lines) =>
      joined(
        lines.with(
          8,
          resealed(lines[8] ?? '', (line) => line.replace('"v":1', '"v":2')),
        ),
      ),
    ...{ reads: '1-10', tailFrom: 4, told: [], found: ['entry-newer'] },
    ...{ kept: 'in place', appended: '11: 1-11' },
  },
  {
    name: 'a line that stands there twice',
    change: (_bytes, lines) => joined(lines.toSpliced(8, 0, lines[7] ?? '')),
    ...{ reads: '1-10', tailFrom: 4, told: ['duplicate-entry'], found: ['entry-duplicate'] },
    ...{ kept: 'in place', appended: '11: 1-11' },
  },
  {
    name: 'an old line at the end once more',
    change: (bytes, lines) => `${bytes}${lines[7]}\n`,
    ...{ reads: '1-10', tailFrom: 4, told: ['duplicate-entry'], found: ['entry-duplicate'] },
    ...{ kept: 'in place', appended: '11: 1-11' },
  },
  {
    name: 'two entries with one seq',
    change: (_bytes, lines) =>
      joined(
        lines.toSpliced(
          8,
          0,
          resealed(lines[7] ?? '', (line) => line.replace('message 7', 'another one')),
        ),
      ),
    ...{ reads: '1-10', tailFrom: 4, told: ['duplicate-entry'], found: ['entry-duplicate'] },
    ...{ kept: 'in place', appended: '11: 1-11' },
  },
  {
    name: 'a middle line removed',
    change: (_bytes, lines) => joined(lines.toSpliced(7, 1)),
    ...{ reads: '1-6 8-10', tailFrom: 4, told: ['missing-entry'], found: ['entry-missing'] },
    ...{ kept: 'in place', appended: '11: 1-6 8-11' },
  },
  {
    name: 'a file that nobody may read',
    tamper: ({ file }) => chmod(file, 0o000),
    skip: isRoot ? 'this user reads everything, whatever its rights are' : undefined,
    ...{ reads: 'VARVE_STORE_IO', tailFrom: null, told: [], found: ['journal-unreadable'] },
    ...{ kept: 'in place', appended: 'VARVE_STORE_IO' },
  },
  {
    name: 'a folder in the place of the journal',
    tamper: async ({ file }) => {
      await rename(file, `${file}.aside`);
      await mkdir(file, { mode: 0o700 });
    },
    ...{ reads: 'VARVE_STORE_IO', tailFrom: null, told: [], found: ['file-unknown', 'journal-not-a-file'] },
    ...{ kept: 'in place', appended: 'VARVE_STORE_IO' },
  },
  {
    name: 'a symbolic link out of the root in the place of the journal',
    tamper: async ({ root, file }) => {
      await rename(file, join(root, '../outside'));
      await symlink(join(root, '../outside'), file);
    },
    ...{ reads: 'VARVE_STORE_LINK', tailFrom: null, told: [], found: ['link-outside'] },
    ...{ kept: 'in place', appended: 'VARVE_STORE_LINK' },
  },
  {
    name: 'the file removed',
    tamper: ({ file }) => rm(file),
    ...{ reads: 'VARVE_STORE_MISSING', tailFrom: null, told: [], found: ['record-without-journal'] },
    ...{ kept: 'nothing was left', appended: '1: 1' },
  },
];
