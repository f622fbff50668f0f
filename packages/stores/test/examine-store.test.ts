import { spawnSync } from 'node:child_process';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { emptyCounters } from '@varve/core';
import { examineStore, jsonlStore, type StoreFinding } from '@varve/stores/jsonl';
import { beginJournal as begin, messageEntries as messages } from '@varve/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let root: string;
let sessions: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'varve-'));
  sessions = join(root, 'agents/main/sessions');
});

afterEach(() => rm(root, { recursive: true, force: true }));

async function findings(): Promise<StoreFinding[]> {
  const found: StoreFinding[] = [];
  for await (const one of examineStore(root)) found.push(one);
  return found;
}

async function fill(ids: readonly string[], agentId = 'main'): Promise<void> {
  await using store = jsonlStore({ root, durability: 'os' });
  for (const id of ids) {
    const journal = await store.open(id, { create: { v: 1, sessionId: id, createdAt: 1, agentId } });
    await journal.append(messages(1, 3), { expectedSeq: 0 });
    const counters = { ...emptyCounters, countedSeq: 3 };
    await store.sessions.put(id, { agentId, counters }, { expectedRev: 0 });
  }
}

/** Every file and folder with its bytes and times. */
async function everything(): Promise<unknown[]> {
  const names = await readdir(root, { recursive: true });
  return Promise.all(
    names.sort().map(async (name) => {
      const facts = await stat(join(root, name));
      return [
        name,
        facts.mtimeMs,
        facts.ino,
        facts.mode,
        facts.isFile() ? await readFile(join(root, name), 'utf8') : '',
      ];
    }),
  );
}

