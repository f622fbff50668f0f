import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type Entry, type Journal, type JournalArchives, type Store, VarveError } from '@varve/core';
import { jsonlStore, type RepairEvent } from '@varve/stores/jsonl';
import {
  collectEntries as all,
  beginJournal as begin,
  checkpointFrom as checkpoint,
  entryIdOf,
  messageEntry as message,
  messageEntries as messages,
  readLawfulTail,
  seededRandom,
} from '@varve/testkit';
import { type FaultyFileSystem, faultyFileSystem } from '@varve/testkit/file-system';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failStep, faultModes } from './each-fault.ts';

let root: string;
let file: string;
let archive: string;
let fileSystem: FaultyFileSystem;
let repairs: RepairEvent[];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'varve-'));
  file = join(root, 'agents/main/sessions/one.jsonl');
  archive = join(root, 'agents/main/archive/one.jsonl.gz');
  fileSystem = faultyFileSystem();
  repairs = [];
});

afterEach(async () => {
  expect(fileSystem.openFiles).toBe(0);
  await rm(root, { recursive: true });
});

function open(): Store {
  return jsonlStore({ root, fileSystem, durability: 'os', onRepair: (event) => void repairs.push(event) });
}

function archivesOf(store: Store): JournalArchives {
  if (store.archives === undefined) throw new Error('The store has no archives.');
  return store.archives;
}

/** Texts of all lengths, of which no two blocks are alike. */
function entriesOf(count: number): Entry[] {
  const random = seededRandom(5);
  const word = (): string => random.integer(0, 2 ** 31).toString(36);
  return Array.from({ length: count }, (_, index) =>
    message(index + 1, Array.from({ length: random.integer(1, 400) }, word).join(' ')),
  );
}

/** Begins a journal of many blocks, and puts it away. Gives its bytes. */
async function packMany(store: Store, count = 300): Promise<Buffer> {
  const journal = await begin(store);
  const entries = entriesOf(count);
  await journal.append(entries.slice(0, 200), { expectedSeq: 0, checkpoint: checkpoint(150) });
  await journal.append(entries.slice(200), { expectedSeq: 200 });
  await journal.close();
  const bytes = await readFile(file);
  await archivesOf(store).pack('one');
  return bytes;
}

async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

async function readAll(store: Store): Promise<Entry[]> {
  const journal = await store.open('one', { readOnly: true });
  try {
    return await all(journal.read());
  } finally {
    await journal.close();
  }
}

