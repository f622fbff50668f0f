import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Entry, Journal, Store } from '@varve/core';
import { jsonlStore, type RepairEvent } from '@varve/stores/jsonl';
import {
  beginJournal as begin,
  checkpointFrom as checkpoint,
  messageEntry as message,
  messageEntries as messages,
} from '@varve/testkit';
import { type FaultyFileSystem, faultyFileSystem } from '@varve/testkit/file-system';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const bytesPerEntry = 10_000;
const text = 'x'.repeat(bytesPerEntry);
const megabyte = 1_048_576;
const sizes = { small: 2, large: 200 };

let root: string;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'varve-'));
  await using store = jsonlStore({ root, durability: 'os' });
  for (const [name, megabytes] of Object.entries(sizes)) await fill(await begin(store, name), megabytes);
});

afterAll(() => rm(root, { recursive: true }));

function lastSeqOf(megabytes: number): number {
  return megabytes * 100;
}

/** Writes long entries, and a checkpoint ten entries before the end that keeps twenty. */
async function fill(journal: Journal, megabytes: number): Promise<void> {
  const lastSeq = lastSeqOf(megabytes);
  for (let seq = 0; seq < lastSeq - 10; seq += 10) {
    const entries = messages(seq + 1, seq + 10).map((entry) => message(entry.seq, text));
    const isLast = seq + 10 === lastSeq - 10;
    await journal.append(entries, { expectedSeq: seq, checkpoint: isLast ? checkpoint(lastSeq - 29) : undefined });
  }
  const rest = messages(lastSeq - 9, lastSeq).map((entry) => message(entry.seq, text));
  await journal.append(rest, { expectedSeq: lastSeq - 10 });
}

/** Runs one read on a journal that was just opened, and says what it cost. */
async function costOf<Result>(
  name: keyof typeof sizes,
  read: (journal: Journal) => Promise<Result>,
): Promise<{ result: Result; fileSystem: FaultyFileSystem }> {
  const fileSystem = faultyFileSystem();
  const repairs: RepairEvent[] = [];
  await using store = jsonlStore({ root, fileSystem, onRepair: (event) => repairs.push(event) });
  const journal = await store.open(name);
  const result = await read(journal);
  expect(repairs).toEqual([]);
  return { result, fileSystem };
}

describe('a journal of 200 MB', () => {
  it('is as long as it says', async () => {
    expect((await stat(join(root, 'agents/main/sessions/large.jsonl'))).size).toBeGreaterThan(200 * 1_000_000);
  });

  it('is opened and its tail read with as few bytes as one of 2 MB', async () => {
    const small = await costOf('small', (journal) => journal.tail());
    const large = await costOf('large', (journal) => journal.tail());
    const lastSeq = lastSeqOf(sizes.large);
    expect(large.result.entries.map(({ seq }) => seq)).toEqual(messages(lastSeq - 29, lastSeq).map(({ seq }) => seq));
    const bytesKept = 30 * (bytesPerEntry + 300);
    expect(large.fileSystem.bytesRead).toBeLessThan(bytesKept + 128 * 1_024);
    expect(large.fileSystem.bytesRead).toBeLessThan(small.fileSystem.bytesRead + 16_384);
    expect(large.fileSystem.counts.read).toBeLessThan(16);
  });

  it('gives single entries after a search of few reads, and neighbours in one', async () => {
    const lastSeq = lastSeqOf(sizes.large);
    const wanted = [12_345, 1, lastSeq, 7_000, 7_001, 7_002, lastSeq + 1];
    const { result, fileSystem } = await costOf('large', (journal) => journal.get(wanted));
    expect(result.map(({ seq }) => seq)).toEqual(wanted.slice(0, -1));
    expect(fileSystem.bytesRead).toBeLessThan(4 * megabyte);
  });

  it('finds a recent id without a scan', async () => {
    const lastSeq = lastSeqOf(sizes.large);
    const { result, fileSystem } = await costOf('large', (journal) => journal.get([message(lastSeq - 50).id]));
    expect(result.map(({ seq }) => seq)).toEqual([lastSeq - 50]);
    expect(fileSystem.bytesRead).toBeLessThan(1.5 * megabyte);
  });

  it('finds any other id where it stands, and only one that there is not in a scan', async () => {
    const { result, fileSystem } = await costOf('large', (journal) => journal.get([message(10_000).id]));
    expect(result.map(({ seq }) => seq)).toEqual([10_000]);
    expect(fileSystem.bytesRead).toBeLessThan(megabyte);
    const none = await costOf('large', (journal) => journal.get([`${message(10_000).id.slice(0, -1)}Z`]));
    expect(none.result).toEqual([]);
    expect(none.fileSystem.bytesRead).toBeGreaterThan(200 * 1_000_000);
  });

  it('is not looked through for a seq behind its last one', async () => {
    const opened = await costOf('large', async () => null);
    const { result, fileSystem } = await costOf('large', (journal) => journal.get([lastSeqOf(sizes.large) + 1]));
    expect(result).toEqual([]);
    expect(fileSystem.bytesRead).toBe(opened.fileSystem.bytesRead);
  });

  it('is streamed in chunks of 1 MB at most, from any place', async () => {
    let seq = 0;
    const { fileSystem } = await costOf('large', async (journal) => {
      for await (const entry of journal.read()) {
        seq += 1;
        if (entry.seq !== seq) expect.fail(`${entry.seq} instead of ${seq}`);
      }
    });
    expect(seq).toBe(lastSeqOf(sizes.large));
    expect(fileSystem.largestRead).toBeLessThanOrEqual(megabyte);
    const late = await costOf('large', async (journal) => {
      const found: Entry[] = [];
      for await (const entry of journal.read({ fromSeq: 15_000, toSeq: 15_003 })) found.push(entry);
      return found.map((entry) => entry.seq);
    });
    expect(late.result).toEqual([15_000, 15_001, 15_002, 15_003]);
    expect(late.fileSystem.bytesRead).toBeLessThan(2 * megabyte);
  });
});

