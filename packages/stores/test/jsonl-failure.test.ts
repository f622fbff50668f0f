import { appendFile, mkdtemp, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Journal, Store } from '@varve/core';
import { jsonlStore } from '@varve/stores/jsonl';
import {
  collectEntries as all,
  beginJournal as begin,
  checkpointFrom as checkpoint,
  messageEntry as message,
  messageEntries as messages,
} from '@varve/testkit';
import { type FaultyFileSystem, type FileOperation, faultyFileSystem, systemError } from '@varve/testkit/file-system';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let root: string;
let file: string;
let fileSystem: FaultyFileSystem;
let store: Store;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'varve-'));
  file = join(root, 'agents/main/sessions/one.jsonl');
  fileSystem = faultyFileSystem();
  store = jsonlStore({ root, fileSystem });
});

afterEach(async () => {
  fileSystem.fault = undefined;
  await store[Symbol.asyncDispose]();
  expect(fileSystem.openFiles).toBe(0);
  await rm(root, { recursive: true });
});

/** Appends entries one by one, all at once, and says how each ended. */
async function appendEach(journal: Journal, fromSeq: number, toSeq: number): Promise<string[]> {
  const appends = messages(fromSeq, toSeq).map((entry) => journal.append([entry], { expectedSeq: entry.seq - 1 }));
  const results = await Promise.allSettled(appends);
  return results.map((result) => (result.status === 'fulfilled' ? 'done' : result.reason.code));
}

function failOnce(operation: FileOperation, code: string, result?: number): void {
  fileSystem.fault = (now, path) => {
    if (now !== operation || path !== file) return undefined;
    fileSystem.fault = undefined;
    if (result === undefined) throw systemError(code);
    failOnce(operation, code);
    return result;
  };
}

