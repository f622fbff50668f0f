// Holds every store that ships against the contract of stores, and prints which case holds for which:
//
//     pnpm test:stores
//
// PostgreSQL is that of DATABASE_URL, or one whose programs come with npm. Prints, last, `N passed, N failed`.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStore } from '@varve/core';
import { jsonlStore } from '@varve/stores/jsonl';
import { storeCases } from '@varve/testkit';
import { runCases } from '@varve/testkit/node';
import { startServer } from '../packages/stores/test/postgres/start-server.ts';
import { testSchema } from '../packages/stores/test/postgres/test-schema.ts';

/** A table is read on a terminal: a name that is longer is cut. */
const nameLength = 96;

const signs = { passed: '✓', skipped: '–', failed: '✗' };

process.exitCode = await main();

async function main() {
  const server = await startServer();
  const stores = { memory: openMemory, jsonl: openJsonl };
  if ('reason' in server) console.log(`skipped postgres: ${server.reason}`);
  else {
    const pool = server.pool();
    Object.assign(stores, { postgres: () => testSchema(pool) });
  }
  const reports = [];
  for (const open of Object.values(stores)) reports.push(await runCases(storeCases, open, { timeoutMs: 60_000 }));
  if (!('reason' in server)) await server.stop();
  const names = Object.keys(stores);
  console.log(`${names.join('  ')}  case`);
  for (const [index, { name }] of storeCases.entries()) {
    const cells = reports.map(({ results }, store) => {
      const sign = signs[results[index]?.status] ?? signs.failed;
      return sign.padEnd(names[store]?.length ?? 0);
    });
    console.log(`${cells.join('  ')}  ${name.slice(0, nameLength)}`);
  }
  for (const [store, { results }] of reports.entries()) {
    for (const { name, status, reason } of results) {
      if (status === 'failed') console.log(`${names[store]}: ${name}: ${reason}`);
    }
  }
  const sum = (count) => reports.reduce((all, report) => all + count(report), 0);
  const failed = sum((report) => report.failed);
  console.log(`${sum((report) => report.passed)} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

function openMemory() {
  const store = memoryStore();
  return { store, reopen: async () => store };
}

async function openJsonl() {
  const root = await mkdtemp(join(tmpdir(), 'varve-stores-'));
  let store = jsonlStore({ root });
  return {
    store,
    reopen: async () => {
      await store[Symbol.asyncDispose]();
      store = jsonlStore({ root });
      return store;
    },
    close: async () => {
      await store[Symbol.asyncDispose]();
      await rm(root, { recursive: true, force: true });
    },
  };
}
