import { spawnSync } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Entry, emptyCounters } from '@varve/core';
import { examineStore, jsonlStore, repairStore, type StoreFinding, type StoreRepair } from '@varve/stores/jsonl';
import { beginJournal, checkpointFrom, collectEntries, messageEntries as messages } from '@varve/testkit';
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

async function repair(): Promise<StoreRepair[]> {
  const done: StoreRepair[] = [];
  for await (const one of repairStore(root, { findings: await findings() })) done.push(one);
  return done;
}

/** Two sessions of six entries, the last two of them one append; `one` has a checkpoint that names an entry before. */
async function fill(): Promise<void> {
  await using store = jsonlStore({ root, durability: 'os' });
  for (const id of ['one', 'two']) {
    const header = { v: 1, sessionId: id, createdAt: 1_000, key: `agent:main:direct:${id}` } as const;
    const journal = await store.open(id, { create: header });
    await journal.append(messages(1, 3), { expectedSeq: 0 });
    await journal.append(messages(4, 4), { expectedSeq: 3, checkpoint: checkpointFrom(3) });
    await journal.append(messages(5, 6), { expectedSeq: 4 });
    const counters = { ...emptyCounters, countedSeq: 6 };
    await store.sessions.put(id, { key: header.key, createdAt: 1_000, counters }, { expectedRev: 0 });
  }
}

async function entriesOf(id: string): Promise<Entry[]> {
  await using store = jsonlStore({ root });
  return await collectEntries((await store.open(id, { readOnly: true })).read());
}

/** Every file and folder with its bytes and modes. */
async function everything(): Promise<unknown[]> {
  const names = await readdir(root, { recursive: true });
  return Promise.all(
    names.sort().map(async (name) => {
      const facts = await stat(join(root, name));
      return [name, facts.mode, facts.isFile() ? await readFile(join(root, name), 'latin1') : ''];
    }),
  );
}

const one = (): string => join(sessions, 'one.jsonl');

async function change(edit: (lines: string[]) => readonly string[], file = one()): Promise<void> {
  const lines = (await readFile(file, 'latin1')).trimEnd().split('\n');
  await writeFile(file, `${edit(lines).join('\n')}\n`, 'latin1');
}

const broken = (line: string): string => line.replace('"type"', '"tYpe"');
const at = (lines: string[], index: number): string => lines[index] ?? '';

// What is done to the store · what is found · which entries of `one` are left · what is in quarantine.
const rows: [
  title: string,
  damage: () => Promise<unknown>,
  found: readonly string[],
  left: readonly number[],
  quarantined: string | null,
][] = [
  [
    'a torn tail',
    () => writeFile(one(), '{"v":1,"id":"x', { flag: 'a' }),
    ['append-torn'],
    [1, 2, 3, 4, 5, 6],
    '{"v":1,"id":"x\n',
  ],
  [
    'a bad line in the middle',
    () => change((lines) => lines.with(2, broken(at(lines, 2)))),
    ['line-damaged'],
    [1, 3, 4, 5, 6],
    '"tYpe"',
  ],
  [
    'a bad line at the end of an append',
    () => change((lines) => lines.with(6, broken(at(lines, 6)))),
    ['line-damaged', 'counters-ahead'],
    [1, 2, 3, 4, 5],
    '"tYpe"',
  ],
  [
    'lines that were glued',
    () => change((lines) => [...lines.slice(0, 2), at(lines, 2) + at(lines, 3), ...lines.slice(4)]),
    ['lines-glued'],
    [1, 2, 3, 4, 5, 6],
    null,
  ],
  [
    'a torn line with a whole one glued to it',
    () => change((lines) => [...lines.slice(0, 2), at(lines, 2).slice(0, 40) + at(lines, 3), ...lines.slice(4)]),
    ['lines-glued', 'line-damaged'],
    [1, 3, 4, 5, 6],
    '{"v":1,"id":"',
  ],
  [
    'a bad header',
    () => change((lines) => lines.with(0, '{"v":1,"sess')),
    ['header-damaged'],
    [1, 2, 3, 4, 5, 6],
    '{"v":1,"sess\n',
  ],
  ['no header', () => change((lines) => lines.slice(1)), ['header-missing'], [1, 2, 3, 4, 5, 6], null],
  [
    'the header of another session',
    async () => {
      const [other = ''] = (await readFile(join(sessions, 'two.jsonl'), 'latin1')).split('\n');
      await change((lines) => lines.with(0, other));
    },
    ['header-damaged'],
    [1, 2, 3, 4, 5, 6],
    '"sessionId":"two"',
  ],
  [
    'an entry that is there twice',
    () => change((lines) => [...lines, at(lines, 3)]),
    ['entry-duplicate'],
    [1, 2, 3, 4, 5, 6],
    '"seq":3,',
  ],
  [
    'a line of another program',
    () => change((lines) => lines.toSpliced(3, 0, '{"a":1}')),
    ['line-foreign'],
    [1, 2, 3, 4, 5, 6],
    '{"a":1}\n',
  ],
  [
    'carriage returns',
    () => change((lines) => lines.map((line) => `${line}\r`)),
    ['lines-foreign-ends'],
    [1, 2, 3, 4, 5, 6],
    null,
  ],
  [
    'a byte order mark',
    () => change((lines) => lines.with(0, `\u00ef\u00bb\u00bf${at(lines, 0)}`)),
    ['mark-foreign'],
    [1, 2, 3, 4, 5, 6],
    null,
  ],
  [
    'a last line without its line feed',
    async () => truncate(one(), (await stat(one())).size - 1),
    ['line-feed-missing'],
    [1, 2, 3, 4, 5, 6],
    null,
  ],
  ['an empty journal', () => truncate(one(), 0), ['journal-empty', 'counters-ahead'], [], null],
  ['a missing index', () => rm(join(root, 'agents/main/sessions.jsonl')), ['index-missing'], [1, 2, 3, 4, 5, 6], null],
  [
    'an empty index',
    () => truncate(join(root, 'agents/main/sessions.jsonl'), 0),
    ['index-empty', 'journal-without-record', 'journal-without-record'],
    [1, 2, 3, 4, 5, 6],
    null,
  ],
  [
    'a folder in the place of the index',
    async () => {
      const index = join(root, 'agents/main/sessions.jsonl');
      await rm(index);
      await mkdir(index, { mode: 0o700 });
    },
    ['index-unreadable'],
    [1, 2, 3, 4, 5, 6],
    null,
  ],
  [
    'a replacement that was not finished',
    () => writeFile(`${one()}.new`, 'x', { mode: 0o600 }),
    ['temporary-file'],
    [1, 2, 3, 4, 5, 6],
    null,
  ],
  [
    'a take-over that did not end',
    () => writeFile(`${one()}.takeover`, '', { mode: 0o600 }),
    ['temporary-file'],
    [1, 2, 3, 4, 5, 6],
    null,
  ],
  [
    'an index that was not finished',
    () => writeFile(join(root, 'agents/main/sessions.jsonl.new'), 'x', { mode: 0o600 }),
    ['temporary-file'],
    [1, 2, 3, 4, 5, 6],
    null,
  ],
  [
    'what is left of a journal that is not there',
    () => writeFile(join(sessions, 'gone.jsonl.new'), 'x', { mode: 0o600 }),
    ['temporary-file'],
    [1, 2, 3, 4, 5, 6],
    null,
  ],
  ['a journal that others may read', () => chmod(one(), 0o644), ['permissions-open'], [1, 2, 3, 4, 5, 6], null],
  [
    'folders that others may read',
    () => Promise.all([chmod(root, 0o755), chmod(sessions, 0o755)]),
    ['permissions-open', 'permissions-open'],
    [1, 2, 3, 4, 5, 6],
    null,
  ],
];