describe('a failing disk', () => {
  const failures: [title: string, operation: FileOperation, code: string, result?: number][] = [
    ['a full disk', 'writev', 'ENOSPC'],
    ['a disk that fills up in the middle of a line', 'writev', 'ENOSPC', 100],
    ['a disk that fills up behind a line', 'writev', 'ENOSPC', 1_000],
    ['a failing sync', 'datasync', 'EIO'],
  ];

  it.each(failures)(
    'fails the append and all behind it, and is survived: %s',
    async (_title, operation, code, result) => {
      const journal = await begin(store);
      await journal.append(messages(1, 2), { expectedSeq: 0, checkpoint: checkpoint(2) });
      const before = await readFile(file);
      failOnce(operation, code, result);
      const [first, ...behind] = messages(3, 9).map((entry) => journal.append([entry], { expectedSeq: entry.seq - 1 }));
      const cause = { code: 'VARVE_STORE_IO', cause: { code }, fix: expect.stringMatching(/\.$/) };
      await expect(first).rejects.toMatchObject(cause);
      for (const append of behind) await expect(append).rejects.toMatchObject({ code: 'VARVE_STORE_CONFLICT', cause });
      expect(await journal.tail()).toEqual({ checkpoint: checkpoint(2), entries: [message(2)] });
      expect(before.equals(await readFile(file))).toBe(true);
      const { datasync } = fileSystem.counts;
      expect(await appendEach(journal, 3, 5)).toEqual(['done', 'done', 'done']);
      expect(fileSystem.counts.datasync).toBeGreaterThan(datasync);
      expect(await all(journal.read())).toEqual(messages(1, 5));
      expect((await readFile(file)).subarray(0, before.length).equals(before)).toBe(true);
    },
  );

  it('does not sync again through a handle whose sync has failed', async () => {
    const journal = await begin(store);
    const { open, datasync } = fileSystem.counts;
    failOnce('datasync', 'EIO');
    expect(await appendEach(journal, 1, 1)).toEqual(['VARVE_STORE_IO']);
    expect(fileSystem.counts).toMatchObject({ open, datasync: datasync + 1 });
    expect(await appendEach(journal, 1, 1)).toEqual(['done']);
    expect(fileSystem.counts.open).toBeGreaterThan(open);
  });

  it('fails the appends that wait for the one that fails', async () => {
    const journal = await begin(store);
    const first = appendEach(journal, 1, 1);
    let behind: Promise<string[]> | undefined;
    fileSystem.fault = (operation) => {
      if (operation !== 'datasync') return undefined;
      fileSystem.fault = undefined;
      behind = appendEach(journal, 2, 3);
      throw systemError('EIO');
    };
    expect(await first).toEqual(['VARVE_STORE_IO']);
    expect(await behind).toEqual(['VARVE_STORE_CONFLICT', 'VARVE_STORE_CONFLICT']);
    expect(await appendEach(journal, 1, 3)).toEqual(['done', 'done', 'done']);
  });

  it('stays full until there is room, and then goes on', async () => {
    const journal = await begin(store);
    await journal.append([message(1)], { expectedSeq: 0 });
    fileSystem.fault = (operation) => {
      if (operation === 'writev') throw systemError('ENOSPC');
      return undefined;
    };
    for (let times = 0; times < 3; times += 1) {
      expect(await appendEach(journal, 2, 4)).toEqual(['VARVE_STORE_IO', ...Array(2).fill('VARVE_STORE_CONFLICT')]);
      expect((await journal.tail()).entries).toEqual([message(1)]);
    }
    fileSystem.fault = undefined;
    expect(await appendEach(journal, 2, 4)).toEqual(['done', 'done', 'done']);
  });

  it.each([0, 40, 700])(
    'that refuses %i bytes later, and to cut them, keeps them aside until it can',
    async (written) => {
      const journal = await begin(store);
      await journal.append([message(1)], { expectedSeq: 0 });
      const { length } = await readFile(file);
      let isFirst = true;
      fileSystem.fault = (operation) => {
        if (operation === 'truncate') throw systemError('EIO');
        if (operation !== 'writev') return undefined;
        if (!isFirst) throw systemError('ENOSPC');
        isFirst = false;
        return written;
      };
      for (let times = 0; times < 3; times += 1) {
        const codes = await appendEach(journal, 2, 5);
        expect(codes[0]).toBe('VARVE_STORE_IO');
        expect(codes).not.toContain('done');
        expect((await journal.tail()).entries).toEqual([message(1)]);
      }
      const left = (await readFile(file)).subarray(length);
      expect(left).toHaveLength(written);
      fileSystem.fault = undefined;
      expect(await appendEach(journal, 2, 5)).toEqual(['done', 'done', 'done', 'done']);
      expect(await all(journal.read())).toEqual(messages(1, 5));
      if (written > 0) expect((await readFile(`${file}.quarantine`)).subarray(0, -1).equals(left)).toBe(true);
    },
  );

  it('does not keep an append from being finished when the journal is closed right behind it', async () => {
    const journal = await begin(store);
    failOnce('datasync', 'EIO');
    expect(await appendEach(journal, 1, 1)).toEqual(['VARVE_STORE_IO']);
    const appends = appendEach(journal, 1, 3);
    await journal.close();
    expect(await appends).toEqual(['done', 'done', 'done']);
    expect(await all((await store.open('one')).read())).toEqual(messages(1, 3));
  });

  it('fails reading with the code of the system', async () => {
    const journal = await begin(store);
    await journal.append([message(1)], { expectedSeq: 0 });
    fileSystem.fault = (operation) => {
      if (operation === 'read') throw systemError('EIO');
      return undefined;
    };
    const failed = { code: 'VARVE_STORE_IO', cause: { code: 'EIO' }, message: expect.stringContaining('EIO') };
    await expect(journal.tail()).rejects.toMatchObject(failed);
    await expect(journal.get([1, 'id'])).rejects.toMatchObject(failed);
    await expect(all(journal.read())).rejects.toMatchObject(failed);
    await expect(store.open('one', { readOnly: true })).rejects.toMatchObject(failed);
  });

  it.each(['open', 'writev', 'datasync', 'sync'] as const)(
    'leaves nothing open and locked when opening fails: %s',
    async (failing) => {
      fileSystem.fault = (operation) => {
        if (operation === failing) throw systemError('EACCES');
        return undefined;
      };
      await expect(begin(store)).rejects.toMatchObject({ code: 'VARVE_STORE_IO', cause: { code: 'EACCES' } });
      expect(fileSystem.openFiles).toBe(0);
      fileSystem.fault = undefined;
      await (await begin(store)).append([message(1)], { expectedSeq: 0 });
      expect((await readdir(join(file, '..'))).sort()).not.toContain('one.jsonl.takeover');
    },
  );

  it('is told apart from a failure of the caller’s loop over a reader', async () => {
    const journal = await begin(store);
    await journal.append(messages(1, 3), { expectedSeq: 0 });
    const loop = async () => {
      for await (const _entry of journal.read()) throw new Error('mine');
    };
    await expect(loop()).rejects.toThrow('mine');
    expect(fileSystem.openFiles).toBe(1);
  });
});

