import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emptyCounters } from '@varve/core';
import {
  examineStore,
  jsonlStore,
  type RepairStoreOptions,
  repairStore,
  type StoreFinding,
  type StoreRepair,
} from '@varve/stores/jsonl';
import { beginJournal, messageEntries } from '@varve/testkit';
import { faultyFileSystem } from '@varve/testkit/file-system';
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
  for await (const one of examineStore(root)) if (one.code !== 'examined') found.push(one);
  return found;
}

async function repair(options: RepairStoreOptions): Promise<StoreRepair[]> {
  const done: StoreRepair[] = [];
  for await (const one of repairStore(root, options)) done.push(one);
  return done;
}

describe('the repair of an archive', () => {
  async function fill(): Promise<void> {
    await using store = jsonlStore({ root, durability: 'os' });
    for (const id of ['one', 'two']) {
      const journal = await beginJournal(store, id);
      await journal.append(messageEntries(1, 6), { expectedSeq: 0 });
      await journal.close();
      const counters = { ...emptyCounters, countedSeq: 6 };
      await store.sessions.put(id, { counters }, { expectedRev: 0 });
    }
  }

  it('removes what a move that did not end has left, and leaves it to a writer who is at work', async () => {
    await fill();
    await using store = jsonlStore({ root, durability: 'os' });
    await store.archives?.pack('two');
    const left = ['one', 'two'].map((id) => join(root, `agents/main/archive/${id}.jsonl.gz.new`));
    for (const file of left) await writeFile(file, 'half', { mode: 0o600 });
    const found = await findings();
    const journal = await store.open('one');
    const done = await repair({ findings: found });
    expect(done.map(({ file, outcome }) => [file, outcome])).toEqual([
      [left[0], 'locked'],
      [left[1], 'repaired'],
    ]);
    await journal.close();
    expect(await repair({ findings: await findings() })).toMatchObject([{ file: left[0], outcome: 'repaired' }]);
    expect(await findings()).toEqual([]);
    expect((await store.archives?.list()) ?? []).toEqual(['two']);
  });

  it.skipIf(process.platform === 'win32')('says that rights stay where the file system changes none', async () => {
    await fill();
    await chmod(join(sessions, 'one.jsonl'), 0o644);
    const fileSystem = faultyFileSystem();
    Reflect.set(fileSystem, 'chmod', undefined);
    const done = await repair({ findings: await findings(), fileSystem });
    expect(done.map(({ text }) => text)).toEqual(['Left as it is: this file system changes no rights.']);
  });
});
