import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Entry, Store } from '@varve/core';
import { examineStore, jsonlStore, repairStore, type StoreFinding } from '@varve/stores/jsonl';
import { collectEntries as all, messageEntry as message, messageEntries as messages } from '@varve/testkit';
import { type FaultyFileSystem, faultyFileSystem } from '@varve/testkit/file-system';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let root: string;
let agent: string;
let journalFile: string;
let archive: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'varve-'));
  agent = join(root, 'agents/work');
  journalFile = join(agent, 'sessions/one.jsonl');
  archive = join(agent, 'archive/one.jsonl.gz');
});

afterEach(() => rm(root, { recursive: true, force: true }));

function open(fileSystem: FaultyFileSystem = faultyFileSystem()): Store {
  return jsonlStore({ root, fileSystem, durability: 'os' });
}

/** Two sessions of an agent; `one` is packed. */
async function fill(store: Store): Promise<void> {
  for (const sessionId of ['one', 'two']) {
    const journal = await store.open(sessionId, { create: { v: 1, sessionId, createdAt: 1, agentId: 'work' } });
    for (const entry of messages(1, 5)) await journal.append([entry], { expectedSeq: entry.seq - 1 });
    await journal.close();
  }
  await store.archives?.pack('one');
}

async function readAll(store: Store): Promise<Entry[]> {
  const journal = await store.open('one', { readOnly: true });
  try {
    return await all(journal.read());
  } finally {
    await journal.close();
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(join(agent, folder))).sort();
}

async function findings(): Promise<StoreFinding[]> {
  const found: StoreFinding[] = [];
  for await (const one of examineStore(root)) if (one.code !== 'examined') found.push(one);
  return found;
}

/** Moves the journal away whenever it is about to be looked for where it is, so many times. */
function movingFiles(mover: Store, times: number): FaultyFileSystem {
  const fileSystem = faultyFileSystem();
  let left = times;
  const moved = async (path: string): Promise<void> => {
    if (left === 0 || !(path.endsWith('one.jsonl') || path.endsWith('one.jsonl.gz'))) return;
    left -= 1;
    const isPacked = (await mover.archives?.list())?.includes('one');
    if (path.endsWith('.gz') && isPacked) await mover.archives?.unpack('one');
    else if (!path.endsWith('.gz') && !isPacked) await mover.archives?.pack('one');
  };
  return Object.assign(Object.create(fileSystem), {
    realpath: async (path: string) => {
      await moved(path);
      return fileSystem.realpath(path);
    },
    open: async (...of: Parameters<FaultyFileSystem['open']>) => {
      await moved(of[0]);
      return fileSystem.open(...of);
    },
  });
}

describe('a journal that is moved while it is looked for', () => {
  it.each([1, 2, 3])('is found by a reader, after %s moves', async (times) => {
    await using mover = open();
    await fill(mover);
    await using store = open(movingFiles(mover, times));
    expect(await readAll(store)).toEqual(messages(1, 5));
  });

  it.each([1, 2, 3])('is not begun a second time under another agent, after %s moves', async (times) => {
    await using mover = open();
    await fill(mover);
    await using store = open(movingFiles(mover, times));
    const journal = await store.open('one', { create: { v: 1, sessionId: 'one', createdAt: 2 } });
    expect(await all(journal.read())).toEqual(messages(1, 5));
    await journal.close();
    expect(await readdir(join(root, 'agents'))).toEqual(['work']);
  });
});

