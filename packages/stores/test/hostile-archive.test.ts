import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Entry, Store } from '@varve/core';
import { examineStore, jsonlStore, type RepairEvent, repairStore, type StoreFinding } from '@varve/stores/jsonl';
import { collectEntries as all, beginJournal as begin, messageEntry as message, seededRandom } from '@varve/testkit';
import { type FaultyFileSystem, faultyFileSystem } from '@varve/testkit/file-system';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bombBody, craftHeader, craftMember, emptyBody, listBody, partsOf } from './craft-archive.ts';

let root: string;
let archive: string;
let sound: Buffer;
/** The seqs of each block. */
let seqs: readonly (readonly number[])[];
let reads: { largest: number; sum: number };
let repairs: RepairEvent[];

const count = 160;

function entries(): Entry[] {
  const random = seededRandom(9);
  const word = (): string => random.integer(0, 2 ** 31).toString(36);
  return Array.from({ length: count }, (_, index) => message(index + 1, Array.from({ length: 200 }, word).join(' ')));
}

/** Counts what is read of files. */
function countingFiles(): FaultyFileSystem {
  const fileSystem = faultyFileSystem();
  const open: FaultyFileSystem['open'] = async (...of) => {
    const file = await fileSystem.open(...of);
    const read = file.read.bind(file);
    file.read = (...where) => {
      reads.largest = Math.max(reads.largest, where[2]);
      reads.sum += where[2];
      return read(...where);
    };
    return file;
  };
  return Object.assign(Object.create(fileSystem), { open });
}

function openStore(): Store {
  return jsonlStore({
    root,
    fileSystem: countingFiles(),
    durability: 'os',
    onRepair: (event) => void repairs.push(event),
  });
}

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'varve-'));
  archive = join(root, 'agents/main/archive/one.jsonl.gz');
  reads = { largest: 0, sum: 0 };
  await using store = openStore();
  const journal = await begin(store);
  await journal.append(entries(), { expectedSeq: 0 });
  await journal.close();
  await store.archives?.pack('one');
  sound = await readFile(archive);
  seqs = blocks().map(({ from, to }) =>
    gunzipSync(sound.subarray(from, to))
      .toString()
      .trim()
      .split('\n')
      .flatMap((line) => JSON.parse(line).seq ?? []),
  );
});

afterAll(() => rm(root, { recursive: true }));

function blocks() {
  return partsOf(sound).filter(({ kind }) => kind === 'VB');
}

async function readSeqs(store: Store): Promise<number[]> {
  const journal = await store.open('one', { readOnly: true });
  try {
    return (await all(journal.read())).map(({ seq }) => seq);
  } finally {
    await journal.close();
  }
}

/** Reads, lists, examines, brings back, repairs and packs again what stands there, and gives what could be read of it. */
async function live(bytes: Buffer): Promise<{ seqs: number[]; codes: string[] }> {
  await rm(join(root, 'agents/main'), { recursive: true, force: true });
  await using maker = openStore();
  await (await begin(maker, 'other')).close();
  await maker.archives?.pack('other');
  await writeFile(archive, bytes);
  await rm(join(root, 'agents/main/sessions.jsonl'));
  reads = { largest: 0, sum: 0 };
  repairs = [];
  await using store = openStore();
  const found = await readSeqs(store);
  expect((await store.archives?.list())?.toSorted()).toEqual(['one', 'other']);
  expect((await store.sessions.list()).map(({ sessionId }) => sessionId).sort()).toEqual(['one', 'other']);
  const findings = await examined();
  await store.archives?.unpack('one');
  expect(await readSeqs(store)).toEqual(found);
  for await (const { outcome } of repairStore(root, { findings: await examined() })) expect(outcome).toBe('repaired');
  expect(await readSeqs(store)).toEqual(found);
  await store.archives?.pack('one');
  expect(await readSeqs(store)).toEqual(found);
  // However long a file says that it is: what is read of it has to do with how long it really is.
  expect(reads.largest).toBeLessThan(2 ** 21 + bytes.length);
  expect(reads.sum).toBeLessThan(60 * (sound.length * 4 + bytes.length) + 2 ** 25);
  return { seqs: found, codes: findings.map(({ code }) => code) };
}

async function examined(): Promise<StoreFinding[]> {
  const found: StoreFinding[] = [];
  for await (const finding of examineStore(root, { fileSystem: countingFiles() })) found.push(finding);
  return found;
}

const huge = 2 ** 32 - 1;

/** Puts a member in front of the third block. */
function withMember(member: Buffer): Buffer {
  const at = blocks()[2]?.from ?? 0;
  return Buffer.concat([sound.subarray(0, at), member, sound.subarray(at)]);
}

/** Makes the header of the third block say something else. */
function withHeader(header: Parameters<typeof craftHeader>[2]): Buffer {
  const bytes = Buffer.from(sound);
  craftHeader(bytes, blocks()[2]?.from ?? 0, header);
  return bytes;
}

/** Puts another list and end behind the blocks. */
function withList(list: Buffer, end: { readonly from?: number; readonly size?: number } = {}): Buffer {
  const at = blocks().at(-1)?.to ?? 0;
  const from = BigInt(end.from ?? at);
  return Buffer.concat([
    sound.subarray(0, at),
    list,
    craftMember('VE', emptyBody, { from, size: end.size ?? blocks().length }),
  ]);
}

function withoutList(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.length - (sound.length - (blocks().at(-1)?.to ?? 0)));
}