describe('a journal without a checkpoint', () => {
  it('is read once', async () => {
    const count = 500;
    {
      await using store = jsonlStore({ root, durability: 'os' });
      const journal = await begin(store, 'plain');
      const entries = messages(1, count).map(({ seq }) => message(seq, text));
      await journal.append(entries, { expectedSeq: 0 });
    }
    const fileSystem = faultyFileSystem();
    await using store = jsonlStore({ root, fileSystem });
    const journal = await store.open('plain', { readOnly: true });
    const { checkpoint: none, entries } = await journal.tail();
    expect(none).toBeNull();
    expect(entries.map(({ seq }) => seq)).toEqual(messages(1, count).map(({ seq }) => seq));
    const { size } = await stat(join(root, 'agents/main/sessions/plain.jsonl'));
    expect(fileSystem.bytesRead).toBeLessThan(size + 128 * 1_024);
  });
});

async function entriesFrom(journal: Journal, fromSeq: number): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of journal.read({ fromSeq })) entries.push(entry);
  return entries;
}

/** Reads a journal that was just opened. */
async function readOnce(store: Store, fromSeq: number): Promise<readonly Entry[]> {
  const journal = await store.open('once', { readOnly: true });
  const entries = await entriesFrom(journal, fromSeq);
  await journal.close();
  return entries;
}

function fileOf(name: string): string {
  return join(root, `agents/main/sessions/${name}.jsonl`);
}

describe('what stands at the end', () => {
  it('is read from where it begins, without a search', async () => {
    const opened = await costOf('large', async () => null);
    const lastSeq = lastSeqOf(sizes.large);
    const { result, fileSystem } = await costOf('large', (journal) => entriesFrom(journal, lastSeq));
    expect(result.map(({ seq }) => seq)).toEqual([lastSeq]);
    expect(fileSystem.bytesRead - opened.fileSystem.bytesRead).toBeLessThan(2 * bytesPerEntry);
  });

  it.each([[[1, 2, 3, 4, 5]], [[1, 2, 3, 3]], [[1, 2, 4, 3, 5]], [[1, 2, 4, 3, 4]], [[3, 4, 1, 2, 3]]])(
    'is what a reading of all gives of it, in a file with the seqs %j',
    async (seqs) => {
      await using store = jsonlStore({ root, durability: 'os' });
      const files: string[][] = [];
      for (const name of ['once', 'again']) {
        const journal = await begin(store, name);
        await journal.append(
          messages(1, 5).map(({ seq }) => message(seq, name)),
          { expectedSeq: 0 },
        );
        await journal.close();
        files.push((await readFile(fileOf(name), 'utf8')).split('\n'));
        await rm(fileOf(name));
      }
      const lines = seqs.map((seq, at) => files[seqs.indexOf(seq) === at ? 0 : 1]?.[seq]);
      await writeFile(fileOf('once'), `${[files[0]?.[0], ...lines].join('\n')}\n`);
      const all = await readOnce(store, 1);
      for (const seq of seqs) expect(await readOnce(store, seq)).toEqual(all.filter((entry) => entry.seq >= seq));
      await rm(fileOf('once'));
    },
  );
});

describe('ids', () => {
  it('are found in whatever order they stand', async () => {
    await using store = jsonlStore({ root, durability: 'os' });
    const journal = await begin(store, 'shuffled');
    const count = 160;
    // Each id once: 77 and the count have no common factor.
    const entries = messages(1, count).map((entry) => ({
      ...message(entry.seq, text),
      id: message(1 + ((entry.seq * 77) % count)).id,
    }));
    await journal.append(entries, { expectedSeq: 0 });
    for (const { id, seq } of entries) expect((await journal.get([id])).map((found) => found.seq)).toEqual([seq]);
    const asked = entries.map(({ id }) => id);
    expect((await journal.get(asked)).map(({ id }) => id)).toEqual(asked);
  });
});

describe('a long line', () => {
  it('is read through once, however often what stands around it is looked for', async () => {
    const long = 16 * megabyte;
    {
      await using store = jsonlStore({ root, durability: 'os' });
      const journal = await begin(store, 'around');
      const entries = messages(1, 400).map(({ seq }) => message(seq, seq === 200 ? 'x'.repeat(long) : text));
      await journal.append(entries, { expectedSeq: 0 });
    }
    const fileSystem = faultyFileSystem();
    await using store = jsonlStore({ root, fileSystem });
    const journal = await store.open('around', { readOnly: true });
    const around = [...messages(1, 199), ...messages(201, 400)];
    expect((await journal.get([around[0]?.id ?? ''])).map(({ seq }) => seq)).toEqual([1]);
    fileSystem.bytesRead = 0;
    for (const { seq, id } of around.filter((_, index) => index % 10 === 0)) {
      expect((await journal.get([id])).map((found) => found.seq)).toEqual([seq]);
      expect((await journal.get([seq])).map((found) => found.seq)).toEqual([seq]);
    }
    expect(fileSystem.bytesRead).toBeLessThan(3 * long);
  });
});
