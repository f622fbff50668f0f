import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { createHost, type Entry, fold, type Message, type SessionRecord, type Store } from '@varve/core';
import { jsonlStore, type RepairEvent } from '@varve/stores/jsonl';
import { collectEntries } from '@varve/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const model = { provider: 'test', model: 'test-1' };
const user = (content: string): Message => ({ role: 'user', content });

let root: string;
let repairs: RepairEvent[];
let opened: Store[];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'varve-'));
  repairs = [];
  opened = [];
});

afterEach(async () => {
  for (const store of opened) await store[Symbol.asyncDispose]();
  await rm(root, { recursive: true });
});

function open(): Store {
  const store = jsonlStore({ root, durability: 'os', onRepair: (event) => repairs.push(event) });
  opened.push(store);
  return store;
}

const sessionsFolder = (agent = 'main'): string => join(root, 'agents', agent, 'sessions');
const indexFile = (agent = 'main'): string => join(root, 'agents', agent, 'sessions.jsonl');

/** Takes fields out of every record of an index, as if an earlier version had written it. */
async function takeOut(fields: readonly (keyof SessionRecord)[]): Promise<void> {
  const lines = (await readFile(indexFile(), 'utf8')).split('\n').slice(0, -1);
  const older = lines.map((line) => {
    const { crc: _crc, ...parsed } = JSON.parse(line);
    for (const field of fields) delete parsed.record?.[field];
    const text = `${JSON.stringify(parsed).slice(0, -1)},`;
    return `${text}"crc":"${crc32(text).toString(16).padStart(8, '0')}"}\n`;
  });
  await writeFile(indexFile(), older.join(''));
}

/** A conversation with a compaction, in a session that is closed then. */
async function talk(store: Store, sessionId: string): Promise<void> {
  await using host = await createHost({ store });
  const session = await host.open(sessionId, { key: 'k', previousSessionId: 'before' });
  for (let round = 1; round <= 60; round += 1) {
    await session.ingest(user(`Question ${round}. ${'clay '.repeat(50)}`));
    await session.assemble({ model });
    await session.ingest({ role: 'assistant', content: `Answer ${round}. ${'silt '.repeat(50)}` });
    if (round === 40) await session.compact('manual', { model });
  }
}

async function entriesIn(store: Store, sessionId: string): Promise<readonly Entry[]> {
  const journal = await store.open(sessionId, { readOnly: true });
  const entries = await collectEntries(journal.read());
  expect(fold(await journal.tail())).toEqual(fold({ checkpoint: null, entries }));
  await journal.close();
  return entries;
}

describe('records of generations and forks', () => {
  it('say the same after their index was lost, as the headers of the journals do', async () => {
    const store = open();
    await talk(store, 's');
    await using host = await createHost({ store });
    await host.fork('s', { newSessionId: 'f', key: 'k2', previousSessionId: 'p' });
    await host.close();
    const [origin, fork] = [await store.sessions.get('s'), await store.sessions.get('f')];
    expect(origin).toMatchObject({ key: 'k', previousSessionId: 'before', forkedFrom: null });
    expect(fork).toMatchObject({ key: 'k2', previousSessionId: 'p', forkedFrom: { sessionId: 's' } });
    await rm(indexFile());
    const again = open();
    for (const known of [origin, fork]) {
      const { previousSessionId, forkedFrom, key, counters } = known as SessionRecord;
      const expected = { previousSessionId, forkedFrom, key, counters, currentSince: null, lease: null };
      expect(await again.sessions.get(known?.sessionId ?? '')).toMatchObject(expected);
    }
  });

  it('that an earlier version wrote have the fields that it did not know', async () => {
    await open().sessions.put('one', { label: 'L', currentSince: 4 }, { expectedRev: 0 });
    await takeOut(['currentSince', 'previousSessionId', 'forkedFrom', 'lease']);
    const store = open();
    const never = { currentSince: null, previousSessionId: null, forkedFrom: null, lease: null };
    expect(await store.sessions.get('one')).toMatchObject({ label: 'L', ...never });
    expect(await store.sessions.list({})).toMatchObject([never]);
    await store.sessions.put('one', { currentSince: 5 }, { expectedRev: 1 });
    expect(await open().sessions.get('one')).toMatchObject({ label: 'L', ...never, currentSince: 5 });
    expect(repairs).toEqual([]);
  });

  it('are found by their key in the files of all agents, each as it was changed last', async () => {
    const [one, other] = [open(), open()];
    await Promise.all([
      one.sessions.put('s', { agentId: 'ada', key: 'k', updatedAt: 1 }, { expectedRev: 0 }),
      other.sessions.put('s', { agentId: 'bob', key: 'k', updatedAt: 1 }, { expectedRev: 0 }),
    ]);
    await one.sessions.put('t', { agentId: 'bob', key: 'k', updatedAt: 2 }, { expectedRev: 0 });
    await one.sessions.put('s', { key: 'moved' }, { expectedRev: 1 });
    for (const store of [one, other, open()]) {
      expect((await store.sessions.list({ key: 'k' })).map(({ sessionId }) => sessionId)).toEqual(['t']);
      expect((await store.sessions.list({ key: 'moved' })).map(({ sessionId }) => sessionId)).toEqual(['s']);
    }
  });
});

describe('a fork in files', () => {
  it('is made of a session that another process has open', async () => {
    await talk(open(), 's');
    await using writing = await createHost({ store: open() });
    await (await writing.open('s')).ingest(user('Still here.'));
    const store = open();
    await using host = await createHost({ store });
    await host.fork('s', { newSessionId: 'f' });
    expect(await entriesIn(store, 'f')).toEqual(await entriesIn(store, 's'));
    await (await writing.open('s')).ingest(user('And here.'));
  });

  it('that ends anywhere is opened by nobody before it is finished, and holds all then', async () => {
    await talk(open(), 's');
    const first = await createHost({ store: open() });
    await first.fork('s', { newSessionId: 'f' });
    await first.close();
    const path = join(sessionsFolder(), 'f.jsonl');
    const whole = await readFile(path);
    const expected = await entriesIn(open(), 's');
    const header = whole.indexOf('\n') + 1;
    const cuts = Array.from({ length: 12 }, (_, n) => header + Math.floor(((whole.length - header) * n) / 12));
    for (const cut of [...cuts, whole.length - 2]) {
      await rm(indexFile(), { force: true });
      await writeFile(path, whole.subarray(0, cut));
      const store = open();
      await using host = await createHost({ store });
      await expect(host.open('f')).rejects.toMatchObject({ code: 'VARVE_FORK_TORN' });
      await host.fork('s', { newSessionId: 'f' });
      expect(await entriesIn(store, 'f')).toEqual(expected);
    }
  });
});
