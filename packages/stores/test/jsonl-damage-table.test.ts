import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Entry, emptyCounters, VarveError } from '@varve/core';
import { examineStore, jsonlStore, type RepairEvent } from '@varve/stores/jsonl';
import {
  collectEntries as all,
  beginJournal as begin,
  checkpointFrom as checkpoint,
  messageEntry as message,
  messageEntries as messages,
  readLawfulTail,
} from '@varve/testkit';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DamageRow, damageRows } from './damage-rows.ts';
import { type IndexDamageRow, indexDamageRows } from './index-damage-rows.ts';
import { printTable } from './print-table.ts';

let folder: string;
let root: string;
let file: string;
let index: string;
let told: RepairEvent[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'varve-'));
  root = join(folder, 'root');
  file = join(root, 'agents/main/sessions/one.jsonl');
  index = join(root, 'agents/main/sessions.jsonl');
  told = [];
});

afterEach(() => rm(folder, { recursive: true }));

function open(): ReturnType<typeof jsonlStore> {
  return jsonlStore({ root, durability: 'os', onRepair: (event) => told.push(event) });
}

/** Ten messages in four appends, a checkpoint in the middle, and a record that has counted all of them. */
async function writeJournal(): Promise<void> {
  await using store = open();
  const journal = await begin(store);
  await journal.append(messages(1, 5), { expectedSeq: 0 });
  await journal.append([message(6)], { expectedSeq: 5, checkpoint: checkpoint(4) });
  await journal.append([message(7)], { expectedSeq: 6 });
  await journal.append(messages(8, 10), { expectedSeq: 7 });
  await record(store, 'one', 10);
}

async function record(store: ReturnType<typeof open>, sessionId: string, countedSeq: number): Promise<void> {
  await store.sessions.put(sessionId, { counters: { ...emptyCounters, countedSeq } }, { expectedRev: 0 });
  await store.sessions.put(sessionId, { label: sessionId }, { expectedRev: 1 });
}

async function bytesOf(path: string): Promise<Buffer | null> {
  return readFile(path).catch(() => null);
}

/** Consecutive numbers as ranges: `1-7 9`. */
function rangesOf(entries: readonly Entry[]): string {
  const ranges: [number, number][] = [];
  for (const { seq } of entries) {
    const last = ranges.at(-1);
    if (last?.[1] === seq - 1) last[1] = seq;
    else ranges.push([seq, seq]);
  }
  return ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(' ');
}

async function codeOr(read: () => Promise<string>): Promise<string> {
  try {
    return await read();
  } catch (error) {
    if (VarveError.is(error)) return error.code;
    throw error;
  }
}

async function codesFound(): Promise<string[]> {
  const codes: string[] = [];
  for await (const { code, fix, text } of examineStore(root)) {
    expect(`${fix}${text}`).toMatch(/\.$/);
    codes.push(code);
  }
  expect(codes.pop()).toBe('examined');
  return codes.sort();
}

function kindsTold(): RepairEvent['kind'][] {
  return [...new Set(told.map(({ kind }) => kind))];
}

/** Where the bytes of a file are after it was written to. */
async function whereKept(path: string, before: Buffer | null): Promise<DamageRow['kept'] | 'lost'> {
  const [now, aside] = [await bytesOf(path), await bytesOf(`${path}.quarantine`)];
  if (before === null || before.length === 0) {
    return before?.length === 0 || now !== null ? 'nothing was left' : 'in place';
  }
  if (now === null) return 'lost';
  if (aside === null) return now.subarray(0, before.length).equals(before) ? 'in place' : 'lost';
  const moved = aside.subarray(0, -1);
  const left = now.subarray(0, before.length - moved.length);
  return before.equals(Buffer.concat([left, moved])) ? 'in quarantine' : 'lost';
}

async function damage({ change, tamper }: DamageRow): Promise<Buffer | null> {
  const bytes = await readFile(file);
  const lines = bytes.toString().split('\n').slice(0, -1);
  if (change !== undefined) await writeFile(file, change(bytes, lines));
  await tamper?.({ root, file });
  return bytesOf(file);
}

