import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '@varve/core';
import { jsonlStore, type RepairEvent } from '@varve/stores/jsonl';
import {
  collectEntries as all,
  beginJournal as begin,
  checkpointFrom as checkpoint,
  messageEntry as message,
  messageEntries as messages,
} from '@varve/testkit';
import { describeStore } from '@varve/testkit/vitest';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let root: string;
let opened: Store[];
let repairs: RepairEvent[];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'varve-'));
  opened = [];
  repairs = [];
});

afterEach(async () => {
  for (const store of opened) await store[Symbol.asyncDispose]();
  await rm(root, { recursive: true });
  expect(repairs).toEqual([]);
});

function open(options: Partial<Parameters<typeof jsonlStore>[0]> = {}): Store {
  const store = jsonlStore({ root, onRepair: (event) => repairs.push(event), ...options });
  opened.push(store);
  return store;
}

for (const durability of ['fsync', 'os'] as const) {
  describeStore(`jsonlStore with durability ${durability}`, () => {
    let store = open({ durability });
    const reopen = async () => {
      await store[Symbol.asyncDispose]();
      store = open({ durability });
      return store;
    };
    return { store, reopen };
  });
}

describe('the files of jsonlStore', () => {
  it('hold one line for the header and one for each entry, which ends with its checksum', async () => {
    const journal = await begin(open());
    await journal.append(messages(1, 2), { expectedSeq: 0 });
    await journal.append([message(3)], { expectedSeq: 2, checkpoint: checkpoint(2) });
    const text = await readFile(join(root, 'agents/main/sessions/one.jsonl'), 'utf8');
    const lines = text.split('\n');
    expect(lines.pop()).toBe('');
    const plain = { crc: expect.stringMatching(/^[0-9a-f]{8}$/) };
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { ...journal.header, ...plain },
      { ...message(1), more: 1, ...plain },
      { ...message(2), more: 0, ...plain },
      { ...message(3), checkpoint: checkpoint(2), keep: text.indexOf(lines[2] ?? '-'), more: 0, ...plain },
    ]);
    for (const line of lines) expect(line).toMatch(/"crc":"[0-9a-f]{8}"\}$/);
  });

  it('can be read by their owner alone', async () => {
    const journal = await open({ root: join(root, 'new/deep') }).open('one', {
      create: { v: 1, sessionId: 'one', createdAt: 1, agentId: 'Ada/Lovelace' },
    });
    await journal.append([message(1)], { expectedSeq: 0 });
    const paths = await readdir(root, { recursive: true });
    expect(paths.sort()).toEqual(
      [
        'new',
        'new/deep',
        'new/deep/agents',
        'new/deep/agents/%41da%2f%4covelace',
        'new/deep/agents/%41da%2f%4covelace/sessions',
        'new/deep/agents/%41da%2f%4covelace/sessions.jsonl',
        'new/deep/agents/%41da%2f%4covelace/sessions/one.jsonl',
        'new/deep/agents/%41da%2f%4covelace/sessions/one.jsonl.lock',
        'new/deep/agents/%41da%2f%4covelace/sessions/one.jsonl.owner',
      ].sort(),
    );
    for (const path of paths) {
      const { mode } = await stat(join(root, path));
      expect([path, (mode & 0o777).toString(8)]).toEqual([path, /\.(jsonl|owner)$/.test(path) ? '600' : '700']);
    }
  });

  it('leave only the journal behind when the store is closed', async () => {
    const store = open();
    await begin(store);
    await store[Symbol.asyncDispose]();
    expect(await readdir(join(root, 'agents/main/sessions'))).toEqual(['one.jsonl']);
  });

  it('stay below the root whatever the ids are, and never share a name', async () => {
    const store = open({ root: join(root, 'inner') });
    const ids = [
      '..',
      '../../../evil',
      '/etc/passwd',
      'a\u0000b',
      'é'.repeat(300),
      'CON',
      'nul',
      'x.jsonl',
      'x',
      'X',
      '~',
    ];
    for (const id of ids) {
      await store.open(id, { create: { v: 1, sessionId: id, createdAt: 1, agentId: id }, readOnly: false });
    }
    expect(await readdir(root)).toEqual(['inner']);
    const files = (await readdir(join(root, 'inner'), { recursive: true })).filter((name) => name.endsWith('.jsonl'));
    for (const name of files) expect(name).not.toMatch(/(^|\/)(con|nul)(\.|\/)/);
    const names = files.filter((name) => !name.endsWith('/sessions.jsonl'));
    expect(files).toHaveLength(names.length + ids.length);
    expect(new Set(names.map((name) => name.normalize('NFKC').toLowerCase())).size).toBe(ids.length);
    for (const name of names)
      expect(name).toMatch(/^agents\/[a-z0-9_~%-]{1,160}\/sessions\/[a-z0-9_~%-]{1,160}\.jsonl$/);
  });

  it('are found without the name of the agent', async () => {
    const create = { v: 1, sessionId: 'one', createdAt: 1, agentId: 'ada' } as const;
    await (await open().open('one', { create })).append([message(1)], { expectedSeq: 0 });
    const journal = await open().open('one', { readOnly: true });
    expect(journal.header).toEqual(create);
    expect(await all(journal.read())).toEqual([message(1)]);
  });

  it.each(['agents', 'agents/main', 'agents/main/sessions'])(
    'are not made behind a link that leaves the root: %s',
    async (link) => {
      const outside = join(root, 'outside');
      const inside = join(root, 'inside');
      await mkdir(outside);
      await mkdir(join(inside, link, '..'), { recursive: true });
      await symlink(outside, join(inside, link));
      await expect(begin(open({ root: inside }))).rejects.toMatchObject({ code: 'VARVE_STORE_LINK' });
      expect(await readdir(outside)).toEqual([]);
    },
  );

  it('are not read or written through a link that leaves the root', async () => {
    const folder = join(root, 'inside/agents/main/sessions');
    await mkdir(folder, { recursive: true });
    await writeFile(join(root, 'secret'), 'secret\n');
    await symlink(join(root, 'secret'), join(folder, 'one.jsonl'));
    await symlink(join(root, 'nowhere'), join(folder, 'two.jsonl'));
    const store = open({ root: join(root, 'inside') });
    await expect(begin(store)).rejects.toMatchObject({ code: 'VARVE_STORE_LINK' });
    await expect(store.open('one', { readOnly: true })).rejects.toMatchObject({ code: 'VARVE_STORE_LINK' });
    await expect(begin(store, 'two')).rejects.toMatchObject({ code: 'VARVE_STORE_IO' });
    expect(await readFile(join(root, 'secret'), 'utf8')).toBe('secret\n');
    expect(await readdir(root)).toEqual(['inside', 'secret']);
  });

  it('may be below a root that is a link itself', async () => {
    await mkdir(join(root, 'disk'));
    await symlink(join(root, 'disk'), join(root, 'link'));
    await begin(open({ root: join(root, 'link') }));
    expect(await readdir(join(root, 'disk'))).toEqual(['agents']);
  });

  it('refuse an entry with a field of the store', async () => {
    const journal = await begin(open());
    for (const field of ['more', 'keep', 'checkpoint', 'crc']) {
      const entry = { ...message(1), [field]: 1 };
      await expect(journal.append([entry], { expectedSeq: 0 })).rejects.toMatchObject({ code: 'VARVE_ENTRY_INVALID' });
    }
  });
});
