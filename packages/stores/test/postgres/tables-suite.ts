import { createHost, type Seq } from '@varve/core';
import { postgresStore } from '@varve/stores/postgres';
import { beginJournal, collectEntries, messageEntries, messageEntry } from '@varve/testkit';
import type { Pool } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PostgresServer } from './start-server.ts';
import { type TestSchema, testSchema } from './test-schema.ts';

/** The tables of a store, and what several stores see of each other. */
export function describeTables(server: PostgresServer, direct: Pool): void {
  let schema: TestSchema;

  beforeEach(() => {
    schema = testSchema(direct);
  });

  afterEach(() => schema.close());

  describe('the tables of postgresStore', () => {
    it('are made once, however many stores begin at the same time', async () => {
      const stores = Array.from({ length: 6 }, () => schema.open());
      const journals = await Promise.all(stores.map((store, index) => beginJournal(store, `session ${index}`)));
      await Promise.all(journals.map((journal) => journal.append(messageEntries(1, 2), { expectedSeq: 0 })));
      const { rows } = await direct.query(`SELECT version FROM ${schema.schema}.varve_migrations`);
      expect(rows).toEqual([{ version: 1 }, { version: 2 }]);
    });

    it('are refused when a later version has made them', async () => {
      await beginJournal(schema.store);
      await direct.query(`INSERT INTO ${schema.schema}.varve_migrations (version) VALUES (99)`);
      await expect(beginJournal(schema.open())).rejects.toMatchObject({ code: 'VARVE_STORE_VERSION' });
    });

    it('cannot be in a schema whose name would be something else in a statement', () => {
      for (const name of ['', 'a b', 'a"; DROP TABLE x; --', 'x'.repeat(64)]) {
        expect(() => postgresStore({ pool: direct, schema: name })).toThrow(
          expect.objectContaining({ code: 'VARVE_OPTION_INVALID' }),
        );
      }
    });

    it('say with SQL alone what a journal holds', async () => {
      const journal = await beginJournal(schema.store);
      await journal.append(messageEntries(1, 3), { expectedSeq: 0, fence: 4 });
      const { rows } = await direct.query(
        `SELECT seq::int, entry_id, entry::json->>'type' AS type FROM ${schema.schema}.varve_entries WHERE session_id = 'one' ORDER BY seq`,
      );
      expect(rows).toEqual(messageEntries(1, 3).map(({ seq, id, type }) => ({ seq, entry_id: id, type })));
    });

    it('hold no row that was sent for a replacement which failed', async () => {
      const journal = await beginJournal(schema.store);
      await journal.append(messageEntries(1, 2), { expectedSeq: 0 });
      const batches = (async function* () {
        yield { entries: [messageEntry(1, 'new')] };
      })();
      await expect(journal.replace(batches, { expectedSeq: 2 })).rejects.toMatchObject({
        code: 'VARVE_STORE_CONFLICT',
      });
      const { rows } = await direct.query(`SELECT * FROM ${schema.schema}.varve_replacements`);
      expect(rows).toEqual([]);
    });
  });

  describe('a long journal in postgresStore', () => {
    it('is read in pages that other statements come between, with one connection', async () => {
      const store = schema.open({ pool: server.pool({ max: 1 }) });
      const journal = await beginJournal(store);
      await journal.append(messageEntries(1, 1_000), { expectedSeq: 0 });
      const seqs: Seq[] = [];
      for await (const { seq } of journal.read()) {
        seqs.push(seq);
        if (seq % 100 === 0) expect(await journal.get([seq])).toEqual([messageEntry(seq)]);
      }
      expect(seqs).toEqual(messageEntries(1, 1_000).map(({ seq }) => seq));
    });

    it('is read whole by somebody who is in the middle when it is replaced', async () => {
      const journal = await beginJournal(schema.store);
      await journal.append(messageEntries(1, 600), { expectedSeq: 0 });
      const seqs: Seq[] = [];
      for await (const { seq } of journal.read()) {
        seqs.push(seq);
        if (seq !== 10) continue;
        const batches = (async function* () {
          for (const entry of messageEntries(1, 600)) yield { entries: [{ ...entry, at: 1 }] };
        })();
        await journal.replace(batches, { expectedSeq: 600 });
      }
      expect(seqs).toHaveLength(600);
    });
  });

  describe('postgresStore.watch', () => {
    /** Resolves when a listener has heard of a seq, or of a later one. */
    function hearing(store = schema.store): {
      listener: (seq: Seq) => void;
      heard(seq: Seq): Promise<void>;
      stop(): void;
    } {
      let last = 0;
      let wake = (): void => {};
      const listener = (seq: Seq): void => {
        last = Math.max(last, seq);
        wake();
      };
      const stop = store.watch('one', listener);
      const heard = async (seq: Seq): Promise<void> => {
        while (last < seq) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      };
      return { listener, heard, stop };
    }

    it('tells what another store appends', async () => {
      const journal = await beginJournal(schema.store);
      const { heard } = hearing(schema.open({ pollMs: 3_600_000 }));
      await journal.append(messageEntries(1, 3), { expectedSeq: 0 });
      await heard(3);
      await journal.append([messageEntry(4)], { expectedSeq: 3 });
      await heard(4);
    });

    it('lets who follows a session hear of what another host stores', async () => {
      await using here = await createHost({ store: schema.store });
      await using there = await createHost({ store: schema.open() });
      const [one, other] = [await here.open('one'), await there.open('one')];
      const events = one.follow();
      for (const content of ['first', 'second', 'third']) {
        const { id } = await other.ingest({ role: 'user', content });
        const { value } = await events.next();
        expect(value?.event).toMatchObject({ entry: { id, message: { content } } });
      }
    });

    it('goes on when its connection is lost, and finds what it has missed', async () => {
      const journal = await beginJournal(schema.store);
      const pool = server.pool({ application_name: 'watching' });
      const { heard } = hearing(schema.open({ pool, pollMs: 50 }));
      await journal.append([messageEntry(1)], { expectedSeq: 0 });
      await heard(1);
      for (const seq of [2, 3, 4]) {
        await direct.query(
          `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'watching'`,
        );
        await journal.append([messageEntry(seq)], { expectedSeq: seq - 1 });
        await heard(seq);
      }
    });

    it('looks from time to time where the pool has no connection to spare', async () => {
      const journal = await beginJournal(schema.store);
      const { heard } = hearing(schema.open({ pool: server.pool({ max: 1 }), pollMs: 20 }));
      await journal.append([messageEntry(1)], { expectedSeq: 0 });
      await heard(1);
      expect(await collectEntries(journal.read())).toEqual([messageEntry(1)]);
    });

    it('gives its connection back when nobody watches any more, and when the store is closed', async () => {
      const pool = server.pool();
      const store = schema.open({ pool });
      const journal = await beginJournal(store);
      const { heard, stop } = hearing(store);
      await journal.append([messageEntry(1)], { expectedSeq: 0 });
      await heard(1);
      stop();
      const again = hearing(store);
      await again.heard(1);
      await store[Symbol.asyncDispose]();
      expect(pool.idleCount).toBe(pool.totalCount);
    });
  });
}
