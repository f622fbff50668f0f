import { join } from 'node:path';
import { createHost } from '@varve/core';
import { jsonlStore } from '@varve/stores/jsonl';
import { type Contender, interleave } from '../../interleave.ts';
import { againstLimit, againstPeer } from '../../measured/compared.ts';
import type { ComparisonRow, MissingPeer } from '../../measured/comparison-row.ts';
import { createGroupCommit } from '../limits/group-commit.ts';
import { createArticleQueue } from '../peers/article-queue.ts';
import { loadLangGraph } from '../peers/langgraph.ts';
import { loadPeer } from '../peers/load-peer.ts';
import { createSqliteWriter, loadSqlite } from '../peers/sqlite.ts';
import type { StorageBench, StorageWorkload } from '../storage-bench.ts';
import { type AppendJob, entriesOf, journalContender, linesContender } from '../writers.ts';

const own = 'journal.append';
const flushed = 'appendFile + flush';
const sqlite = 'better-sqlite3, WAL, FULL';
const limit = 'write + fdatasync on a kept file';
const ownTurn = 'two messages ingested';
const langGraph = 'LangGraph + SqliteSaver';

/** B3: durable appends of one session, one after the other. */
export const appendSequential: StorageWorkload = {
  id: 'B3',
  title: 'durable appends, one after the other',
  run: async (bench) => {
    const folder = bench.folder('sequential');
    const job: AppendJob = { appends: bench.isQuick ? 40 : 120, width: 1 };
    const database = await loadPeer('better-sqlite3', () => loadSqlite(bench.say));
    const { peer: openDatabase } = database;
    const measured = await interleave(
      [
        journalContender(own, job, { root: join(folder, 'store'), durability: 'fsync' }),
        linesContender(flushed, job, (at) => createArticleQueue(join(folder, `flushed-${at}`), { isDurable: true })),
        ...(openDatabase === null
          ? []
          : [linesContender(sqlite, job, (at) => createSqliteWriter(openDatabase(join(folder, `sqlite-${at}`))))]),
        linesContender(limit, job, (at) => createGroupCommit(join(folder, `kept-${at}`))),
      ],
      bench.often,
    );
    const measurement = { workload: 'B3', measured, own };
    const turns = await turnRows(bench);
    return {
      rows: [
        againstPeer(measurement, flushed, { goal: 1 }),
        ...(openDatabase === null ? [] : [againstPeer(measurement, sqlite)]),
        againstLimit(measurement, limit, { goal: 1.2 }),
        ...turns.rows,
      ],
      missing: [database.missing, turns.missing].filter((missing) => missing !== null),
    };
  },
};

/** Two messages more for a conversation of some hundred. */
async function turnRows(
  bench: StorageBench,
): Promise<{ readonly rows: readonly ComparisonRow[]; readonly missing: MissingPeer | null }> {
  const turns = bench.isQuick ? 50 : 200;
  const peer = await loadPeer(langGraph, async () => {
    loadSqlite(bench.say);
    return (await loadLangGraph()).begin(join(bench.folder('langgraph'), 'threads.db'), turns);
  });
  if (peer.peer === null) return { rows: [], missing: peer.missing };
  const store = jsonlStore({ root: bench.folder('turns') });
  const host = await createHost({ store });
  const session = await host.open('turns');
  const entries = entriesOf({ appends: 2 * turns, width: 1 });
  await Promise.all(entries.map(({ message }) => session.ingest(message)));
  const contenders: readonly Contender[] = [
    {
      name: ownTurn,
      run: async () => {
        await session.ingest({ role: 'user', content: 'And now?' });
        await session.ingest({ role: 'assistant', content: 'Now it is done.' });
      },
    },
    { name: langGraph, run: peer.peer.turn },
  ];
  const measured = await interleave(contenders, bench.often);
  await host.close();
  await store[Symbol.asyncDispose]();
  const measurement = { workload: 'B3', measured, own: ownTurn, of: `a turn after ${turns}` };
  return { rows: [againstPeer(measurement, langGraph)], missing: null };
}
