import { appendFile, mkdtemp, readdir, readFile, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Entry, Journal, JournalBatch } from '@varve/core';
import { examineStore, jsonlStore } from '@varve/stores/jsonl';
import {
  collectEntries as all,
  beginJournal as begin,
  checkpointFrom as checkpoint,
  messageEntry as message,
  messageEntries as messages,
  readLawfulTail,
} from '@varve/testkit';
import { type FaultyFileSystem, faultyFileSystem, systemError } from '@varve/testkit/file-system';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failStep, faultModes } from './each-fault.ts';

let root: string;
let file: string;
let fileSystem: FaultyFileSystem;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'varve-'));
  file = join(root, 'agents/main/sessions/one.jsonl');
  fileSystem = faultyFileSystem();
});

afterEach(async () => {
  expect(fileSystem.openFiles).toBe(0);
  await rm(root, { recursive: true });
});

function open(): ReturnType<typeof jsonlStore> {
  return jsonlStore({ root, fileSystem });
}

const renewed = (seq: number): Entry => message(seq, `renewed ${seq}`);

/** The new content of a journal of ten: batches with a checkpoint that names an entry of an earlier one. */
async function* content(): AsyncGenerator<JournalBatch> {
  yield { entries: [1, 2, 3, 4].map(renewed) };
  yield { entries: [5, 6].map(renewed), checkpoint: checkpoint(3) };
  yield { entries: [7, 8, 9, 10].map(renewed) };
}

const newEntries = messages(1, 10).map(({ seq }) => renewed(seq));
const oldEntries = messages(1, 10).map(({ seq }) => message(seq, `secret ${seq}`));

async function beginOld(store: ReturnType<typeof open>): Promise<Journal> {
  const journal = await begin(store);
  await journal.append(oldEntries, { expectedSeq: 0, checkpoint: checkpoint(8) });
  return journal;
}

/** All bytes below the root. */
async function everything(): Promise<string> {
  const names = await readdir(root, { recursive: true, withFileTypes: true });
  const files = names.filter((name) => name.isFile()).map((name) => join(name.parentPath, name.name));
  return (await Promise.all(files.map((path) => readFile(path, 'utf8')))).join('\n');
}

async function codesFound(): Promise<string[]> {
  const codes: string[] = [];
  for await (const { code } of examineStore(root)) codes.push(code);
  return codes;
}

