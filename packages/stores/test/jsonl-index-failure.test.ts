import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jsonlStore } from '@varve/stores/jsonl';
import { beginJournal as begin } from '@varve/testkit';
import { type FaultyFileSystem, faultyFileSystem, systemError } from '@varve/testkit/file-system';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { failStep, faultModes } from './each-fault.ts';

let root: string;
let file: string;
let fileSystem: FaultyFileSystem;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'varve-'));
  file = join(root, 'agents/main/sessions.jsonl');
  fileSystem = faultyFileSystem();
});

afterEach(async () => {
  expect(fileSystem.openFiles).toBe(0);
  await rm(root, { recursive: true });
});

type Jsonl = ReturnType<typeof jsonlStore>;

function open(): Jsonl {
  return jsonlStore({ root, fileSystem });
}

/** Changes that each rest on what was acknowledged; gives the labels that were. */
async function changeEach(
  store: Jsonl,
  ids: readonly string[],
  label: string | null,
): Promise<Map<string, string | null>> {
  const done = new Map<string, string | null>();
  await Promise.all(
    ids.map(async (id) => {
      try {
        const record = await store.sessions.get(id);
        await store.sessions.put(id, { label }, { expectedRev: record?.rev ?? 0 });
        done.set(id, label);
      } catch (error) {
        expect(error).toMatchObject({ code: expect.stringMatching(/^VARVE_STORE_(IO|CONFLICT)$/) });
      }
    }),
  );
  return done;
}

const ids = ['1', '2', '3'];

/** What is done to an index before the operation that fails, so that there is something for it to do. */
const situations: readonly (readonly [
  title: string,
  prepare: (store: Jsonl) => Promise<unknown>,
  label: string | null,
])[] = [
  ['a change', async () => {}, 'changed'],
  ['the first change of all', () => rm(join(root, 'agents'), { recursive: true }), 'changed'],
  ['a change that takes a name back, and rewrites', async () => {}, null],
  ['a change of an index that was damaged', () => writeFile(file, 'garbage\n'), 'changed'],
];

describe.each(faultModes)('an operation that fails, $title,', (mode) => {
  it.each(situations)('loses nothing that was acknowledged: %s', async (_title, prepare, label) => {
    for (let step = 1; ; step += 1) {
      await rm(join(root, 'agents'), { recursive: true, force: true });
      const first = jsonlStore({ root, durability: 'os' });
      for (const id of ids) await (await begin(first, id)).close();
      await changeEach(first, ids, 'first');
      await prepare(first);
      await first[Symbol.asyncDispose]();
      const before = new Map(await listed());
      const store = open();
      const end = failStep(fileSystem, step, mode);
      const done = await changeEach(store, ids, label);
      const failed = end();
      const then = mode.isFinal ? new Map<string, string>() : await changeEach(store, ['1', '6'], 'then');
      if (!mode.isFinal) expect([...then.keys()], failed ?? '').toEqual(['1', '6']);
      await store[Symbol.asyncDispose]();
      const now = new Map(await listed());
      for (const [id, known] of new Map([...done, ...then])) expect(now.get(id), `${id}, ${failed}`).toBe(known);
      // What was refused is there or not; nothing else ever is.
      for (const id of ids) expect([label, 'then', before.get(id)], `${id}, ${failed}`).toContain(now.get(id));
      const again = jsonlStore({ root, durability: 'os' });
      await changeEach(again, ids, 'last');
      await again[Symbol.asyncDispose]();
      expect((await listed()).filter(([id]) => ids.includes(id))).toEqual(ids.map((id) => [id, 'last']));
      // What a crash left is removed by the next rewrite.
      const names = await readdir(join(root, 'agents/main'));
      if (!mode.isFinal) expect(names, failed ?? '').not.toContain('sessions.jsonl.new');
      if (failed === null) break;
    }
  });
});

async function listed(): Promise<[string, string | null][]> {
  await using store = jsonlStore({ root });
  const records = await store.sessions.list();
  return records.map(({ sessionId, label }): [string, string | null] => [sessionId, label]).sort();
}

describe('a full disk', () => {
  it('refuses changes until there is room, and loses none that was made', async () => {
    await using store = open();
    await changeEach(store, ids, 'first');
    fileSystem.fault = (operation) => {
      if (operation === 'writev') throw systemError('ENOSPC');
      return undefined;
    };
    for (let times = 0; times < 3; times += 1) {
      await expect(store.sessions.put('1', { label: 'x' }, { expectedRev: 1 })).rejects.toMatchObject({
        code: 'VARVE_STORE_IO',
        cause: { code: 'ENOSPC' },
        fix: expect.stringContaining('disk space'),
      });
      expect((await store.sessions.get('1'))?.label).toBe('first');
    }
    fileSystem.fault = undefined;
    expect((await changeEach(store, ids, 'second')).size).toBe(3);
  });

  it('lets a line in that fits behind a torn one where a whole new index does not', async () => {
    await using store = open();
    await changeEach(store, ids, 'first');
    await writeFile(file, '{"torn', { flag: 'a' });
    fileSystem.fault = (operation, path) => {
      if (operation === 'writev' && path.endsWith('.new')) throw systemError('ENOSPC');
      return undefined;
    };
    expect((await changeEach(store, ids, 'second')).size).toBe(3);
    fileSystem.fault = undefined;
    expect(await listed()).toEqual(ids.map((id) => [id, 'second']));
  });
});

describe('a name that is taken back', () => {
  it('is not told to be gone while the index cannot be rewritten, and is gone when it is asked for again', async () => {
    await using store = open();
    await store.sessions.put('1', { label: 'secret' }, { expectedRev: 0 });
    await store.sessions.put('2', { label: 'other' }, { expectedRev: 0 });
    fileSystem.fault = (operation, path) => {
      if (operation === 'writev' && path.endsWith('.new')) throw systemError('ENOSPC');
      return undefined;
    };
    const refusal = { code: 'VARVE_STORE_IO', cause: { code: 'ENOSPC' } };
    const takeBack = async () => {
      const record = await store.sessions.get('1');
      return store.sessions.put('1', { label: null }, { expectedRev: record?.rev ?? 0 });
    };
    const [taken, changed] = await Promise.allSettled([
      takeBack(),
      store.sessions.put('2', { label: 'changed' }, { expectedRev: 1 }),
    ]);
    expect(taken).toMatchObject({ status: 'rejected', reason: refusal });
    expect(changed).toMatchObject({ status: 'fulfilled', value: { label: 'changed' } });
    await expect(takeBack()).rejects.toMatchObject(refusal);
    expect(await readFile(file, 'utf8')).toContain('secret');
    await store.sessions.put('3', { label: null }, { expectedRev: 0 });
    fileSystem.fault = undefined;
    expect(await takeBack()).toMatchObject({ label: null });
    expect(await readFile(file, 'utf8')).not.toContain('secret');
  });
});
