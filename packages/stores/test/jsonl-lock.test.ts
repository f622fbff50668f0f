import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '@varve/core';
import { jsonlStore } from '@varve/stores/jsonl';
import { beginJournal as begin, messageEntry as message } from '@varve/testkit';
import { faultyFileSystem, systemError } from '@varve/testkit/file-system';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let root: string;
let file: string;
let opened: Store[];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'varve-'));
  file = join(root, 'agents/main/sessions/one.jsonl');
  opened = [];
});

afterEach(async () => {
  for (const store of opened) await store[Symbol.asyncDispose]();
  await rm(root, { recursive: true });
});

function open(): Store {
  const store = jsonlStore({ root });
  opened.push(store);
  return store;
}

/** The name that this process leaves, for a test to change. */
async function ownName(): Promise<Record<string, unknown>> {
  const store = open();
  await begin(store);
  const name = JSON.parse(await readFile(`${file}.owner`, 'utf8'));
  await store[Symbol.asyncDispose]();
  return name;
}

const pidOfTheDead = () => spawnSync(process.execPath, ['-e', '']).pid;

describe('the lock of a journal', () => {
  it('keeps a second store out and names the first', async () => {
    const first = open();
    const journal = await begin(first);
    const second = open();
    await expect(begin(second)).rejects.toMatchObject({
      code: 'VARVE_STORE_LOCKED',
      message: expect.stringContaining(`process ${process.pid} on "${hostname()}"`),
      fix: expect.stringContaining('readOnly'),
      details: { file, pid: process.pid, host: hostname() },
    });
    await journal.append([message(1)], { expectedSeq: 0 });
    expect((await (await second.open('one', { readOnly: true })).tail()).entries).toEqual([message(1)]);
    await begin(second, 'two');
    await first[Symbol.asyncDispose]();
    await (await begin(second)).append([message(2)], { expectedSeq: 1 });
  });

  it('is held until the last user of the journal has closed it', async () => {
    const first = open();
    const journals = [await begin(first), await begin(first)];
    await journals[0]?.close();
    await expect(begin(open())).rejects.toMatchObject({ code: 'VARVE_STORE_LOCKED' });
    await journals[1]?.close();
    await begin(open());
  });

  // Columns: what stands in the owner's file · whether the lock is free.
  const owners: [title: string, owner: (self: Record<string, unknown>) => unknown, isFree: boolean][] = [
    ['a process that is gone', (self) => ({ ...self, pid: pidOfTheDead() }), true],
    ['a process that runs', (self) => ({ ...self, pid: process.ppid }), false],
    ['this process', (self) => self, false],
    ['a process of another host', (self) => ({ ...self, pid: pidOfTheDead(), host: 'elsewhere' }), false],
    ['a process of another container', (self) => ({ ...self, pid: pidOfTheDead(), machine: 'other' }), false],
    ['a pid that means all processes', (self) => ({ ...self, pid: -1 }), false],
    ['nobody', () => null, false],
  ];

  it.each(owners)(
    'that is left behind by %s is taken over only if nobody can hold it',
    async (_title, owner, isFree) => {
      const name = JSON.stringify(owner(await ownName()));
      await mkdir(`${file}.lock`);
      await writeFile(`${file}.owner`, name);
      const opening = begin(open());
      if (!isFree) return expect(opening).rejects.toMatchObject({ code: 'VARVE_STORE_LOCKED' });
      await (await opening).append([message(1)], { expectedSeq: 0 });
      await expect(begin(open())).rejects.toMatchObject({ details: { pid: process.pid } });
    },
  );

  it('is not taken from one who has just got it and not yet written a name', async () => {
    const self = await ownName();
    await writeFile(`${file}.owner`, JSON.stringify({ ...self, pid: pidOfTheDead() }));
    // Times of files go in steps of some milliseconds: the lock must be seen to be the younger one.
    spawnSync(process.execPath, ['-e', '']);
    await mkdir(`${file}.lock`);
    await expect(begin(open())).rejects.toMatchObject({ code: 'VARVE_STORE_LOCKED' });
  });

  it('is free again when the name of who took it over cannot be written', async () => {
    const self = await ownName();
    await mkdir(`${file}.lock`);
    await writeFile(`${file}.owner`, JSON.stringify({ ...self, pid: pidOfTheDead() }));
    const fileSystem = faultyFileSystem();
    const { writeFile: write } = fileSystem;
    const store = jsonlStore({
      root,
      fileSystem: {
        ...fileSystem,
        writeFile: async (path, ...rest) => {
          if (path === `${file}.owner`) throw systemError('ENOSPC');
          return write(path, ...rest);
        },
      },
    });
    opened.push(store);
    await expect(begin(store)).rejects.toMatchObject({ code: 'VARVE_STORE_IO', cause: { code: 'ENOSPC' } });
    await begin(open());
  });

  it.each(['mkdir', 'utimes', 'open', 'writev', 'stat', 'realpath', 'readdir'] as const)(
    'is not left behind when the disk refuses: %s',
    async (failing) => {
      await mkdir(join(file, '..'), { recursive: true });
      const fileSystem = faultyFileSystem();
      const store = jsonlStore({ root, fileSystem });
      opened.push(store);
      fileSystem.fault = (operation) => {
        if (operation === failing) throw systemError('EACCES');
        return undefined;
      };
      await expect(begin(store)).rejects.toMatchObject({ code: 'VARVE_STORE_IO', cause: { code: 'EACCES' } });
      expect(fileSystem.openFiles).toBe(0);
      fileSystem.fault = undefined;
      await begin(open());
    },
  );

  it('is taken over by one of many', async () => {
    const self = await ownName();
    await mkdir(`${file}.lock`);
    await writeFile(`${file}.owner`, JSON.stringify({ ...self, pid: pidOfTheDead() }));
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => begin(open())));
    const codes = results.map((result) => (result.status === 'fulfilled' ? 'open' : result.reason.code));
    expect(codes.sort()).toEqual([...Array(7).fill('VARVE_STORE_LOCKED'), 'open']);
  });
});
