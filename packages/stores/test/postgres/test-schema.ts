import { type PostgresStore, type PostgresStoreOptions, postgresStore } from '@varve/stores/postgres';
import type { Pool } from 'pg';

/** A store in a schema of its own. */
export interface TestSchema {
  readonly schema: string;
  readonly store: PostgresStore;
  /** Another store on the same tables, as another process would open it. */
  open(options?: Partial<PostgresStoreOptions>): PostgresStore;
  reopen(): Promise<PostgresStore>;
  close(): Promise<void>;
}

let count = 0;

/** Makes a store whose tables nobody else has. */
export function testSchema(pool: Pool, options: Partial<PostgresStoreOptions> = {}): TestSchema {
  count += 1;
  const schema = `varve_test_${process.pid}_${count}`;
  const stores: PostgresStore[] = [];
  const open = (more: Partial<PostgresStoreOptions> = {}): PostgresStore => {
    const store = postgresStore({ pool, schema, ...options, ...more });
    stores.push(store);
    return store;
  };
  return {
    schema,
    store: open(),
    open,
    reopen: async () => {
      await stores.at(-1)?.[Symbol.asyncDispose]();
      return open();
    },
    close: async () => {
      for (const store of stores) await store[Symbol.asyncDispose]();
      await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    },
  };
}
