import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { emptyCounters, type Store } from '@varve/core';
import { jsonlStore } from '@varve/stores/jsonl';
import { type Contender, interleave } from '../../interleave.ts';
import { againstLimit, againstPeer, type Limits } from '../../measured/compared.ts';
import { type ComparisonRow, milliseconds } from '../../measured/comparison-row.ts';
import { fillRecords, recordOf, sessionIdOf } from '../data/session-records.ts';
import { loadPeer } from '../peers/load-peer.ts';
import { createOpenClawStore } from '../peers/openclaw-store.ts';
import { loadSqlite, type SqliteDatabase } from '../peers/sqlite.ts';
import type { StorageBench, StorageWorkload } from '../storage-bench.ts';

const own = 'sessions.put, durable';
const openClaw = 'OpenClaw, re-created, not durable';
const sqlite = 'better-sqlite3, WAL, FULL';
const limit = 'write + fdatasync of the line on a kept file';

const limitsOf = new Map<number, Limits>([
  [1_000, { must: 20, goal: 40 }],
  [10_000, { must: 250, goal: 500 }],
  [100_000, { must: 2_500, goal: 5_000 }],
]);

/** Updates that one run makes of what is fast. */
const updates = 20;

/** B10: one record of many changes. */
export const updateRecord: StorageWorkload = {
  id: 'B10',
  title: 'update the record of one session of many',
  run: async (bench) => {
    const database = await loadPeer('better-sqlite3', () => loadSqlite(bench.say));
    const rows: ComparisonRow[] = [];
    const stores = new Map<number, Contender>();
    for (const count of [100, 1_000, 10_000, ...(bench.isQuick ? [] : [100_000])]) {
      bench.say(`  ${count.toLocaleString('en')} sessions`);
      const ours = await ownContender(count, bench);
      stores.set(count, ours);
      if (count === 100) continue;
      rows.push(...(await rowsOf(count, { ours, bench, openDatabase: database.peer })));
    }
    rows.push(await shapeRow(stores, bench));
    return { rows, missing: database.missing === null ? [] : [database.missing] };
  },
};

async function rowsOf(
  count: number,
  with_: {
    readonly ours: Contender;
    readonly bench: StorageBench;
    readonly openDatabase: ((path: string) => SqliteDatabase) | null;
  },
): Promise<readonly ComparisonRow[]> {
  const { ours, bench, openDatabase } = with_;
  const folder = bench.folder(`records-${count}`);
  const raw = await rawContender(join(folder, 'log.jsonl'));
  const peer = createOpenClawStore(join(folder, 'sessions.json'), count);
  let update = 0;
  const contenders: Contender[] = [
    ours,
    raw.contender,
    { name: openClaw, before: bench.collect, run: () => peer.update((update++ * 7_919) % count, update) },
  ];
  if (openDatabase !== null) contenders.push(sqliteContender(openDatabase(join(folder, 'sessions.db')), count));
  const rounds = Math.min(7, bench.often.rounds ?? 7);
  const measured = await interleave(contenders, { rounds, warmUps: count > 10_000 ? 1 : 2 });
  await raw.file.close();
  const measurement = { workload: 'B10', measured, own, of: count.toLocaleString('en') };
  return [
    againstPeer(measurement, openClaw, limitsOf.get(count)),
    ...(openDatabase === null ? [] : [againstPeer(measurement, sqlite)]),
    againstLimit(measurement, limit, { goal: 1.3 }),
  ];
}

async function ownContender(count: number, bench: StorageBench): Promise<Contender> {
  const root = bench.folder(`sessions-${count}`);
  const filling = jsonlStore({ root, durability: 'os' });
  await fillRecords(filling, count);
  await filling[Symbol.asyncDispose]();
  const store: Store = jsonlStore({ root });
  const revisions = new Map<number, number>();
  let update = 0;
  return {
    name: own,
    operations: updates,
    // Its first look reads the file; what comes then is what a process that runs does.
    before: () => store.sessions.get(sessionIdOf(0)),
    run: async () => {
      for (let time = 0; time < updates; time += 1) {
        update += 1;
        const at = (update * 7_919) % count;
        const expectedRev = revisions.get(at) ?? 1;
        revisions.set(at, expectedRev + 1);
        const counters = { ...emptyCounters, countedSeq: 40 + update, messages: 40, totalTokens: update };
        await store.sessions.put(sessionIdOf(at), { counters, updatedAt: 1_750_000_000_000 + update }, { expectedRev });
      }
    },
  };
}

async function rawContender(path: string): Promise<{ readonly contender: Contender; readonly file: FileHandle }> {
  const file = await open(path, 'a');
  const line = {
    v: 1,
    record: { sessionId: sessionIdOf(0), rev: 1, ...recordOf(0) },
    by: '01234567-1',
    crc: '01234567',
  };
  return {
    file,
    contender: {
      name: limit,
      operations: updates,
      run: async () => {
        for (let time = 0; time < updates; time += 1) {
          await file.writev([Buffer.from(`${JSON.stringify(line)}\n`)]);
          await file.datasync();
        }
      },
    },
  };
}

function sqliteContender(database: SqliteDatabase, count: number): Contender {
  database.exec('create table sessions (id text primary key, updated_at integer, body text)');
  const insert = database.prepare('insert into sessions values (?, ?, ?)');
  const change = database.prepare('update sessions set updated_at = ?, body = ? where id = ?');
  database.transaction(() => {
    for (let at = 0; at < count; at += 1) insert.run(sessionIdOf(at), at, JSON.stringify(recordOf(at)));
  })();
  let update = 0;
  return {
    name: sqlite,
    operations: updates,
    run: () => {
      for (let time = 0; time < updates; time += 1) {
        update += 1;
        const at = (update * 7_919) % count;
        change.run(update, JSON.stringify(recordOf(at)), sessionIdOf(at));
      }
    },
  };
}

/** Whether an update costs more the more sessions there are. */
async function shapeRow(stores: ReadonlyMap<number, Contender>, bench: StorageBench): Promise<ComparisonRow> {
  const counts = [...stores.keys()];
  const [few = 0, many = 0] = [counts[0], counts.at(-1)];
  const contenders = [few, many].map((count) => ({ ...(stores.get(count) as Contender), name: String(count) }));
  const measured = await interleave(contenders, bench.often);
  return {
    workload: 'B10',
    name: 'flat',
    what: `ours, ${many.toLocaleString('en')} sessions / ${few}`,
    figure: measured.ratio(String(many), String(few)),
    unit: '×',
    better: 'less',
    goal: 1.3,
    detail: `${milliseconds(measured.spread(String(many)).median)} and ${milliseconds(measured.spread(String(few)).median)}`,
  };
}
