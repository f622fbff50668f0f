import type { Store } from '@varve/core';
import { jsonlStore } from '@varve/stores/jsonl';
import { postgresStore } from '@varve/stores/postgres';
import type { CliIo } from '../terminal/cli-io.ts';
import { usage } from '../terminal/parse-options.ts';

/** Where sessions are kept. */
export interface StorePlace {
  /** Folder of the files. */
  readonly root: string;
  /** Whether they are in the database of `DATABASE_URL` instead, which other machines share. */
  readonly postgres: boolean;
  /** Schema of its tables. @default that of the connection */
  readonly schema?: string | undefined;
  readonly env: CliIo['env'];
}

/** A store, and what ends what it stands on. */
export interface OpenStore {
  readonly store: Store;
  /** For people: `files` or `PostgreSQL`. */
  readonly kind: string;
  /** Called when the store is closed. */
  end(): Promise<void>;
}

/** Opens the store of a gateway. @throws VARVE_USAGE  without an address of a database, or without the package pg. */
export async function openStore({ root, postgres, schema, env }: StorePlace): Promise<OpenStore> {
  if (!postgres) return { store: jsonlStore({ root }), kind: 'files', end: async () => undefined };
  const { DATABASE_URL = '' } = env;
  if (DATABASE_URL === '') {
    throw usage(
      'DATABASE_URL is not set.',
      'Set it to the address of the database: postgres://user:password@host/name.',
    );
  }
  const { default: pg } = await import('pg').catch(() => {
    throw usage('The package pg is not there.', 'Install it beside varve: npm install pg.');
  });
  const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 20 });
  // A connection that is lost while nobody uses it is made anew.
  pool.on('error', () => undefined);
  return { store: postgresStore({ pool, schema }), kind: 'PostgreSQL', end: () => pool.end() };
}