describe('an archive that somebody has made', () => {
  // Columns: what its members say · its bytes.
  const headers: [title: string, craft: () => Buffer][] = [
    ['a block of no length', () => withHeader({ length: 0 })],
    ['a block of one byte', () => withHeader({ length: 1 })],
    ['a block of 4 GB in the file', () => withHeader({ length: huge })],
    ['a block of 4 GB in the journal', () => withHeader({ size: huge })],
    ['a block of nothing in the journal', () => withHeader({ size: 0 })],
    ['a block at 2^60 in the journal', () => withHeader({ from: 2n ** 60n })],
    ['a block at 2^64 - 1 in the journal', () => withHeader({ from: 2n ** 64n - 1n })],
    ['a block at the beginning of the journal', () => withHeader({ from: 0n })],
    [
      'a block that goes on into the next',
      () => withHeader({ length: (blocks()[2]?.to ?? 0) - (blocks()[2]?.from ?? 0) + 9 }),
    ],
    [
      'a block that becomes more than it says',
      () => withMember(craftMember('VB', bombBody(2 ** 23), { size: 60_000 })),
    ],
    [
      'a block that becomes more than a line may have',
      () => withMember(craftMember('VB', bombBody(2 ** 27 + 2_048), { size: 2 ** 27 + 2_048 })),
    ],
    [
      'members of no length',
      () => withMember(Buffer.concat(Array(2_000).fill(craftMember('VB', emptyBody, { length: 0 })))),
    ],
    [
      'very many very small members',
      () => withMember(Buffer.concat(Array(20_000).fill(craftMember('VB', emptyBody, { size: 9 })))),
    ],
    ['zeros', () => withMember(Buffer.alloc(2 ** 21))],
  ];
  for (const isListed of [true, false]) {
    it.each(headers)(`loses a block at most, listed: ${isListed}: %s`, async (_title, craft) => {
      const bytes = isListed ? craft() : withoutList(craft());
      const { seqs: left, codes } = await live(bytes);
      const others = seqs.flatMap((own, index) => (index === 2 ? [] : own));
      expect(left).toEqual(expect.arrayContaining(others));
      expect(left).toEqual([...new Set(left)].sort((a, b) => a - b));
      expect(codes).toContain('block-damaged');
      expect(repairs.some(({ kind }) => kind === 'bad-block')).toBe(true);
    });
  }

  const lists: [title: string, craft: () => Buffer][] = [
    ['a member of no length', () => withList(craftMember('VL', listBody([[60, 60]]), { length: 0 }))],
    ['blocks of no length', () => withList(craftMember('VL', listBody(Array(9).fill([0, 9])), { size: 9 }))],
    ['blocks of 4 GB', () => withList(craftMember('VL', listBody([[huge, huge]]), {}), { size: 1 })],
    ['more blocks than the file has bytes', () => withList(craftMember('VL', listBody([[60, 60]]), { size: huge }))],
    ['half a pair', () => withList(craftMember('VL', emptyBody, { size: 1 }))],
    ['an end that points to itself', () => withList(Buffer.alloc(0), { size: 0 })],
    ['an end that points behind the file', () => withList(Buffer.alloc(0), { from: 2 ** 40 })],
    ['an end that points to the first block', () => withList(Buffer.alloc(0), { from: 0 })],
    ['an end that points into a block', () => withList(Buffer.alloc(0), { from: 77 })],
    ['4 billion blocks', () => withList(Buffer.alloc(0), { size: huge })],
  ];
  it.each(lists)('loses nothing when its list says %s', async (_title, craft) => {
    const { seqs: left, codes } = await live(craft());
    expect(left).toEqual(seqs.flat());
    expect(codes).toContain('block-damaged');
  });

  it('is read where the header of its last block is damaged, and the list is gone', async () => {
    const bytes = Buffer.from(withoutList(sound));
    bytes.fill(0xff, blocks().at(-1)?.from, (blocks().at(-1)?.from ?? 0) + 40);
    expect(await live(bytes)).toMatchObject({ seqs: seqs.flat(), codes: expect.arrayContaining(['block-damaged']) });
  });

  it('keeps every block that nobody has touched, whatever is done to the others', async () => {
    const change = fc.oneof(
      fc.record({ do: fc.constant('flip' as const), at: fc.double({ min: 0, max: 1, noNaN: true }), bit: fc.nat(7) }),
      fc.record({ do: fc.constant('cut' as const), at: fc.double({ min: 0.3, max: 1, noNaN: true }) }),
      fc.record({
        do: fc.constant('craft' as const),
        part: fc.nat(1_000),
        header: fc.record(
          {
            length: fc.nat(huge),
            size: fc.oneof(fc.nat(huge), fc.nat(70_000)),
            from: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
          },
          { requiredKeys: [] },
        ),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), async (changes) => {
        const parts = partsOf(sound);
        let bytes = Buffer.from(sound);
        const touched = new Set<number>();
        const touch = (at: number): void => void touched.add(parts.findIndex(({ to }) => at < to));
        for (const one of changes) {
          const at =
            one.do === 'craft' ? (parts[one.part % parts.length]?.from ?? 0) : Math.floor(one.at * (sound.length - 1));
          touch(at);
          if (one.do === 'flip' && at < bytes.length) bytes[at] = (bytes[at] ?? 0) ^ (1 << one.bit);
          else if (one.do === 'cut') {
            bytes = bytes.subarray(0, at);
            for (const [index, { to }] of parts.entries()) if (to > at) touched.add(index);
          } else if (one.do === 'craft' && at + 40 <= bytes.length) craftHeader(bytes, at, one.header);
        }
        const { seqs: left, codes } = await live(bytes);
        const untouched = seqs.flatMap((own, index) => (touched.has(index) ? [] : own));
        expect(left).toEqual(expect.arrayContaining(untouched));
        if (left.length < count) expect(codes).toContain('block-damaged');
      }),
      { numRuns: 15 },
    );
  });
});
