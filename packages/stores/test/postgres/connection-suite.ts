import { type Journal, VarveError } from '@varve/core';
import type { PostgresStore, PostgresStoreOptions } from '@varve/stores/postgres';
import { beginJournal, collectEntries, messageEntries, messageEntry } from '@varve/testkit';
import type { Pool, PoolConfig } from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PostgresServer } from './start-server.ts';
import { type TcpProxy, tcpProxy } from './tcp-proxy.ts';
import { type TestSchema, testSchema } from './test-schema.ts';

/** What happens to a store whose connections do not live as long as it does. */
export function describeConnections(server: PostgresServer, direct: Pool): void {
  let proxy: TcpProxy;
  let schema: TestSchema;

  beforeEach(async () => {
    proxy = await tcpProxy(server);
    schema = testSchema(direct);
  });

  afterEach(async () => {
    proxy.become('closed');
    await schema.close();
    await proxy.close();
  });

  /** A store that reaches the server through the proxy. */
  function far(options: Partial<PostgresStoreOptions> = {}, config: PoolConfig = {}): PostgresStore {
    return schema.open({ pool: server.pool({ ...config, port: proxy.port }), ...options });
  }

  const countRows = async (table: string): Promise<number> => {
    const { rows } = await direct.query(`SELECT count(*)::int AS count FROM ${schema.schema}.${table}`);
    return rows[0].count;
  };

  /** A journal of a store that waits for nothing long, opened as often as a busy machine needs. */
  const beginImpatiently = async (store: PostgresStore, signal: AbortSignal): Promise<Journal> => {
    for (;;) {
      signal.throwIfAborted();
      try {
        return await beginJournal(store);
      } catch (error) {
        if (!VarveError.is(error, 'VARVE_STORE_IO')) throw error;
      }
    }
  };

  describe('a connection that is lost', () => {
    it('after an append was carried out does not make the append fail, nor be made twice', async () => {
      const journal = await beginJournal(far());
      proxy.plan({ when: 'last_seq = $2', isCarriedOut: true });
      expect(await journal.append(messageEntries(1, 3), { expectedSeq: 0 })).toEqual({ seq: 3 });
      expect(await collectEntries(journal.read())).toEqual(messageEntries(1, 3));
      expect(await journal.append([messageEntry(4)], { expectedSeq: 3 })).toEqual({ seq: 4 });
    });

    it('after an append was carried out does not make it fail when somebody else appended meanwhile', async () => {
      const journal = await beginJournal(far());
      const other = await beginJournal(schema.store);
      proxy.plan({
        when: 'last_seq = $2',
        isCarriedOut: true,
        meanwhile: () => other.append([messageEntry(2, 'of the other')], { expectedSeq: 1, fence: 9 }),
      });
      expect(await journal.append([messageEntry(1)], { expectedSeq: 0, fence: 3 })).toEqual({ seq: 1 });
      expect(await collectEntries(journal.read())).toEqual([messageEntry(1), messageEntry(2, 'of the other')]);
    });

    it('before an append was carried out makes it a conflict when somebody else took its place', async () => {
      const journal = await beginJournal(far());
      const other = await beginJournal(schema.store);
      proxy.plan({
        when: 'last_seq = $2',
        isCarriedOut: false,
        meanwhile: () => other.append([messageEntry(1, 'of the other')], { expectedSeq: 0 }),
      });
      const append = journal.append([messageEntry(1, 'mine')], { expectedSeq: 0 });
      await expect(append).rejects.toMatchObject({ code: 'VARVE_STORE_CONFLICT' });
      expect(await collectEntries(journal.read())).toEqual([messageEntry(1, 'of the other')]);
    });

    it('after a record was changed does not make the change fail, nor be made twice', async () => {
      const { sessions } = far();
      proxy.plan({ when: 'INSERT INTO', isCarriedOut: true });
      expect(await sessions.put('one', { label: 'a' }, { expectedRev: 0 })).toMatchObject({ rev: 1, label: 'a' });
      proxy.plan({ when: 'UPDATE', isCarriedOut: true });
      expect(await sessions.put('one', { label: 'b' }, { expectedRev: 1 })).toMatchObject({ rev: 2, label: 'b' });
      expect(await sessions.get('one')).toMatchObject({ rev: 2, label: 'b' });
    });

    it('after a journal was replaced does not make the replacement fail', async () => {
      const journal = await beginJournal(far());
      await journal.append(messageEntries(1, 3), { expectedSeq: 0 });
      const changed = [1, 2, 3].map((seq) => messageEntry(seq, `new ${seq}`));
      proxy.plan({ when: 'generation + 1', isCarriedOut: true });
      const batches = (async function* () {
        yield { entries: changed };
      })();
      await journal.replace(batches, { expectedSeq: 3 });
      expect(await collectEntries(journal.read())).toEqual(changed);
      expect(await journal.append([messageEntry(4)], { expectedSeq: 3 })).toEqual({ seq: 4 });
      expect(await countRows('varve_replacements')).toBe(0);
    });

    it('while tables are made leaves them for the next attempt', async () => {
      proxy.plan({ when: 'CREATE TABLE', isCarriedOut: false });
      const journal = await beginJournal(far());
      await journal.append([messageEntry(1)], { expectedSeq: 0 });
      expect(await countRows('varve_migrations')).toBe(2);
    });

    it('while it is idle is no error of the process, and the next use has another one', async () => {
      const pool = server.pool();
      const journal = await beginJournal(schema.open({ pool }));
      await journal.append([messageEntry(1)], { expectedSeq: 0 });
      const removed = new Promise((resolve) => pool.once('remove', resolve));
      const { rows } = await pool.query('SELECT pg_backend_pid() AS pid');
      await direct.query('SELECT pg_terminate_backend($1)', [rows[0].pid]);
      await removed;
      expect(await journal.append([messageEntry(2)], { expectedSeq: 1 })).toEqual({ seq: 2 });
    });
  });

  describe('a server that cannot be used', () => {
    it('because it cannot be reached is VARVE_STORE_IO, and is used again when it can', async () => {
      const journal = await beginJournal(far({ retryMs: 60 }));
      proxy.become('closed');
      const [first, second] = [1, 2].map((seq) =>
        journal.append([messageEntry(seq)], { expectedSeq: seq - 1, fence: seq }),
      );
      await expect(first).rejects.toMatchObject({ code: 'VARVE_STORE_IO' });
      await expect(second).rejects.toMatchObject({ code: 'VARVE_STORE_CONFLICT' });
      await expect(journal.tail()).rejects.toMatchObject({ code: 'VARVE_STORE_IO' });
      proxy.become('open');
      expect(await journal.tail()).toEqual({ checkpoint: null, entries: [] });
      expect(await journal.append([messageEntry(1)], { expectedSeq: 0 })).toEqual({ seq: 1 });
    });

    it('because it does not answer any more is VARVE_STORE_IO after a while', async ({ signal }) => {
      await beginJournal(schema.store);
      const pool = server.pool({ port: proxy.port });
      const journal = await beginImpatiently(schema.open({ pool, timeoutMs: 1_000, retryMs: 0 }), signal);
      proxy.become('blocked');
      await expect(journal.append([messageEntry(1)], { expectedSeq: 0 })).rejects.toMatchObject({
        code: 'VARVE_STORE_IO',
        message: expect.stringContaining('within 1000 ms'),
      });
      proxy.become('closed');
      proxy.become('open');
      expect((await (await beginJournal(schema.open({ pool }))).tail()).entries).toEqual([]);
    });

    it('because all connections of the pool are taken is VARVE_STORE_IO, and works when one is free', async ({
      signal,
    }) => {
      const pool = server.pool({ max: 1 });
      const patient = await beginJournal(schema.open({ pool }));
      const journal = await beginImpatiently(schema.open({ pool, timeoutMs: 1_000, retryMs: 0 }), signal);
      const client = await pool.connect();
      await expect(journal.append([messageEntry(1)], { expectedSeq: 0 })).rejects.toMatchObject({
        code: 'VARVE_STORE_IO',
        message: expect.stringContaining('no free connection'),
      });
      client.release();
      expect(await patient.append([messageEntry(1)], { expectedSeq: 0 })).toEqual({ seq: 1 });
    });

    it('because a statement takes longer than the pool allows is VARVE_STORE_IO, and nothing was appended', async ({
      signal,
    }) => {
      const other = await beginJournal(schema.store);
      const journal = await beginImpatiently(schema.open({ pool: server.pool({ statement_timeout: 1_000 }) }), signal);
      const blocking = await direct.connect();
      await blocking.query(`BEGIN; LOCK TABLE ${schema.schema}.varve_journals IN EXCLUSIVE MODE`);
      await expect(journal.append([messageEntry(1)], { expectedSeq: 0 })).rejects.toMatchObject({
        code: 'VARVE_STORE_IO',
        fix: expect.stringContaining('statement_timeout'),
      });
      await blocking.query('ROLLBACK');
      blocking.release();
      expect(await other.append([messageEntry(1)], { expectedSeq: 0 })).toEqual({ seq: 1 });
    });

    it('because the pool has been ended is VARVE_STORE_IO at once', async () => {
      const pool = server.pool();
      const store = schema.open({ pool });
      await beginJournal(store);
      await pool.end();
      await expect(store.open('one')).rejects.toMatchObject({ code: 'VARVE_STORE_IO' });
    });
  });
}
