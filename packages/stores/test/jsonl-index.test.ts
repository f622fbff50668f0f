import { execFile } from 'node:child_process';
import { appendFile, copyFile, mkdtemp, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import type { SessionPatch, Store } from '@varve/core';
import { jsonlStore, type RepairEvent } from '@varve/stores/jsonl';
import { beginJournal as begin, messageEntries as messages } from '@varve/testkit';
import { type FaultyFileSystem, faultyFileSystem } from '@varve/testkit/file-system';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

let root: string;
let file: string;
let fileSystem: FaultyFileSystem;
let repairs: RepairEvent[];
let opened: Store[];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'varve-'));
  file = join(root, 'agents/main/sessions.jsonl');
  fileSystem = faultyFileSystem();
  repairs = [];
  opened = [];
});

afterEach(async () => {
  for (const store of opened) await store[Symbol.asyncDispose]();
  expect(fileSystem.openFiles).toBe(0);
  await rm(root, { recursive: true });
});

function open(options: Partial<Parameters<typeof jsonlStore>[0]> = {}): Store {
  const store = jsonlStore({
    root,
    fileSystem,
    durability: 'os',
    onRepair: (event) => repairs.push(event),
    ...options,
  });
  opened.push(store);
  return store;
}

/** Makes records with the ids `1` to `count`, all at once. */
function fill(store: Store, count: number, patch: SessionPatch = {}): Promise<unknown> {
  const ids = Array.from({ length: count }, (_, index) => String(index + 1));
  return Promise.all(ids.map((id) => store.sessions.put(id, { ...patch, updatedAt: Number(id) }, { expectedRev: 0 })));
}

async function linesOf(path: string): Promise<string[]> {
  return (await readFile(path, 'utf8')).split('\n').slice(0, -1);
}

