import { closeSync, copyFileSync, cpSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createHost, type Journal, type MessageEntry, type Session } from '@varve/core';
import { jsonlStore } from '@varve/stores/jsonl';
import { type Contender, interleave } from '../../interleave.ts';
import { againstLimit, againstPeer } from '../../measured/compared.ts';
import { milliseconds } from '../../measured/comparison-row.ts';
import { createEntryMaker } from '../data/entry-maker.ts';
import { type History, historySession } from '../data/histories.ts';
import { piMessageOf } from '../data/pi-session.ts';
import { createArticleQueue } from '../peers/article-queue.ts';
import { loadPeer } from '../peers/load-peer.ts';
import { loadPi, type PiSession, type PiSessions } from '../peers/pi.ts';
import type { StorageBench, StorageWorkload } from '../storage-bench.ts';
import { entriesOf, journalContender, linesContender } from '../writers.ts';

const job = { appends: 500, width: 1 } as const;

const own = 'journal.append';
const wholePath = 'session.ingest';
const queue = 'article queue (appendFile, not durable)';
const limit = 'stringify + write on a kept file';

/** B1: 500 messages of one session, one after the other, nothing synced. */
export const appendNotDurable: StorageWorkload = {
  id: 'B1',
  title: 'append 500 messages, not durable',
  run: async (bench) => {
    const history = await bench.history(bench.isQuick ? 10_000 : 100_000);
    const pi = await loadPeer('pi SessionManager', loadPi);
    const folder = bench.folder('append');
    const full = atTheEndOf(history, bench);
    const ingesting = await ingestContender(bench);
    const contenders = [
      journalContender(own, job, { root: join(folder, 'store'), durability: 'os' }),
      ingesting.contender,
      full.contender,
      linesContender(queue, job, (at) => createArticleQueue(join(folder, `queue-${at}`), { isDurable: false })),
      keptFile(folder),
      ...(pi.peer === null ? [] : [piContender(pi.peer, folder)]),
    ];
    const measured = await interleave(contenders, bench.often);
    await full.close();
    await ingesting.close();
    const measurement = { workload: 'B1', measured, own };
    const shape = measured.ratio(full.contender.name, own);
    const entries = history.entries.toLocaleString('en');
    return {
      rows: [
        ...(pi.peer === null ? [] : [againstPeer(measurement, 'pi', { must: 1, goal: 1.3 })]),
        againstPeer(measurement, queue, { must: 3, goal: 6 }),
        againstLimit(measurement, limit, { goal: 1.6 }),
        {
          workload: 'B1',
          name: 'flat',
          what: `ours behind ${entries} entries / at the beginning`,
          figure: shape,
          unit: '×',
          better: 'less',
          goal: 1.2,
          detail: milliseconds(measured.spread(full.contender.name).median),
        },
        ...(pi.peer === null
          ? []
          : [againstPeer({ workload: 'B1', measured, own: wholePath, of: wholePath }, 'pi', { goal: 1 })]),
      ],
      missing: pi.missing === null ? [] : [pi.missing],
      notes: [
        `${wholePath} also checks the message with its schema, asks plugins, counts tokens and folds; pi does none of it.`,
      ],
    };
  },
};

/** A journal that holds a long history already, whose copy grows from round to round. */
function atTheEndOf(history: History, bench: StorageBench): { readonly contender: Contender; close(): Promise<void> } {
  const root = bench.folder('long');
  cpSync(history.root, root, { recursive: true, filter: (path) => !path.endsWith('.jsonl') });
  copyFileSync(history.journalFile, history.journalFile.replace(history.root, root));
  const store = jsonlStore({ root, durability: 'os' });
  const maker = createEntryMaker({ seed: 9, afterSeq: history.entries });
  let journal: Journal | null = null;
  let entries: readonly MessageEntry[] = [];
  const contender: Contender = {
    name: 'journal.append behind a history',
    operations: job.appends,
    before: async () => {
      journal ??= await store.open(historySession);
      entries = maker.messages(job.appends);
    },
    run: async () => {
      for (const entry of entries) await journal?.append([entry], { expectedSeq: entry.seq - 1 });
    },
  };
  return {
    contender,
    close: async () => {
      await store[Symbol.asyncDispose]();
    },
  };
}

/** The whole way of a message: what an integrator calls. */
async function ingestContender(
  bench: StorageBench,
): Promise<{ readonly contender: Contender; close(): Promise<void> }> {
  const entries = entriesOf(job);
  const store = jsonlStore({ root: bench.folder('ingest'), durability: 'os' });
  const host = await createHost({ store });
  let round = 0;
  let session: Session | null = null;
  const contender: Contender = {
    name: wholePath,
    operations: entries.length,
    before: async () => {
      round += 1;
      session = await host.open(`round-${round}`);
    },
    run: async () => {
      for (const { message, usage } of entries) await session?.ingest(message, { usage });
    },
    after: () => session?.close(),
  };
  return {
    contender,
    close: async () => {
      await host.close();
      await store[Symbol.asyncDispose]();
    },
  };
}

function piContender(sessions: PiSessions, folder: string): Contender {
  const messages = entriesOf(job).map(piMessageOf);
  let session: PiSession | null = null;
  let round = 0;
  return {
    name: 'pi',
    operations: messages.length,
    before: () => {
      round += 1;
      session = sessions.create(folder, join(folder, `pi-${round}`));
    },
    run: () => {
      for (const message of messages) session?.appendMessage(message);
    },
  };
}

function keptFile(folder: string): Contender {
  const entries = entriesOf(job);
  let file = 0;
  let round = 0;
  return {
    name: limit,
    operations: entries.length,
    before: () => {
      round += 1;
      file = openSync(join(folder, `kept-${round}`), 'a');
    },
    run: () => {
      for (const entry of entries) writeSync(file, Buffer.from(`${JSON.stringify(entry)}\n`));
    },
    after: () => closeSync(file),
  };
}