/** All that comes of a damage, as a row says it. */
async function observe(row: DamageRow): Promise<Omit<DamageRow, 'name' | 'change' | 'tamper' | 'skip'>> {
  await writeJournal();
  const before = await damage(row);
  const found = await codesFound();
  expect(await bytesOf(file)).toEqual(before);
  let tailFrom: number | null = null;
  const reads = await codeOr(async () => {
    await using store = open();
    const reader = await store.open('one', { readOnly: true });
    const entries = await all(reader.read());
    tailFrom = (await readLawfulTail(reader)).checkpoint?.visibleFromSeq ?? null;
    // By seq and by id, one finds what reading finds.
    expect(await reader.get(messages(1, 12).map(({ seq }) => seq))).toEqual(entries);
    for (const entry of entries) expect((await reader.get([entry.id]))[0]?.seq).toBe(entry.seq);
    return rangesOf(entries);
  });
  expect(await bytesOf(file)).toEqual(before);
  const appended = await codeOr(async () => {
    await using store = open();
    const journal = await begin(store);
    const seq = Math.max(0, ...(await all(journal.read())).map((entry) => entry.seq)) + 1;
    await journal.append([message(seq, 'next')], { expectedSeq: seq - 1 });
    await journal.close();
    const reader = await store.open('one', { readOnly: true });
    expect((await reader.get([seq]))[0]).toEqual(message(seq, 'next'));
    await readLawfulTail(reader);
    return `${seq}: ${rangesOf(await all(reader.read()))}`;
  });
  return {
    reads,
    tailFrom,
    told: kindsTold(),
    found,
    kept: (await whereKept(file, before)) as DamageRow['kept'],
    appended,
  };
}

describe('a damaged journal', () => {
  const observed: (readonly string[])[] = [];

  it.for(damageRows)('is read, reported and written to as the table says: $name', async (row, context) => {
    const { name, change: _change, tamper: _tamper, skip, ...expected } = row;
    if (skip !== undefined) {
      observed.push([name, `skipped: ${skip}`]);
      context.skip(skip);
    }
    const found = await observe(row);
    observed.push([
      name,
      found.reads === '' ? 'nothing' : found.reads,
      found.tailFrom === null ? 'beginning' : `seq ${found.tailFrom}`,
      found.told.join(' '),
      found.found.join(' '),
      found.kept,
      found.appended,
    ]);
    expect(found).toEqual(expected);
  });

  afterAll(() => printTable(['damage', 'reads', 'tail from', 'onRepair', 'examineStore', 'bytes', 'append'], observed));
});

/** Three sessions, each with a journal of two messages and a record that has counted them. */
async function writeIndex(): Promise<void> {
  await using store = open();
  for (const id of ['one', 'three', 'two']) {
    const journal = await begin(store, id);
    await journal.append(messages(1, 2), { expectedSeq: 0 });
    await record(store, id, 2);
  }
}

async function listed(): Promise<string> {
  return codeOr(async () => {
    await using store = open();
    const records = [...(await store.sessions.list())].sort((a, b) => (a.sessionId < b.sessionId ? -1 : 1));
    for (const { counters } of records) expect(counters.countedSeq).toBe(2);
    return records.map(({ sessionId, rev }) => `${sessionId}@${rev}`).join(' ');
  });
}

/** Whether all that the damaged index held is in the new one or in quarantine, line by line. */
async function isAllKept(before: Buffer | null): Promise<boolean> {
  const texts = await Promise.all([index, `${index}.quarantine`].map(async (path) => `${await bytesOf(path)}`));
  return `${before ?? ''}`.split('\n').every((line) => {
    const isRecord = /"rev":\d+.*"crc":"[0-9a-f]{8}"\}$/.test(line) && !line.includes('}{');
    return isRecord || line.includes('session-index') || texts.some((text) => text.includes(line));
  });
}

async function observeIndex({
  change,
  tamper,
}: IndexDamageRow): Promise<Omit<IndexDamageRow, 'name' | 'change' | 'tamper'>> {
  await writeIndex();
  const bytes = await readFile(index);
  if (change !== undefined) await writeFile(index, change(bytes));
  await tamper?.({ root, file: index });
  const before = await bytesOf(index);
  const found = await codesFound();
  const lists = await listed();
  expect(await bytesOf(index)).toEqual(before);
  const put = await codeOr(async () => {
    await using store = open();
    const known = await store.sessions.get('two');
    const { rev } = await store.sessions.put('two', { label: 'new' }, { expectedRev: known?.rev ?? 0 });
    return `two@${rev}`;
  });
  const quarantined = (await bytesOf(`${index}.quarantine`))?.length ?? 0;
  expect(await isAllKept(before)).toBe(true);
  return { lists, told: kindsTold(), found, quarantined: quarantined > 0, put, listsThen: await listed() };
}

describe('a damaged index', () => {
  const observed: (readonly string[])[] = [];

  it.for(indexDamageRows)('is read, reported and made anew as the table says: $name', async (row) => {
    const { name, change: _change, tamper: _tamper, ...expected } = row;
    const found = await observeIndex(row);
    observed.push([
      name,
      found.lists,
      found.told.join(' '),
      found.found.join(' '),
      found.quarantined ? 'in quarantine' : 'nothing to keep',
      found.put,
      found.listsThen,
    ]);
    expect(found).toEqual(expected);
  });

  afterAll(() => printTable(['damage', 'lists', 'onRepair', 'examineStore', 'bytes', 'put', 'lists then'], observed));
});