describe('a journal that is replaced', () => {
  it('leaves nothing of what it held, in quarantine neither', async () => {
    await using store = open();
    await (await beginOld(store)).close();
    await truncate(file, (await readFile(file)).length - 30);
    await appendFile(file, '\n{"torn":"secret');
    const journal = await store.open('one');
    expect(await readFile(`${file}.quarantine`, 'utf8')).toContain('secret');
    const { length } = await all(journal.read());
    await journal.append(oldEntries.slice(length), { expectedSeq: length });
    await journal.replace(content(), { expectedSeq: 10 });
    await journal.close();
    expect(await everything()).not.toContain('secret');
    expect(await readdir(join(file, '..'))).toEqual(['one.jsonl']);
  });

  it('has the same header, and hints that are right', async () => {
    await using store = open();
    const journal = await beginOld(store);
    const [header] = (await readFile(file, 'utf8')).split('\n');
    await journal.replace(content(), { expectedSeq: 10 });
    expect((await readFile(file, 'utf8')).split('\n')[0]).toBe(header);
    expect(await readLawfulTail(journal)).toEqual({ checkpoint: checkpoint(3), entries: newEntries.slice(2) });
    await journal.append([message(11)], { expectedSeq: 10, checkpoint: checkpoint(9) });
    await journal.close();
    expect(await codesFound()).toEqual(['journal-without-record', 'examined']);
  });

  it('is gone on with by its other users and by readers that had the old file open', async () => {
    await using store = open();
    await using elsewhere = open();
    const journal = await beginOld(store);
    const other = await store.open('one');
    const readers = [await store.open('one', { readOnly: true }), await elsewhere.open('one', { readOnly: true })];
    for (const reader of readers) expect(await all(reader.read())).toEqual(oldEntries);
    const iterations = [journal, ...readers].map((reader) => reader.read()[Symbol.asyncIterator]());
    for (const iteration of iterations) expect((await iteration.next()).value).toEqual(oldEntries[0]);
    await journal.replace(content(), { expectedSeq: 10 });
    // What it would append was made from what is no more.
    await expect(other.append([message(11)], { expectedSeq: 10 })).rejects.toMatchObject({
      code: 'VARVE_STORE_CONFLICT',
    });
    await other.tail();
    await other.append([message(11)], { expectedSeq: 10 });
    for (const reader of [journal, other, ...readers]) {
      expect(await all(reader.read())).toEqual([...newEntries, message(11)]);
      expect(await reader.get([2, message(9).id])).toEqual([renewed(2), renewed(9)]);
      expect((await reader.tail()).checkpoint).toEqual(checkpoint(3));
    }
    for (const iteration of iterations) {
      for (const entry of oldEntries.slice(1)) expect((await iteration.next()).value).toEqual(entry);
      expect((await iteration.next()).done).toBe(true);
    }
  });

  it('is not replaced when somebody appends meanwhile', async () => {
    await using store = open();
    const journal = await beginOld(store);
    async function* overtaken(): AsyncGenerator<JournalBatch> {
      yield* content();
      await journal.append([message(11)], { expectedSeq: 10 });
    }
    await expect(journal.replace(overtaken(), { expectedSeq: 10 })).rejects.toMatchObject({
      code: 'VARVE_STORE_CONFLICT',
    });
    expect(await all(journal.read())).toEqual([...oldEntries, message(11)]);
    expect(await readdir(join(file, '..'))).not.toContain('one.jsonl.new');
  });

  it('takes appends that wait behind it, and replacements one after the other', async () => {
    await using store = open();
    const journal = await beginOld(store);
    await Promise.all([
      journal.replace(content(), { expectedSeq: 10 }),
      journal.replace(content(), { expectedSeq: 10 }),
    ]);
    await journal.append([message(11)], { expectedSeq: 10 });
    expect(await all(journal.read())).toEqual([...newEntries, message(11)]);
  });

  it('is closed only when the replacement has ended', async () => {
    await using store = open();
    const journal = await beginOld(store);
    const replaced = journal.replace(content(), { expectedSeq: 10 });
    await journal.close();
    await replaced;
    expect(await all((await store.open('one')).read())).toEqual(newEntries);
  });

  it('is not replaced where somebody else wrote to the file', async () => {
    await using store = open();
    const journal = await beginOld(store);
    await appendFile(file, 'foreign\n');
    const found = await readFile(file, 'utf8');
    await expect(journal.replace(content(), { expectedSeq: 10 })).rejects.toMatchObject({
      code: 'VARVE_STORE_CONFLICT',
    });
    expect(await readFile(file, 'utf8')).toBe(found);
  });

  it('is synced to the folder before an append behind it counts', async () => {
    await using store = open();
    const journal = await beginOld(store);
    const folder = join(file, '..');
    let isSynced = true;
    fileSystem.fault = (operation, path) => {
      if (operation !== 'sync' || path !== folder) return undefined;
      isSynced = false;
      throw systemError('EIO');
    };
    await expect(journal.replace(content(), { expectedSeq: 10 })).rejects.toMatchObject({ code: 'VARVE_STORE_IO' });
    expect(isSynced).toBe(false);
    await expect(journal.append([message(11)], { expectedSeq: 10 })).rejects.toMatchObject({ code: 'VARVE_STORE_IO' });
    fileSystem.fault = undefined;
    const { sync } = fileSystem.counts;
    await journal.append([message(11)], { expectedSeq: 10 });
    expect(fileSystem.counts.sync).toBe(sync + 1);
    expect(await all(journal.read())).toEqual([...newEntries, message(11)]);
  });
});

describe('a replacement that fails', () => {
  it.each(faultModes)('leaves the old journal or the new one, wherever it does: $title', async (mode) => {
    const outcomes = new Set<string>();
    for (let step = 1; ; step += 1) {
      await rm(join(root, 'agents'), { recursive: true, force: true });
      const store = open();
      const journal = await beginOld(store);
      const end = failStep(fileSystem, step, mode);
      const replaced = await journal.replace(content(), { expectedSeq: 10 }).then(
        () => 'replaced',
        (error) => error.code,
      );
      const late = mode.isFinal ? null : await journal.append([message(11)], { expectedSeq: 10 }).catch(() => null);
      const failed = end();
      await store[Symbol.asyncDispose]();
      if (failed === null) {
        expect(replaced).toBe('replaced');
        break;
      }
      await using again = open();
      const entries = await all((await again.open('one')).read());
      const isNew = (entries[0] as { id: string } & Entry) && JSON.stringify(entries[0]).includes('renewed');
      const expected = isNew ? newEntries : oldEntries;
      expect(entries, failed).toEqual(late === null ? expected : [...expected, message(11)]);
      expect(await readdir(join(file, '..')), failed).not.toContain('one.jsonl.new');
      if (replaced === 'replaced') expect(isNew, failed).toBe(true);
      else expect(replaced).toBe('VARVE_STORE_IO');
      if (isNew) expect(await everything(), failed).not.toContain('secret');
      outcomes.add(`${replaced} ${isNew ? 'new' : 'old'}`);
    }
    expect([...outcomes]).toContain('VARVE_STORE_IO old');
  });
});