describe('the index of sessions', () => {
  it('is a file an agent, with a line for each change', async () => {
    const store = open();
    await store.sessions.put('one', { label: 'first' }, { expectedRev: 0 });
    await store.sessions.put('one', { label: 'second' }, { expectedRev: 1 });
    await store.sessions.put('two', { agentId: 'Ada' }, { expectedRev: 0 });
    const lines = await linesOf(file);
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { v: 1, type: 'session-index', file: expect.any(String), crc: expect.any(String) },
      { v: 1, record: expect.objectContaining({ sessionId: 'one', rev: 1, label: 'first' }), ...sealed },
      { v: 1, record: expect.objectContaining({ sessionId: 'one', rev: 2, label: 'second' }), ...sealed },
    ]);
    expect(await linesOf(join(root, 'agents/%41da/sessions.jsonl'))).toHaveLength(2);
    expect((await store.sessions.list()).map(({ sessionId }) => sessionId)).toEqual(['one', 'two']);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(root, 'agents/main'))).toEqual(['sessions.jsonl']);
    expect(repairs).toEqual([]);
  });

  it('lists what there is beside an agent that is a link in a circle', async () => {
    const store = open();
    await (await begin(store)).close();
    await store.sessions.put('one', { label: 'first' }, { expectedRev: 0 });
    await symlink('eve', join(root, 'agents/eve'));
    const other = open();
    expect((await other.sessions.list()).map(({ sessionId }) => sessionId)).toEqual(['one']);
    await expect(other.open('two', { readOnly: true })).rejects.toMatchObject({ code: 'VARVE_STORE_MISSING' });
  });

  it('keeps a record where it was made, whatever its agent is later', async () => {
    const store = open();
    await store.sessions.put('one', { agentId: 'ada' }, { expectedRev: 0 });
    await store.sessions.put('one', { agentId: 'bob' }, { expectedRev: 1 });
    expect(await readdir(join(root, 'agents'))).toEqual(['ada']);
    const other = open();
    expect(await other.sessions.list({ agentId: 'bob' })).toHaveLength(1);
    expect(await other.sessions.list({ agentId: 'ada' })).toHaveLength(0);
  });

  it('writes and syncs once for all changes that wait', async () => {
    const store = open({ durability: 'fsync' });
    await store.sessions.put('0', {}, { expectedRev: 0 });
    const { writev, datasync } = fileSystem.counts;
    await fill(store, 100);
    expect(fileSystem.counts.writev - writev).toBeLessThanOrEqual(2);
    expect(fileSystem.counts.datasync - datasync).toBe(fileSystem.counts.writev - writev);
    const alone = fileSystem.counts;
    const before = { ...alone };
    await store.sessions.put('1', { label: 'x' }, { expectedRev: 1 });
    expect(fileSystem.counts.datasync - before.datasync).toBe(1);
    expect((await open().sessions.list({ limit: 1_000 })).length).toBe(101);
  });

  it('costs a change the same with 20 000 records as with 20', async () => {
    const costs = [20, 20_000].map(async (count) => {
      const system = faultyFileSystem();
      await using store = jsonlStore({ root: join(root, String(count)), durability: 'os', fileSystem: system });
      await fill(store, count);
      const before = { ...system.counts, bytesRead: system.bytesRead, bytesWritten: system.bytesWritten };
      await store.sessions.put('7', { label: 'changed' }, { expectedRev: 1 });
      const { counts } = system;
      return {
        open: counts.open - before.open,
        read: counts.read - before.read,
        writev: counts.writev - before.writev,
        rename: counts.rename - before.rename,
        bytesRead: system.bytesRead - before.bytesRead,
        bytesWritten: system.bytesWritten - before.bytesWritten,
      };
    });
    const [small, large] = await Promise.all(costs);
    expect(small).toMatchObject({ writev: 1, open: 0, read: 0, rename: 0 });
    expect(large).toEqual(small);
  });

  it('is opened once for changes that follow each other, and closed when none has come for a second', async ({
    onTestFinished,
  }) => {
    onTestFinished(() => void vi.useRealTimers());
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const store = open();
    await store.sessions.put('1', {}, { expectedRev: 0 });
    const { open: opened } = { ...fileSystem.counts };
    for (let rev = 1; rev < 10; rev += 1) {
      vi.advanceTimersByTime(999);
      await store.sessions.put('1', { label: String(rev) }, { expectedRev: rev });
    }
    expect(fileSystem.counts.open).toBe(opened);
    expect(fileSystem.openFiles).toBe(1);
    vi.advanceTimersByTime(1_000);
    // Comes behind the close.
    expect((await store.sessions.get('1'))?.label).toBe('9');
    expect(fileSystem.openFiles).toBe(0);
    await store.sessions.put('1', { label: 'again' }, { expectedRev: 10 });
    expect((await open().sessions.get('1'))?.label).toBe('again');
  });

  it('is open for few of many agents at a time', async () => {
    const store = open();
    const agents = Array.from({ length: 30 }, (_, index) => `agent-${index}`);
    for (const agentId of agents) await store.sessions.put(agentId, { agentId }, { expectedRev: 0 });
    // Comes behind the last of them.
    expect(await store.sessions.list({ limit: 100 })).toHaveLength(30);
    expect(fileSystem.openFiles).toBeLessThanOrEqual(8);
  });

  it('takes a change though somebody has moved the file away that is open', async () => {
    const store = open();
    await fill(store, 3);
    const other = `${file}.kept`;
    await rename(file, other);
    await copyFile(other, file);
    await store.sessions.put('2', { label: 'changed' }, { expectedRev: 1 });
    expect((await open().sessions.get('2'))?.label).toBe('changed');
    expect((await open().sessions.list()).map(({ rev }) => rev).sort()).toEqual([1, 1, 2]);
  });

  it('reads no more than what was appended by somebody else', async () => {
    const store = open();
    await fill(store, 1_000);
    await store.sessions.get('1');
    const other = open({ fileSystem: faultyFileSystem() });
    await other.sessions.put('1', { label: 'changed' }, { expectedRev: 1 });
    const before = fileSystem.bytesRead;
    expect((await store.sessions.get('1'))?.label).toBe('changed');
    expect(fileSystem.bytesRead - before).toBeLessThan(1_000);
    const unchanged = { ...fileSystem.counts };
    await store.sessions.get('2');
    expect(fileSystem.counts).toEqual({ ...unchanged, stat: unchanged.stat + 1 });
  });

  it('is rewritten when it is mostly garbage, and not before', async () => {
    const store = open();
    await fill(store, 50);
    const [header] = await linesOf(file);
    let rev = 1;
    for (; rev <= 60; rev += 1) await store.sessions.put('1', {}, { expectedRev: rev });
    // 110 lines, 50 that count, but short.
    expect((await linesOf(file))[0]).toBe(header);
    const label = 'x'.repeat(2_000);
    for (; rev <= 120; rev += 1) await store.sessions.put('2', { label }, { expectedRev: rev - 60 });
    await store[Symbol.asyncDispose]();
    expect((await linesOf(file))[0]).not.toBe(header);
    expect((await linesOf(file)).length).toBeLessThan(100);
    expect((await open().sessions.get('2'))?.rev).toBe(61);
    expect(await open().sessions.list()).toHaveLength(50);
    expect(await readdir(join(root, 'agents/main'))).toEqual(['sessions.jsonl']);
  });

  it('forgets a name that is taken back', async () => {
    const store = open();
    await store.sessions.put('one', { label: 'secret', displayName: 'other' }, { expectedRev: 0 });
    await store.sessions.put('one', { label: 'another' }, { expectedRev: 1 });
    expect(await readFile(file, 'utf8')).toContain('secret');
    await store.sessions.put('one', { label: null }, { expectedRev: 2 });
    const text = await readFile(file, 'utf8');
    expect(text).not.toContain('secret');
    expect(text).not.toContain('another');
    expect(await open().sessions.get('one')).toMatchObject({ rev: 3, label: null, displayName: 'other' });
  });

  it('keeps lines of newer versions, also when it is rewritten', async () => {
    const store = open();
    await store.sessions.put('one', { label: 'name' }, { expectedRev: 0 });
    const newer = '{"v":2,"of":"the future",';
    const line = `${newer}"crc":"${crc32(newer).toString(16).padStart(8, '0')}"}`;
    await appendFile(file, `${line}\n`);
    await store.sessions.put('one', { label: null }, { expectedRev: 1 });
    expect(await linesOf(file)).toContain(line);
    expect(repairs).toEqual([]);
  });

  it('lists pages of any size in order, with many records of one time', async () => {
    const store = open();
    const ids = Array.from({ length: 5_000 }, (_, index) => String(index));
    await Promise.all(
      ids.map((id, index) => {
        const updatedAt = index < 2_500 ? 7 : index;
        const agentId = index % 2 === 0 ? 'ada' : 'main';
        return store.sessions.put(
          id,
          { updatedAt, agentId, label: index % 3 === 0 ? 'third' : null },
          { expectedRev: 0 },
        );
      }),
    );
    const listed: { readonly sessionId: string; readonly updatedAt: number }[] = [];
    for (;;) {
      const page = await store.sessions.list({ limit: 700, text: 'third', after: listed.at(-1) });
      listed.push(...page);
      if (page.length < 700) break;
    }
    const expected = ids
      .flatMap((sessionId, index) => (index % 3 === 0 ? [{ sessionId, updatedAt: index < 2_500 ? 7 : index }] : []))
      .sort((a, b) => b.updatedAt - a.updatedAt || (a.sessionId < b.sessionId ? -1 : 1));
    expect(listed.map(({ sessionId, updatedAt }) => ({ sessionId, updatedAt }))).toEqual(expected);
    expect(await store.sessions.list()).toHaveLength(100);
    expect(await store.sessions.list({ limit: 5_000 })).toHaveLength(1_000);
    expect(await store.sessions.list({ limit: 0 })).toEqual([]);
  });

  it('is used by a host that was told of no repair', async () => {
    const journal = await begin(open());
    await journal.append(messages(1, 3), { expectedSeq: 0 });
    expect(await open().sessions.get('one')).toBeNull();
    expect(await open().sessions.list()).toEqual([]);
    expect(repairs).toEqual([]);
  });
});

