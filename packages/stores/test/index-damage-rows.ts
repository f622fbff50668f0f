import { mkdir, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { RepairEvent } from '@varve/stores/jsonl';
import type { DamagedPlace } from './damage-rows.ts';

/** One way to damage an index of three sessions, and all that comes of it. */
export interface IndexDamageRow {
  readonly name: string;
  readonly change?: (bytes: Buffer) => Buffer | string;
  readonly tamper?: (place: DamagedPlace) => Promise<void>;
  /** Sessions with their revisions; revision 0 was made from the journal. */
  readonly lists: string;
  readonly told: readonly RepairEvent['kind'][];
  readonly found: readonly string[];
  /** Whether bytes were set aside. */
  readonly quarantined: boolean;
  /** What a change of the record of `two` gives. */
  readonly put: string;
  readonly listsThen: string;
}

const untouched = 'one@2 three@2 two@2';
const remade = 'one@0 three@0 two@0';

/** The bytes with one bit changed behind the first place of a text. */
function flipped(bytes: Buffer, text: string): Buffer {
  const changed = Buffer.from(bytes);
  const at = changed.indexOf(text);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
}

/** Every kind of damage that an index is held against. Each session has two lines, `two` comes last. */
export const indexDamageRows: readonly IndexDamageRow[] = [
  {
    name: 'not damaged',
    change: (bytes) => bytes,
    ...{ lists: untouched, told: [], found: [], quarantined: false },
    ...{ put: 'two@3', listsThen: 'one@2 three@2 two@3' },
  },
  {
    name: 'R-13 cut to 0 bytes',
    change: () => '',
    ...{ lists: remade, told: ['bad-index', 'index-rebuilt'], quarantined: false },
    found: ['index-empty', ...Array(3).fill('journal-without-record')],
    ...{ put: 'two@1', listsThen: 'one@0 three@0 two@1' },
  },
  {
    name: 'R-13 cut in half',
    change: (bytes) => bytes.subarray(0, bytes.length / 2),
    ...{ lists: 'one@2 three@0 two@0', told: ['bad-index', 'index-rebuilt'], quarantined: true },
    found: ['index-damaged', 'journal-without-record', 'journal-without-record'],
    ...{ put: 'two@1', listsThen: 'one@2 three@0 two@1' },
  },
  {
    name: 'R-13 garbage',
    change: (bytes) => Buffer.alloc(bytes.length, 'garbage\n'),
    ...{ lists: remade, told: ['bad-index', 'index-rebuilt'], quarantined: true },
    found: ['index-damaged', ...Array(3).fill('journal-without-record')],
    ...{ put: 'two@1', listsThen: 'one@0 three@0 two@1' },
  },
  {
    name: 'R-13 zeros',
    change: (bytes) => Buffer.alloc(bytes.length),
    ...{ lists: remade, told: ['bad-index', 'index-rebuilt'], quarantined: true },
    found: ['index-damaged', ...Array(3).fill('journal-without-record')],
    ...{ put: 'two@1', listsThen: 'one@0 three@0 two@1' },
  },
  {
    name: 'R-13 removed',
    tamper: ({ file }) => rm(file),
    ...{ lists: remade, told: ['missing-index', 'index-rebuilt'], quarantined: false },
    found: ['index-missing'],
    ...{ put: 'two@1', listsThen: 'one@0 three@0 two@1' },
  },
  {
    name: 'a torn last line',
    change: (bytes) => bytes.subarray(0, -30),
    ...{ lists: 'one@2 three@2 two@1', told: ['bad-index'], quarantined: true },
    found: ['index-damaged'],
    ...{ put: 'two@2', listsThen: 'one@2 three@2 two@2' },
  },
  {
    name: 'the last line not ended',
    change: (bytes) => bytes.subarray(0, -1),
    ...{ lists: untouched, told: [], found: [], quarantined: false },
    ...{ put: 'two@3', listsThen: 'one@2 three@2 two@3' },
  },
  {
    name: 'a bit changed in a middle line',
    change: (bytes) => flipped(bytes, '"sessionId":"three"'),
    ...{ lists: untouched, told: ['bad-index'], quarantined: true },
    found: ['index-damaged'],
    ...{ put: 'two@3', listsThen: 'one@2 three@2 two@3' },
  },
  {
    name: 'the first line removed',
    change: (bytes) => bytes.subarray(bytes.indexOf('\n') + 1),
    ...{ lists: untouched, told: ['bad-index'], quarantined: false },
    found: ['index-damaged'],
    ...{ put: 'two@3', listsThen: 'one@2 three@2 two@3' },
  },
  {
    name: 'lines glued, }{',
    change: (bytes) => bytes.toString().replace('}\n{"v":1,"record"', '}{"v":1,"record"'),
    ...{ lists: untouched, told: [], found: [], quarantined: false },
    ...{ put: 'two@3', listsThen: 'one@2 three@2 two@3' },
  },
  {
    name: 'line ends of another system, CR LF',
    change: (bytes) => bytes.toString().replaceAll('\n', '\r\n'),
    ...{ lists: untouched, told: [], found: [], quarantined: false },
    ...{ put: 'two@3', listsThen: 'one@2 three@2 two@3' },
  },
  {
    name: 'a line of another program',
    change: (bytes) => `${bytes}{"level":"info"}\n`,
    ...{ lists: untouched, told: ['bad-index'], quarantined: true },
    found: ['index-damaged'],
    ...{ put: 'two@3', listsThen: 'one@2 three@2 two@3' },
  },
  {
    name: 'a folder in its place',
    tamper: async ({ file }) => {
      await rm(file);
      await mkdir(file, { mode: 0o700 });
    },
    ...{ lists: 'VARVE_STORE_IO', told: [], found: ['index-unreadable'], quarantined: false },
    ...{ put: 'VARVE_STORE_IO', listsThen: 'VARVE_STORE_IO' },
  },
  {
    name: 'a symbolic link out of the root in its place',
    tamper: async ({ root, file }) => {
      await rename(file, join(root, '../outside'));
      await symlink(join(root, '../outside'), file);
    },
    ...{ lists: 'VARVE_STORE_IO', told: [], found: ['link-outside'], quarantined: false },
    ...{ put: 'VARVE_STORE_IO', listsThen: 'VARVE_STORE_IO' },
  },
];