describe('an archive of a journal', () => {
  it('holds the journal byte for byte, for every program that reads gzip', async () => {
    await using store = open();
    const bytes = await packMany(store);
    expect(await isThere(file)).toBe(false);
    const packed = await readFile(archive);
    expect(gunzipSync(packed).equals(bytes)).toBe(true);
    const { error, stdout } = spawnSync('gzip', ['-dc', archive], { maxBuffer: 2 ** 26 });
    // Not every system has it.
    if (error === undefined) expect(stdout.equals(bytes)).toBe(true);
    const size = { bytes: packed.length, journalBytes: bytes.length };
    expect(await archivesOf(store).pack('one')).toEqual(size);
    expect(packed.length).toBeLessThan(bytes.length / 1.5);
  });

  it('has a block for each 64 KB of whole lines, each of which is read without the others', async () => {
    await using store = open();
    const bytes = await packMany(store);
    const starts: number[] = [];
    const packed = await readFile(archive);
    const mark = packed.subarray(0, 12);
    for (let at = 0; at !== -1; at = packed.indexOf(mark, at + 1)) starts.push(at);
    const blocks = starts.map((start, index) => gunzipSync(packed.subarray(start, starts[index + 1])));
    expect(blocks.length).toBeGreaterThan(bytes.length / 65_536);
    for (const block of blocks) {
      expect(block.length).toBeLessThanOrEqual(65_536);
      expect(block.length === 0 || block.at(-1) === 10).toBe(true);
    }
  });

  it('is read like the journal: all, a range, the tail, entries by seq and by id', async () => {
    await using store = open();
    await packMany(store);
    const entries = entriesOf(300);
    const journal = await store.open('one', { readOnly: true });
    expect(journal.header).toMatchObject({ sessionId: 'one' });
    expect(await all(journal.read())).toEqual(entries);
    expect(await all(journal.read({ fromSeq: 120, toSeq: 130 }))).toEqual(entries.slice(119, 130));
    expect(await readLawfulTail(journal)).toEqual({ checkpoint: checkpoint(150), entries: entries.slice(149) });
    expect(await journal.get([299, entryIdOf(2), 77])).toEqual([entries[298], entries[1], entries[76]]);
    await journal.close();
    expect(repairs).toEqual([]);
  });

  it('holds an entry that is longer than a block', async () => {
    await using store = open();
    const journal = await begin(store);
    const entries = [message(1), message(2, 'silt '.repeat(60_000)), message(3), message(4, 'clay '.repeat(30_000))];
    await journal.append(entries, { expectedSeq: 0 });
    await journal.close();
    await archivesOf(store).pack('one');
    expect(await readAll(store)).toEqual(entries);
  });

  it('becomes the journal again when it is opened for writing', async () => {
    await using store = open();
    const bytes = await packMany(store);
    const journal = await store.open('one');
    expect(await isThere(archive)).toBe(false);
    expect((await readFile(file)).equals(bytes)).toBe(true);
    await journal.append([message(301)], { expectedSeq: 300 });
    expect((await readLawfulTail(journal)).entries.at(-1)).toEqual(message(301));
    await journal.close();
  });

  it('is read on by those who had the journal open, and the journal by those who had the archive open', async () => {
    await using store = open();
    const journal = await begin(store);
    await journal.append(messages(1, 5), { expectedSeq: 0 });
    await journal.close();
    const reader = await store.open('one', { readOnly: true });
    expect(await all(reader.read())).toEqual(messages(1, 5));
    await archivesOf(store).pack('one');
    expect(await all(reader.read())).toEqual(messages(1, 5));
    const writer = await store.open('one');
    await writer.append([message(6)], { expectedSeq: 5 });
    expect(await all(reader.read())).toEqual(messages(1, 6));
    await reader.close();
    await writer.close();
  });

  it('is not made while somebody writes to the journal', async () => {
    await using store = open();
    const journal = await begin(store);
    await journal.append(messages(1, 2), { expectedSeq: 0 });
    for (const other of [store, open()]) {
      await expect(archivesOf(other).pack('one')).rejects.toThrow(
        expect.objectContaining({ code: 'VARVE_STORE_LOCKED' }),
      );
    }
    await journal.append([message(3)], { expectedSeq: 2 });
    expect(await all(journal.read())).toEqual(messages(1, 3));
    await journal.close();
  });

  it('keeps its record when the index is lost, and that says it is archived', async () => {
    {
      await using store = open();
      await packMany(store);
      await store.sessions.put('one', { state: 'archived' }, { expectedRev: 0 });
    }
    await rm(join(root, 'agents/main/sessions.jsonl'));
    await using store = open();
    expect(await store.sessions.list()).toMatchObject([
      { sessionId: 'one', state: 'archived', counters: { countedSeq: 300 } },
    ]);
  });
});

describe('an archive beside its journal', () => {
  it('goes when it holds no more than that, as a process ended in the middle of a move', async () => {
    await using store = open();
    const bytes = await packMany(store);
    await writeFile(file, bytes);
    expect(await archivesOf(store).list()).toEqual([]);
    expect(await readAll(store)).toEqual(entriesOf(300));
    const journal = await store.open('one');
    await journal.close();
    expect([await isThere(file), await isThere(archive)]).toEqual([true, false]);
  });

  it('takes the place of a journal of which nothing is left', async () => {
    await using store = open();
    const bytes = await packMany(store);
    await writeFile(file, '');
    const journal = await store.open('one');
    await journal.close();
    expect((await readFile(file)).equals(bytes)).toBe(true);
    expect(await isThere(archive)).toBe(false);
  });

  it('stays when somebody has taken entries away from the journal', async () => {
    await using store = open();
    const bytes = await packMany(store);
    await writeFile(file, bytes.subarray(0, bytes.indexOf(10, 100_000) + 1));
    const journal = await store.open('one');
    await journal.close();
    expect([await isThere(file), await isThere(archive)]).toEqual([true, true]);
  });
});

