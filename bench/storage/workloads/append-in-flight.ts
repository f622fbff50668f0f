import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { MessageEntry } from '@varve/core';
import { jsonlStore } from '@varve/stores/jsonl';
import { type Contender, interleave } from '../../interleave.ts';
import { againstLimit, againstPeer } from '../../measured/compared.ts';
import { type ComparisonRow, once } from '../../measured/comparison-row.ts';
import { appendToJournal } from '../in-flight.ts';
import { createCountingFileSystem } from '../limits/counting-file-system.ts';
import { writeAll } from '../limits/group-commit.ts';
import { createArticleQueue } from '../peers/article-queue.ts';
import { loadPeer } from '../peers/load-peer.ts';
import { createSqliteWriter, loadSqlite } from '../peers/sqlite.ts';
import type { StorageWorkload } from '../storage-bench.ts';
import { type AppendJob, entriesOf, journalContender, linesContender } from '../writers.ts';

const width = 64;
const own = 'journal.append';
const flushed = 'appendFile + flush';
const queue = 'article queue (appendFile, not durable)';
const sqlite = 'better-sqlite3, WAL, FULL';
const limit = 'one writev + one fdatasync of the same bytes';
const fromMessages = 'JSON, one writev + one fdatasync of the same messages';

/** B2: 64 durable appends under way at once, one session. */
export const appendInFlight: StorageWorkload = {
  id: 'B2',
  title: '64 durable appends at once, one session',
  run: async (bench) => {
    const folder = bench.folder('in-flight');
    const job: AppendJob = { appends: bench.isQuick ? 512 : 2_048, width };
    const few: AppendJob = { appends: bench.isQuick ? 64 : 192, width };
    const database = await loadPeer('better-sqlite3', () => loadSqlite(bench.say));
    const { peer: openDatabase } = database;
    const measured = await interleave(
      [
        journalContender(own, job, { root: join(folder, 'store'), durability: 'fsync' }),
        linesContender(flushed, few, (at) => createArticleQueue(join(folder, `flushed-${at}`), { isDurable: true })),
        linesContender(queue, job, (at) => createArticleQueue(join(folder, `queue-${at}`), { isDurable: false })),
        ...(openDatabase === null
          ? []
          : [linesContender(sqlite, job, (at) => createSqliteWriter(openDatabase(join(folder, `sqlite-${at}`))))]),
        batches(limit, job, { folder, encode: encodedOnce(job) }),
        batches(fromMessages, job, { folder, encode: encode }),
      ],
      bench.often,
    );
    const measurement = { workload: 'B2', measured, own };
    return {
      rows: [
        againstPeer(measurement, flushed, { must: 8, goal: 15 }),
        againstPeer(measurement, queue, { must: 2, goal: 4 }),
        ...(openDatabase === null ? [] : [againstPeer(measurement, sqlite, { goal: 1 })]),
        againstLimit(measurement, limit, { goal: 1.5 }),
        againstLimit(measurement, fromMessages),
        await syncsPerAppend(job, bench.folder('counted')),
      ],
      missing: database.missing === null ? [] : [database.missing],
    };
  },
};

/** What the disk is asked to do, counted. */
async function syncsPerAppend(job: AppendJob, root: string): Promise<ComparisonRow> {
  const { fileSystem, counts } = createCountingFileSystem();
  const store = jsonlStore({ root, fileSystem });
  const create = { v: 1, sessionId: 'counted', createdAt: 0 } as const;
  const journal = await store.open('counted', { create });
  const before = { ...counts };
  await appendToJournal(journal, entriesOf(job), job.width);
  const syncs = counts.syncs - before.syncs;
  const writes = counts.writes - before.writes;
  await store[Symbol.asyncDispose]();
  return {
    workload: 'B2',
    name: 'fdatasyncs',
    what: 'fdatasyncs for each append',
    figure: once(syncs / job.appends),
    unit: 'count',
    better: 'less',
    must: 1 / 16,
    detail: `${syncs} fdatasyncs and ${writes} writes for ${job.appends} appends`,
  };
}

/** The lines in batches, each written at once and synced. */
function batches(
  name: string,
  job: AppendJob,
  how: {
    readonly folder: string;
    readonly encode: (entries: readonly MessageEntry[], from: number) => readonly Buffer[];
  },
): Contender {
  const entries = entriesOf(job);
  let file: Awaited<ReturnType<typeof open>> | null = null;
  let round = 0;
  return {
    name,
    operations: entries.length,
    before: async () => {
      round += 1;
      file = await open(join(how.folder, `${name.slice(0, 3)}-${round}`), 'a');
    },
    run: async () => {
      for (let from = 0; from < entries.length && file !== null; from += job.width) {
        await writeAll(file, how.encode(entries.slice(from, from + job.width), from));
        await file.datasync();
      }
    },
    after: () => file?.close(),
  };
}

function encode(entries: readonly MessageEntry[]): readonly Buffer[] {
  return entries.map((entry) => Buffer.from(`${JSON.stringify(entry).slice(0, -1)},"more":0,"crc":"00000000"}\n`));
}

function encodedOnce(job: AppendJob): (entries: readonly MessageEntry[], from: number) => readonly Buffer[] {
  const lines = encode(entriesOf(job));
  return (entries, from) => lines.slice(from, from + entries.length);
}
