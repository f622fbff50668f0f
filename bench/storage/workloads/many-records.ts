import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Store } from '@varve/core';
import { jsonlStore } from '@varve/stores/jsonl';
import { type Contender, interleave, PartlyMeasured } from '../../interleave.ts';
import { againstLimit, againstPeer } from '../../measured/compared.ts';
import { type ComparisonRow, once } from '../../measured/comparison-row.ts';
import { fillRecords, sessionIdOf } from '../data/session-records.ts';
import { createOpenClawStore } from '../peers/openclaw-store.ts';
import type { StorageBench, StorageWorkload } from '../storage-bench.ts';

const ownLoad = 'first sessions.get of a new store';
const ownGet = 'sessions.get';
const load = 'OpenClaw, re-created: load';
const cachedLoad = 'OpenClaw, re-created: cached load';
const limit = 'JSON.parse of each line of the file';
const top = 'sessions.list of 50';
const topAfter = 'sessions.list of 50 behind an update';

const gets = 200;

/** B11: a store with many sessions is opened, asked for one, and asked for those that were updated last. */
export const manyRecords: StorageWorkload = {
  id: 'B11',
  title: 'open a store of 100,000 sessions, get one, list 50',
  run: async (bench) => {
    const count = bench.isQuick ? 10_000 : 100_000;
    const root = bench.folder('index');
    const filling = jsonlStore({ root, durability: 'os' });
    await fillRecords(filling, count);
    await filling[Symbol.asyncDispose]();
    const peer = createOpenClawStore(join(bench.folder('openclaw'), 'sessions.json'), count);
    const rounds = Math.min(7, bench.often.rounds ?? 7);
    const loading = await interleave(
      [
        { name: ownLoad, before: bench.collect, run: () => loadOwn(root) },
        { name: load, before: bench.collect, run: () => Object.keys(peer.load()).length },
        {
          name: limit,
          before: bench.collect,
          run: () => parseLines(join(root, 'agents/main/sessions.jsonl')),
        },
      ],
      { rounds, warmUps: 1 },
    );
    const store: Store = jsonlStore({ root, durability: 'os' });
    const bytes = await heapOf(bench, () => store.sessions.get(sessionIdOf(0)));
    const cached = { name: cachedLoad, before: bench.collect, run: () => Object.keys(peer.loadCached()).length };
    const measured = await interleave([...readContenders(store, count), cached], { rounds, warmUps: 2 });
    await store[Symbol.asyncDispose]();
    const loaded = { workload: 'B11', measured: loading, own: ownLoad };
    return {
      rows: [
        againstPeer(loaded, load, { goal: 3 }),
        againstLimit(loaded, limit, { goal: 2 }),
        againstPeer({ workload: 'B11', measured, own: ownGet, of: 'get' }, cachedLoad, { goal: 1_000 }),
        { ...listRow(top, measured.spread(top)), goal: 0.1 },
        listRow(topAfter, measured.spread(topAfter)),
        {
          workload: 'B11',
          name: 'memory',
          what: 'memory of a session that sleeps',
          figure: once(bytes / count / 1_000),
          unit: 'KB',
          better: 'less',
          goal: 1,
          detail: `${(bytes / 1e6).toFixed(0)} MB for ${count.toLocaleString('en')}`,
        },
      ],
    };
  },
};

function listRow(what: string, figure: ComparisonRow['figure']): ComparisonRow {
  return { workload: 'B11', name: what, what, figure, unit: 'ms', better: 'less' };
}

async function loadOwn(root: string): Promise<void> {
  const store = jsonlStore({ root });
  await store.sessions.get(sessionIdOf(0));
  await store[Symbol.asyncDispose]();
}

function parseLines(path: string): number {
  const buffer = readFileSync(path);
  const values: unknown[] = [];
  for (let from = 0; from < buffer.length; ) {
    const end = buffer.indexOf(10, from);
    values.push(JSON.parse(buffer.toString('utf8', from, end)));
    from = end + 1;
  }
  return values.length;
}

function readContenders(store: Store, count: number): readonly Contender[] {
  let at = 0;
  const next = (): string => {
    at += 7_919;
    return sessionIdOf(at % count);
  };
  const timed = async (work: () => Promise<unknown>): Promise<PartlyMeasured> => {
    const startedAt = performance.now();
    await work();
    return new PartlyMeasured(performance.now() - startedAt);
  };
  return [
    {
      name: ownGet,
      operations: gets,
      run: async () => {
        for (let time = 0; time < gets; time += 1) await store.sessions.get(next());
      },
    },
    { name: top, run: () => store.sessions.list({ limit: 50 }) },
    {
      name: topAfter,
      run: async () => {
        const sessionId = next();
        const record = await store.sessions.get(sessionId);
        const updatedAt = 1_750_000_000_000 + at;
        await store.sessions.put(sessionId, { updatedAt }, { expectedRev: record?.rev ?? 0 });
        return timed(() => store.sessions.list({ limit: 50 }));
      },
    },
  ];
}

/** Bytes of the heap, and of buffers, that something leaves behind. */
async function heapOf(bench: StorageBench, work: () => Promise<unknown>): Promise<number> {
  const used = (): number => {
    for (let time = 0; time < 3; time += 1) bench.collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const before = used();
  await work();
  return used() - before;
}