const sealed = { by: expect.any(String), crc: expect.stringMatching(/^[0-9a-f]{8}$/) };

describe('two stores on one root', () => {
  it('see each other’s records at once', async () => {
    const [one, two] = [open(), open()];
    await one.sessions.put('a', { label: 'x' }, { expectedRev: 0 });
    expect((await two.sessions.get('a'))?.label).toBe('x');
    await two.sessions.put('a', { label: 'y' }, { expectedRev: 1 });
    expect((await one.sessions.list())[0]?.label).toBe('y');
    await expect(one.sessions.put('a', {}, { expectedRev: 1 })).rejects.toMatchObject({ code: 'VARVE_STORE_CONFLICT' });
  });

  it.each(['os', 'fsync'] as const)('let one of several changes win, whatever the order: %s', async (durability) => {
    const stores = [open({ durability }), open({ durability }), open({ durability })];
    let rev = 0;
    for (let round = 0; round < 40; round += 1) {
      const results = await Promise.allSettled(
        stores.map((store, index) => store.sessions.put('a', { label: `${round} ${index}` }, { expectedRev: rev })),
      );
      const won = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
      expect(won).toHaveLength(1);
      for (const store of stores) expect(await store.sessions.get('a')).toEqual(won[0]);
      rev = won[0]?.rev ?? Number.NaN;
    }
    expect(rev).toBe(40);
  });

  it('lose no change while the file is rewritten again and again', async () => {
    const plan = fc.array(fc.record({ store: fc.nat(2), session: fc.nat(4), name: fc.boolean() }), {
      minLength: 20,
      maxLength: 60,
    });
    const law = fc.asyncProperty(plan, async (steps) => {
      const folder = await mkdtemp(join(root, 'race-'));
      const stores = [0, 1, 2].map(() => jsonlStore({ root: folder, durability: 'os' }));
      const counted = new Map<string, number>();
      const step = async ({ store, session, name }: { store: number; session: number; name: boolean }) => {
        const id = String(session);
        const { sessions } = stores[store] as Store;
        for (;;) {
          const record = await sessions.get(id);
          const count = Number(record?.key ?? 0) + 1;
          try {
            // Taking a name back rewrites the file.
            const patch = { key: String(count), label: name ? 'name' : null };
            await sessions.put(id, patch, { expectedRev: record?.rev ?? 0 });
            counted.set(id, (counted.get(id) ?? 0) + 1);
            return;
          } catch (error) {
            if ((error as { code?: string }).code !== 'VARVE_STORE_CONFLICT') throw error;
          }
        }
      };
      await Promise.all(steps.map(step));
      for (const store of stores) {
        const records = await store.sessions.list();
        expect(new Map(records.map(({ sessionId, key }) => [sessionId, Number(key)]))).toEqual(counted);
        await store[Symbol.asyncDispose]();
      }
    });
    await fc.assert(law, { numRuns: 8 });
  });
});

describe('two processes on one root', () => {
  it('count to their sum in one record', async () => {
    const times = 150;
    const child = fileURLToPath(new URL('./count-in-index.ts', import.meta.url));
    const argv = ['--conditions=@varve/source', '--import', 'tsx', child, root, 'shared', String(times)];
    const run = () => promisify(execFile)(process.execPath, argv, { cwd: import.meta.dirname });
    await Promise.all([run(), run()]);
    expect(await open().sessions.get('shared')).toMatchObject({ label: String(2 * times), rev: 2 * times });
    expect(repairs).toEqual([]);
  });
});