describe('what stands in the place of an archive and is none', () => {
  // Columns: what it is · how it comes there.
  const things: [title: string, put: () => Promise<unknown>][] = [
    ['an empty file', () => writeFile(archive, '', { mode: 0o600 })],
    ['a text', () => writeFile(archive, 'no archive at all\n'.repeat(99), { mode: 0o600 })],
    [
      'what another program has compressed',
      () => writeFile(archive, gzipSync('{"v":1}\n'.repeat(99)), { mode: 0o600 }),
    ],
    ['a folder', () => mkdir(archive, { mode: 0o700 })],
    ['a link to an archive', () => symlink(join(agent, 'archive/two.jsonl.gz'), archive)],
  ];

  it.each(things)('is no session but a finding: %s', async (_title, put) => {
    await using store = open();
    await fill(store);
    await store.archives?.pack('two');
    await rm(archive);
    await put();
    await rm(join(agent, 'sessions.jsonl'));
    await using other = open();
    expect((await other.sessions.list()).map(({ sessionId }) => sessionId)).toEqual(['two']);
    expect(await other.archives?.list()).toEqual(['two']);
    const missing = expect.objectContaining({ code: 'VARVE_STORE_MISSING' });
    await expect(other.open('one')).rejects.toThrow(missing);
    await expect(other.open('one', { readOnly: true })).rejects.toThrow(missing);
    await expect(other.archives?.unpack('one')).rejects.toThrow(missing);
    const found = await findings();
    expect(found.filter(({ sessionId }) => sessionId === 'one')).toMatchObject([
      { code: 'archive-unreadable', level: 'error', file: archive },
    ]);
    for await (const { codes } of repairStore(root, { findings: found }))
      expect(codes).not.toContain('archive-unreadable');
    await using last = open();
    expect((await last.sessions.list()).map(({ sessionId }) => sessionId)).toEqual(['two']);
  });

  it.each(things)(
    'stays as it is when a session of that name is begun, packed and removed: %s',
    async (_title, put) => {
      await using store = open();
      await fill(store);
      await store.archives?.pack('two');
      await rm(archive);
      await put();
      const journal = await store.open('one', { create: { v: 1, sessionId: 'one', createdAt: 1, agentId: 'work' } });
      await journal.append(messages(1, 2), { expectedSeq: 0 });
      await journal.close();
      expect(await readAll(store)).toEqual(messages(1, 2));
      await store.archives?.pack('one');
      expect(await namesIn('archive')).toEqual(['one.jsonl.gz', 'one.jsonl.gz.quarantine', 'two.jsonl.gz']);
      expect(await readAll(store)).toEqual(messages(1, 2));
      await store.remove?.('one', { expectedRev: 0 });
      expect(await namesIn('archive')).toContain('two.jsonl.gz');
    },
  );
});

describe('an archive that is kept', () => {
  it('is set aside with all its bytes where a block of it was damaged', async () => {
    await using store = open();
    await fill(store);
    const bytes = await readFile(archive);
    bytes.fill(0xff, 60, 90);
    await writeFile(archive, bytes);
    await store.archives?.unpack('one');
    expect(await namesIn('archive')).toEqual(['one.jsonl.gz.quarantine']);
    expect(await readFile(`${archive}.quarantine`)).toEqual(bytes);
  });

  it('is not written over when the journal beside it, which has less, is packed', async () => {
    await using store = open();
    await fill(store);
    const bytes = await readFile(archive);
    const journal = await store.open('one');
    await journal.close();
    const lines = (await readFile(journalFile, 'utf8')).split('\n');
    await writeFile(journalFile, `${lines.slice(0, 3).join('\n')}\n`);
    await writeFile(archive, bytes, { mode: 0o600 });
    await store.archives?.pack('one');
    expect(await readAll(store)).toEqual(messages(1, 2));
    expect(await readFile(`${archive}.quarantine`)).toEqual(bytes);
  });

  it('goes with its journal though that was written to in between, as it holds no more', async () => {
    await using store = open();
    await fill(store);
    const bytes = await readFile(archive);
    const journal = await store.open('one');
    await journal.append([message(6)], { expectedSeq: 5 });
    await journal.close();
    await writeFile(archive, bytes);
    await (await store.open('one')).close();
    expect(await namesIn('archive')).toEqual([]);
    expect(await readAll(store)).toEqual(messages(1, 6));
  });

  it('stays where its folder is a link: what is behind that is nobody’s to remove', async () => {
    await using store = open();
    await fill(store);
    const bytes = await readFile(archive);
    await (await store.open('one')).close();
    await rm(join(agent, 'archive'), { recursive: true });
    const elsewhere = join(root, 'elsewhere');
    await mkdir(elsewhere, { mode: 0o700 });
    await writeFile(join(elsewhere, 'one.jsonl.gz'), bytes, { mode: 0o600 });
    await symlink(elsewhere, join(agent, 'archive'));
    await (await store.open('one')).close();
    expect(await readAll(store)).toEqual(messages(1, 5));
    await store.remove?.('one', { expectedRev: 0 });
    expect(await readFile(join(elsewhere, 'one.jsonl.gz'))).toEqual(bytes);
    await expect(stat(journalFile)).rejects.toThrow('ENOENT');
  });
});
