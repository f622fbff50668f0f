// The stores that ship, for `varve plugin check`: each function gives a fresh, empty one, and says how it is opened again.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStore } from '@varve/core';
import { jsonlStore } from '@varve/stores/jsonl';
import type { StoreSubject } from '@varve/testkit';
import type { Pool } from 'pg';
import { startServer } from '../../packages/stores/test/postgres/start-server.ts';
import { testSchema } from '../../packages/stores/test/postgres/test-schema.ts';

/** The store in memory; it keeps nothing beyond its process, so that it is itself when it is opened again. */
export function openMemoryStore(): StoreSubject {
  const store = memoryStore();
  return { store, reopen: async () => store, close: () => store[Symbol.asyncDispose]() };
}

/** The store of files, in a folder of its own. */
export async function openJsonlStore(): Promise<StoreSubject> {
  const root = await mkdtemp(join(tmpdir(), 'varve-score-card-'));
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

let pool: Pool | null = null;

/** The store in the PostgreSQL of `DATABASE_URL`, in a schema of its own. */
export async function openPostgresStore(): Promise<StoreSubject> {
  const { DATABASE_URL } = process.env;
  if (DATABASE_URL === undefined) throw new Error('DATABASE_URL names no server.');
  const server = await startServer();
  if ('reason' in server) throw new Error(server.reason);
  pool ??= server.pool();
  return testSchema(pool);
}