/** What is told and needs somebody who knows what was there. */
const remaining = ['counters-ahead', 'entry-missing', 'quarantine-kept'];

describe('repairing a store', () => {
  it('does nothing to one that is sound', async () => {
    await fill();
    const before = await everything();
    expect(await repair()).toEqual([]);
    expect(await everything()).toEqual(before);
    await rm(root, { recursive: true });
    expect(await repair()).toEqual([]);
  });

  it.each(rows)('puts right %s, and keeps what it cannot read', async (_title, damage, found, left, quarantined) => {
    await fill();
    await damage();
    // Hints point elsewhere wherever lines have moved: a note, and put right along with the rest.
    const codes = (await findings()).map(({ code }) => code);
    expect(codes.filter((code) => code !== 'keep-wrong')).toEqual(found);
    const done = await repair();
    expect(done.map(({ outcome }) => outcome)).toEqual(done.map(() => 'repaired'));
    expect(done.flatMap(({ codes }) => codes).sort()).toEqual(found.filter((code) => code !== 'counters-ahead').sort());
    expect((await entriesOf('one')).map(({ seq }) => seq)).toEqual(left);
    expect(await entriesOf('two')).toEqual(messages(1, 6));
    const kept = await readFile(`${one()}.quarantine`, 'latin1').catch(() => null);
    if (quarantined === null) expect(kept).toBeNull();
    else expect(kept).toContain(quarantined);
    const after = await findings();
    expect(after.filter(({ repair: how }) => how !== undefined)).toEqual([]);
    expect(after.map(({ code }) => code).filter((code) => !remaining.includes(code))).toEqual([]);
    const before = await everything();
    expect(await repair()).toEqual([]);
    expect(await everything()).toEqual(before);
    await using store = jsonlStore({ root });
    expect((await store.sessions.list()).map(({ key }) => key).sort()).toEqual([
      'agent:main:direct:one',
      'agent:main:direct:two',
    ]);
  });

  it('writes the entries that it keeps byte by byte, and the hints of checkpoints anew', async () => {
    await fill();
    const lines = (await readFile(one(), 'latin1')).split('\n');
    await change((all) => all.with(1, broken(at(all, 1))));
    await repair();
    const now = (await readFile(one(), 'latin1')).split('\n');
    const same = (all: readonly string[]) => all.filter((line) => !line.includes('"keep":'));
    expect(same(now)).toEqual(same(lines.toSpliced(1, 1)));
    expect((await findings()).map(({ code }) => code)).toEqual(['entry-missing', 'quarantine-kept']);
    await using store = jsonlStore({ root });
    const journal = await store.open('one');
    expect((await journal.tail()).entries.map(({ seq }) => seq)).toEqual([3, 4, 5, 6]);
    await journal.append(messages(7, 7), { expectedSeq: 6 });
  });

  it('makes a header of what the index says', async () => {
    await fill();
    await change((lines) => lines.slice(1));
    await repair();
    await using store = jsonlStore({ root });
    const { header } = await store.open('one', { readOnly: true });
    expect(header).toEqual({ v: 1, sessionId: 'one', createdAt: 1_000, key: 'agent:main:direct:one' });
  });

  it('makes the record of a journal that has none', async () => {
    await fill();
    await using store = jsonlStore({ root });
    const journal = await beginJournal(store, 'three');
    await journal.append(messages(1, 2), { expectedSeq: 0 });
    expect(await repair()).toMatchObject([{ outcome: 'locked', codes: ['journal-without-record'] }]);
    await journal.close();
    expect(await repair()).toMatchObject([{ outcome: 'repaired', codes: ['journal-without-record'] }]);
    expect((await store.sessions.get('three'))?.counters).toMatchObject({ countedSeq: 2, messages: 2 });
    expect(await findings()).toEqual([]);
  });

  it('leaves alone what another process writes, and goes on with the others', async () => {
    await fill();
    await change((lines) => lines.with(2, broken(at(lines, 2))));
    await change((lines) => lines.with(2, broken(at(lines, 2))), join(sessions, 'two.jsonl'));
    await using store = jsonlStore({ root });
    const journal = await store.open('one');
    const before = await readFile(one());
    const done = await repair();
    expect(done.map(({ file, outcome }) => [file, outcome])).toEqual([
      [one(), 'locked'],
      [join(sessions, 'two.jsonl'), 'repaired'],
    ]);
    expect(done[0]?.text).toContain(`process ${process.pid}`);
    expect(await readFile(one())).toEqual(before);
    await journal.append(messages(7, 7), { expectedSeq: 6 });
  });

  it('takes a lock over whose process is gone, and gives it up', async () => {
    await fill();
    await using store = jsonlStore({ root });
    const journal = await store.open('one');
    const owner = JSON.parse(await readFile(`${one()}.owner`, 'utf8'));
    await journal.close();
    const { pid } = spawnSync(process.execPath, ['-e', '']);
    await mkdir(`${one()}.lock`, { mode: 0o700 });
    await writeFile(`${one()}.owner`, JSON.stringify({ ...owner, pid }), { mode: 0o600 });
    expect(await repair()).toMatchObject([{ outcome: 'repaired', codes: ['lock-stale'] }]);
    expect((await readdir(sessions)).sort()).toEqual(['one.jsonl', 'two.jsonl']);
  });

  it('repairs the file that is damaged, and not the one that it is named after', async () => {
    await fill();
    const copy = `${one()}.bak.jsonl`;
    await cp(one(), copy);
    await change((lines) => lines.toSpliced(3, 0, 'garbage'), copy);
    const sound = await readFile(one());
    const done = await repair();
    expect(new Set(done.map(({ file }) => file))).toEqual(new Set([copy]));
    expect(await readFile(one())).toEqual(sound);
  });

  it('takes nothing out where an entry of another journal stands before those that belong there', async () => {
    await fill();
    await using store = jsonlStore({ root, durability: 'os' });
    const other = await beginJournal(store, 'other');
    await other.append(messages(1, 30), { expectedSeq: 0 });
    await other.close();
    const foreign = (await readFile(join(sessions, 'other.jsonl'), 'latin1')).trimEnd().split('\n')[30] ?? '';
    await change((lines) => lines.toSpliced(5, 0, foreign));
    const before = await readFile(one());
    const done = await repair();
    const [refused] = done.filter(({ file }) => file === one());
    expect(refused).toMatchObject({
      outcome: 'failed',
      text: expect.stringContaining('seq 5 stands behind that of 30'),
    });
    expect(await readFile(one())).toEqual(before);
    expect(await readdir(sessions)).not.toContain('one.jsonl.quarantine');
  });

  it('tells what it cannot do, and why', async () => {
    await fill();
    const name = 'X'.repeat(200);
    await using store = jsonlStore({ root, durability: 'os' });
    await (await beginJournal(store, name)).close();
    const file = (await readdir(sessions)).find((one) => one.includes('~')) ?? '';
    await writeFile(join(sessions, file), '{"v":1,"broken\n');
    await cp(one(), `${one()}.bak`);
    const done = await repair();
    expect(done.map(({ outcome, codes }) => [outcome, codes])).toContainEqual([
      'failed',
      expect.arrayContaining(['header-damaged']),
    ]);
    expect(done[0]?.fix).toMatch(/\.$/);
    expect(
      (await findings()).map(({ code, repair: how }) => [code, how]).filter(([code]) => code === 'file-unknown'),
    ).toEqual([['file-unknown', undefined]]);
  });
});