describe('examining a store', () => {
  it('finds nothing where there is none, and nothing in one that is sound', async () => {
    await rm(root, { recursive: true });
    expect(await findings()).toEqual([]);
    await mkdir(root, { mode: 0o700 });
    expect(await findings()).toEqual([expect.objectContaining({ code: 'examined', level: 'note', bytes: 0 })]);
    await fill(['one', 'two']);
    await fill(['Three'], 'ada');
    const [last, ...others] = (await findings()).reverse();
    expect(others).toEqual([]);
    expect(last?.text).toMatch(/^Examined 3 sessions of 2 agents: 9 entries in \d+ bytes\.$/);
    expect(last?.bytes).toBeGreaterThan(1_000);
  });

  it('changes nothing, and needs no lock', async () => {
    await fill(['one', 'two']);
    await using store = jsonlStore({ root });
    const journal = await store.open('one');
    await writeFile(join(sessions, 'two.jsonl'), 'torn', { flag: 'a' });
    const before = await everything();
    expect((await findings()).map(({ code }) => code)).toEqual(['lock-live', 'append-torn', 'examined']);
    expect(await everything()).toEqual(before);
    await journal.append(messages(4, 4), { expectedSeq: 3 });
  });

  it('says whose file each finding is about, and what to do', async () => {
    await fill(['Some Session'], 'ada');
    const file = join(root, 'agents/ada/sessions/%53ome%20%53ession.jsonl');
    await writeFile(file, 'rubbish\n', { flag: 'a' });
    const [found] = await findings();
    expect(found).toEqual({
      ...{ level: 'error', code: 'line-damaged', agentId: 'ada', sessionId: 'Some Session', file, bytes: 7 },
      text: expect.stringMatching(/^Bytes are no entry and were skipped \(in line 5, at byte \d+\)\.$/),
      fix: expect.stringMatching(/\.$/),
      repair: { how: 'rewrite', target: file, text: expect.stringMatching(/^Write .*\.$/) },
    });
  });

  it('tells many places of one kind once', async () => {
    await fill(['one']);
    await writeFile(join(sessions, 'one.jsonl'), 'rubbish\n'.repeat(1_000), { flag: 'a' });
    const found = await findings();
    expect(found.map(({ code }) => code)).toEqual(['line-damaged', 'examined']);
    expect(found[0]).toMatchObject({ bytes: 7_000, text: expect.stringContaining('1000 times, first in line 5') });
  });

  it('names who holds a lock, and tells one that was left behind', async () => {
    await fill(['one', 'two']);
    await using store = jsonlStore({ root });
    await begin(store, 'one');
    const owner = JSON.parse(await readFile(join(sessions, 'one.jsonl.owner'), 'utf8'));
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    await mkdir(join(sessions, 'two.jsonl.lock'), { mode: 0o700 });
    await writeFile(join(sessions, 'two.jsonl.owner'), JSON.stringify({ ...owner, pid }), { mode: 0o600 });
    const found = await findings();
    expect(found.map(({ code, text, sessionId }) => [code, sessionId, text])).toEqual([
      ['lock-live', 'one', `It is being written by process ${process.pid} on "${hostname()}".`],
      ['lock-stale', 'two', `The lock of process ${pid} on "${hostname()}" was left behind.`],
      ['examined', undefined, expect.any(String)],
    ]);
  });

  it('tells a lock without a heartbeat from one that is held', async () => {
    await fill(['one']);
    const lock = join(sessions, 'one.jsonl.lock');
    await mkdir(lock, { mode: 0o700 });
    expect((await findings()).map(({ code }) => code)).toEqual(['lock-live', 'examined']);
    await utimes(lock, 1, 1);
    expect((await findings()).map(({ code }) => code)).toEqual(['lock-stale', 'examined']);
  });

  it('does not take what a writer is about to finish for damage', async () => {
    await fill(['one']);
    await using store = jsonlStore({ root });
    await begin(store, 'one');
    await writeFile(join(sessions, 'one.jsonl'), '{"half an en', { flag: 'a' });
    expect((await findings()).map(({ code }) => code)).toEqual(['lock-live', 'examined']);
  });

  // Columns: what is done to a store with the sessions `one` and `two` · what is found.
  const changes: [title: string, change: () => Promise<unknown>, found: readonly string[]][] = [
    ['a file of quarantine', () => put('sessions/one.jsonl.quarantine', 'bytes'), ['quarantine-kept']],
    ['quarantine of the index', () => put('sessions.jsonl.quarantine', 'bytes'), ['quarantine-kept']],
    ['a replacement that was not finished', () => put('sessions/one.jsonl.new', 'bytes'), ['temporary-file']],
    ['an index that was not finished', () => put('sessions.jsonl.new', 'bytes'), ['temporary-file']],
    ['a name without a lock', () => put('sessions/one.jsonl.owner', '{}'), ['temporary-file']],
    ['a take-over that did not end', () => put('sessions/one.jsonl.takeover', ''), ['temporary-file']],
    ['a file of somebody else', () => put('sessions/notes.txt', 'bytes'), ['file-unknown']],
    ['a copy', () => put('sessions/one.jsonl.bak', 'bytes'), ['file-unknown']],
    ['a journal that others may read', () => chmod(join(sessions, 'one.jsonl'), 0o644), ['permissions-open']],
    ['a folder that others may read', () => chmod(sessions, 0o755), ['permissions-open']],
    ['a root that others may read', () => chmod(root, 0o711), ['permissions-open']],
    ['a journal that is gone', () => rm(join(sessions, 'one.jsonl')), ['record-without-journal']],
    ['a link out of the root', () => symlink('/etc', join(root, 'agents/eve')), ['link-outside']],
    ['a link in a circle', () => symlink('loop.jsonl', join(sessions, 'loop.jsonl')), ['link-outside']],
    [
      'a lock that is a link in a circle',
      () => symlink('one.jsonl.lock', join(sessions, 'one.jsonl.lock')),
      ['file-unknown'],
    ],
    ['an agent that is a link in a circle', () => symlink('eve', join(root, 'agents/eve')), ['link-outside']],
    ['a link that leads nowhere', () => symlink('/nowhere', join(sessions, 'x.jsonl')), ['link-outside']],
    ['a file among the agents', () => writeFile(join(root, 'agents/x'), '', { mode: 0o600 }), ['file-unknown']],
  ];

  async function put(name: string, content: string): Promise<void> {
    await writeFile(join(root, 'agents/main', name), content, { mode: 0o600 });
  }

  it.each(changes)('finds %s', async (_title, change, found) => {
    await fill(['one', 'two']);
    await change();
    expect((await findings()).map(({ code }) => code)).toEqual([...found, 'examined']);
  });

  it('finds sessions without a record, and records that are behind', async () => {
    await fill(['one', 'two']);
    await using store = jsonlStore({ root, durability: 'os' });
    await (await begin(store, 'three')).close();
    const journal = await store.open('two');
    await journal.append(messages(4, 5), { expectedSeq: 3 });
    await journal.close();
    expect((await findings()).map(({ code, sessionId }) => [code, sessionId])).toEqual([
      ['journal-without-record', 'three'],
      ['counters-behind', 'two'],
      ['examined', undefined],
    ]);
  });

  describe('with archives', () => {
    const archive = (): string => join(root, 'agents/main/archive/one.jsonl.gz');

    async function pack(): Promise<Buffer> {
      await fill(['one', 'two']);
      await using store = jsonlStore({ root, durability: 'os' });
      await store.archives?.pack('one');
      return readFile(archive());
    }

    it('reads them as journals, and finds nothing in those that are sound', async () => {
      await pack();
      const [only, ...others] = await findings();
      expect(others).toEqual([]);
      expect(only).toMatchObject({
        code: 'examined',
        text: expect.stringContaining('2 sessions of 1 agent: 6 entries'),
      });
    });

    it('names a block that is damaged, with what is missing', async () => {
      const bytes = await pack();
      bytes.fill(255, 50, 60);
      await writeFile(archive(), bytes);
      const found = await findings();
      expect(found.map(({ code }) => code)).toEqual(['block-damaged', 'header-damaged', 'counters-ahead', 'examined']);
      expect(found[0]).toMatchObject({ level: 'error', sessionId: 'one', file: archive() });
      expect(found.every(({ repair }) => repair === undefined)).toBe(true);
    });

    it('tells of an archive beside its journal, of a move that did not end, and of what is none', async () => {
      const bytes = await pack();
      await rename(archive(), join(root, 'kept'));
      await using store = jsonlStore({ root, durability: 'os' });
      await begin(store, 'one').then((journal) => journal.close());
      await rename(join(root, 'kept'), archive());
      await writeFile(`${archive()}.new`, bytes, { mode: 0o600 });
      await writeFile(join(root, 'agents/main/archive/notes.txt'), '', { mode: 0o600 });
      const found = (await findings()).filter(({ file }) => file.includes('/archive/'));
      expect(found.map(({ code, file }) => [code, file.slice(root.length)])).toEqual([
        ['file-unknown', '/agents/main/archive/notes.txt'],
        ['archive-beside-journal', '/agents/main/archive/one.jsonl.gz'],
        ['temporary-file', '/agents/main/archive/one.jsonl.gz.new'],
      ]);
    });
  });
});