describe('a damaged archive', () => {
  /** Where blocks begin and end in the file, with the seqs in them. */
  async function blocksOf(): Promise<{ from: number; to: number; seqs: Set<number> }[]> {
    const packed = await readFile(archive);
    const mark = packed.subarray(0, 14);
    const starts: number[] = [];
    for (let at = 0; at !== -1; at = packed.indexOf(mark, at + 1)) starts.push(at);
    const list = packed.indexOf(Buffer.concat([packed.subarray(0, 10)]), (starts.at(-1) ?? 0) + 1);
    return starts.map((from, index) => {
      const to = starts[index + 1] ?? list;
      const lines = gunzipSync(packed.subarray(from, to)).toString().trim().split('\n');
      return { from, to, seqs: new Set(lines.flatMap((line) => JSON.parse(line).seq ?? [])) };
    });
  }

  it('loses at most the block in which a bit is another, and names the place', async () => {
    await using store = open();
    await packMany(store);
    const packed = await readFile(archive);
    const blocks = await blocksOf();
    expect(blocks.length).toBeGreaterThan(5);
    const random = seededRandom(3);
    let lossy = 0;
    for (let flip = 0; flip < 60; flip += 1) {
      // As often in a header, or in what is behind the last block, as anywhere.
      const near = random.pick([packed.length - 60, packed.length - 40, ...blocks.map(({ from }) => from)]);
      const any = random.integer(0, packed.length - 1);
      const at = Math.min(packed.length - 1, random.chance(0.5) ? any : near + random.integer(0, 60));
      const changed = Buffer.from(packed);
      changed[at] = (packed[at] ?? 0) ^ (1 << random.integer(0, 7));
      await writeFile(archive, changed);
      repairs = [];
      const left = new Set((await readAll(store)).map(({ seq }) => seq));
      const lost = messages(1, 300).flatMap(({ seq }) => (left.has(seq) ? [] : [seq]));
      const hit = blocks.find(({ from, to }) => from <= at && at < to);
      expect(lost.filter((seq) => hit?.seqs.has(seq) !== true)).toEqual([]);
      const told = repairs.filter(({ kind }) => kind === 'bad-block');
      expect(told.some(({ file: of, offset, length }) => of === archive && offset <= at && at < offset + length)).toBe(
        true,
      );
      if (lost.length > 0) lossy += 1;
    }
    expect(lossy).toBeGreaterThan(10);
  });

  it('is read without the list at its end', async () => {
    await using store = open();
    await packMany(store);
    const packed = await readFile(archive);
    const end = (await blocksOf()).at(-1)?.to ?? 0;
    for (const length of [packed.length - 1, end + 20, end]) {
      await writeFile(archive, packed.subarray(0, length));
      repairs = [];
      expect(await readAll(store)).toEqual(entriesOf(300));
      expect(repairs.map(({ kind }) => kind)).toEqual(['bad-block']);
    }
  });

  it('becomes a journal without the block, which is kept aside', async () => {
    await using store = open();
    await packMany(store);
    const packed = await readFile(archive);
    const block = (await blocksOf())[2] ?? { from: 0, to: 0, seqs: new Set() };
    packed.fill(0xff, block.from + 50, block.to - 8);
    await writeFile(archive, packed);
    const journal = await store.open('one');
    const entries = entriesOf(300).filter(({ seq }) => !block.seqs.has(seq));
    expect(await all(journal.read())).toEqual(entries);
    await journal.append([message(301)], { expectedSeq: 300 });
    await journal.close();
    const quarantine = `${file}.quarantine`;
    expect(repairs).toContainEqual(
      expect.objectContaining({ kind: 'bad-block', offset: block.from, length: block.to - block.from, quarantine }),
    );
    expect((await readFile(quarantine)).includes(packed.subarray(block.from, block.to))).toBe(true);
    expect(await isThere(archive)).toBe(false);
  });
});