describe('a foreign writer', () => {
  const changes: [title: string, change: () => Promise<void>, left: number][] = [
    ['who appended a line', async () => appendFile(file, 'foreign\n'), 2],
    ['who cut the file', async () => truncate(file, (await readFile(file)).length - 3), 1],
    [
      'who replaced the file',
      async () => {
        await writeFile(`${file}.new`, await readFile(file));
        await rename(`${file}.new`, file);
      },
      2,
    ],
  ];

  it.each(changes)('is found before anything is written: %s', async (_title, change, left) => {
    const journal = await begin(store);
    await journal.append([message(1)], { expectedSeq: 0 });
    await journal.append([message(2)], { expectedSeq: 1 });
    await change();
    const found = await readFile(file);
    expect(await appendEach(journal, 3, 4)).toEqual(['VARVE_STORE_CONFLICT', 'VARVE_STORE_CONFLICT']);
    expect(found.equals(await readFile(file))).toBe(true);
    expect((await journal.tail()).entries).toEqual(messages(1, left));
    expect(await appendEach(journal, left + 1, 5)).not.toContain('VARVE_STORE_CONFLICT');
    expect(await all(journal.read())).toEqual(messages(1, 5));
  });

  it('who appended entries is followed', async () => {
    const journal = await begin(store);
    await journal.append([message(1)], { expectedSeq: 0 });
    const elsewhere = await mkdtemp(join(tmpdir(), 'varve-'));
    await using other = jsonlStore({ root: elsewhere });
    const copy = await begin(other);
    await copy.append(messages(1, 3), { expectedSeq: 0 });
    await writeFile(file, await readFile(join(elsewhere, 'agents/main/sessions/one.jsonl')));
    expect(await appendEach(journal, 2, 2)).toEqual(['VARVE_STORE_CONFLICT']);
    expect(await appendEach(journal, 2, 2)).toEqual(['VARVE_STORE_CONFLICT']);
    expect(await appendEach(journal, 4, 5)).toEqual(['done', 'done']);
    expect(await all(journal.read())).toEqual(messages(1, 5));
    await rm(elsewhere, { recursive: true });
  });
});

describe('group commit', () => {
  it('syncs far fewer times than it appends, and once for one that comes alone', async () => {
    const journal = await begin(store);
    const { datasync, writev } = fileSystem.counts;
    let seq = 0;
    const worker = async () => {
      for (let times = 0; times < 16; times += 1) {
        seq += 1;
        await journal.append([message(seq)], { expectedSeq: seq - 1 });
      }
    };
    await Promise.all(Array.from({ length: 64 }, worker));
    expect(fileSystem.counts.datasync - datasync).toBeLessThanOrEqual((64 * 16) / 16);
    expect(fileSystem.counts.writev - writev).toBe(fileSystem.counts.datasync - datasync);
    const alone = fileSystem.counts.datasync;
    await journal.append([message(seq + 1)], { expectedSeq: seq });
    expect(fileSystem.counts.datasync).toBe(alone + 1);
    expect(await all(journal.read())).toEqual(messages(1, seq + 1));
  });

  it('syncs nothing when the operating system is trusted', async () => {
    await using fast = jsonlStore({ root: join(root, 'fast'), durability: 'os', fileSystem });
    const journal = await begin(fast);
    await appendEach(journal, 1, 100);
    expect(fileSystem.counts).toMatchObject({ datasync: 0, sync: 0 });
    expect(await all(journal.read())).toEqual(messages(1, 100));
  });
});

describe('a journal that is closed while its end cannot be found', () => {
  it('lets go of its lock, and tells the append alone', async () => {
    const journal = await begin(store);
    failOnce('writev', 'ENOSPC');
    await expect(journal.append([message(1)], { expectedSeq: 0 })).rejects.toMatchObject({ code: 'VARVE_STORE_IO' });
    fileSystem.fault = (operation, path) => {
      if (operation === 'open' && path === file) throw systemError('EMFILE');
      return undefined;
    };
    const append = journal.append([message(1)], { expectedSeq: 0 });
    const [appended, closed] = await Promise.allSettled([append, journal.close()]);
    expect(appended).toMatchObject({ status: 'rejected', reason: { code: 'VARVE_STORE_IO' } });
    expect(closed.status).toBe('fulfilled');
    fileSystem.fault = undefined;
    await using other = jsonlStore({ root });
    await (await begin(other)).append([message(1)], { expectedSeq: 0 });
  });
});