describe('the list of what is packed', () => {
  it('reads two folders an agent, however many are packed', async () => {
    const readdirs: string[] = [];
    const counting: FaultyFileSystem = Object.assign(Object.create(fileSystem), {
      readdir: (path: string) => {
        readdirs.push(path);
        return fileSystem.readdir(path);
      },
    });
    await using store = jsonlStore({ root, fileSystem: counting, durability: 'os' });
    const ids = Array.from({ length: 12 }, (_, index) => `session-${index}`);
    for (const [index, sessionId] of ids.entries()) {
      const create = { v: 1, sessionId, createdAt: 1, agentId: `agent-${index % 3}` } as const;
      await (await store.open(sessionId, { create })).close();
      await archivesOf(store).pack(sessionId);
    }
    readdirs.length = 0;
    expect([...(await archivesOf(store).list())].sort()).toEqual([...ids].sort());
    expect(readdirs).toHaveLength(1 + 3 * 2);
  });
});

describe('the removal of a journal', () => {
  it.each([true, false])('leaves nothing of it and of its record, packed: %s', async (isPacked) => {
    await using store = open();
    await packMany(store);
    if (!isPacked) await archivesOf(store).unpack('one');
    for (const sessionId of ['one', 'two']) {
      await store.sessions.put(sessionId, { key: `key of ${sessionId}`, label: 'gold' }, { expectedRev: 0 });
    }
    const refused = store.remove?.('one', { expectedRev: 0 });
    await expect(refused).rejects.toThrow(expect.objectContaining({ code: 'VARVE_STORE_CONFLICT' }));
    expect(await readAll(store)).toHaveLength(300);
    await store.remove?.('one', { expectedRev: 1 });
    expect(await store.sessions.get('one')).toBeNull();
    expect(await store.sessions.list({ key: 'key of one' })).toEqual([]);
    expect(await readdir(root, { recursive: true })).not.toContainEqual(expect.stringContaining('one'));
    expect(await readFile(join(root, 'agents/main/sessions.jsonl'), 'utf8')).not.toContain('key of one');
    await using again = open();
    expect((await again.sessions.list()).map(({ sessionId }) => sessionId)).toEqual(['two']);
  });
});

describe('a disk that fails', () => {
  it.each(faultModes)('leaves journal or archive whole: $title', async (mode) => {
    for (const move of ['pack', 'unpack'] as const) {
      for (let step = 1, failed: string | null = ''; failed !== null; step += 1) {
        await rm(join(root, 'agents'), { recursive: true, force: true });
        const store = open();
        const journal: Journal = await begin(store);
        await journal.append(messages(1, 40), { expectedSeq: 0 });
        await journal.close();
        if (move === 'unpack') await archivesOf(store).pack('one');
        const heal = failStep(fileSystem, step, mode);
        const moved = await archivesOf(store)
          [move]('one')
          .then(
            () => null,
            (error: unknown) => error,
          );
        failed = heal();
        const code = VarveError.is(moved) ? moved.code : moved;
        if (failed === null) expect(moved).toBeNull();
        else expect([null, 'VARVE_STORE_IO'], failed).toContain(code);
        expect(await readAll(store), failed ?? '').toEqual(messages(1, 40));
        const writer = await store.open('one');
        expect(await all(writer.read())).toEqual(messages(1, 40));
        await writer.close();
        expect([await isThere(file), await isThere(archive)], failed ?? '').toEqual([true, false]);
        await store[Symbol.asyncDispose]();
      }
    }
  });
});
