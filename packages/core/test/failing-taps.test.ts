import {
  createHost,
  type Draft,
  definePlugin,
  type Health,
  type Host,
  memoryStore,
  type PartsHealth,
  type Plugin,
} from '@varve/core';
import { manualClock } from '@varve/testkit';
import { expect, test } from 'vitest';
import { z } from 'zod';

const model = { provider: 'test', model: 'test-1' };

/** What the taps of {@link faulty} count and obey. */
interface Faults {
  ingest: boolean;
  shape: boolean;
  ingestCalls: number;
  shapeCalls: number;
}

function faulty(faults: Faults): Plugin {
  return definePlugin({
    name: 'faulty',
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    apply({ hooks }) {
      hooks.ingest.tapPromise('check', () => {
        faults.ingestCalls += 1;
        if (faults.ingest) throw new Error('no disk for the audit');
      });
      hooks.shape.tapPromise('mask', async (draft: Draft) => {
        faults.shapeCalls += 1;
        if (faults.shape) throw new TypeError('draft.foo is not a function');
        return draft;
      });
    },
  })();
}

const noFaults = (): Faults => ({ ingest: false, shape: false, ingestCalls: 0, shapeCalls: 0 });

test('a failing ingest tap fails every ingest, a hundred times over and across restarts, and stores nothing', async () => {
  const store = memoryStore();
  const faults = { ...noFaults(), ingest: true };
  for (const attempts of [50, 50]) {
    const host = await createHost({ store, clock: manualClock(), plugins: [faulty(faults)] });
    const session = await host.open('s');
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      await expect(session.ingest({ role: 'user', content: 'hello' })).rejects.toMatchObject({
        code: 'VARVE_PLUGIN_FAILED',
      });
    }
    expect(session.health()).toMatchObject({ ok: false, findings: [{ failures: attempts, isSkipped: false }] });
    await host.close();
  }
  expect(faults.ingestCalls).toBe(100);
  const journal = await store.open('s');
  expect((await journal.tail()).entries).toEqual([]);
});

test('a failing shape tap is skipped after three failures, probed once its wait is over, and comes back', async () => {
  const clock = manualClock();
  const faults = { ...noFaults(), shape: true };
  const host = await createHost({ clock, plugins: [faulty(faults)] });
  const session = await host.open('s');
  await session.ingest({ role: 'user', content: 'hello' });
  const partsOf = ({ ok, findings }: Health): PartsHealth => ({ ok, findings });
  const seen = [partsOf(session.health())];
  for (let request = 0; request < 100; request += 1) await session.assemble({ model });
  seen.push(partsOf(session.health()));
  expect(faults.shapeCalls).toBe(3);

  clock.advance(30_000);
  await session.assemble({ model });
  expect(faults.shapeCalls).toBe(4);
  await session.assemble({ model });
  expect(faults.shapeCalls).toBe(4);

  faults.shape = false;
  clock.advance(60_000);
  for (let request = 0; request < 5; request += 1) await session.assemble({ model });
  seen.push(partsOf(session.health()));
  expect(faults.shapeCalls).toBe(9);
  expect(seen).toMatchInlineSnapshot(`
    [
      {
        "findings": [],
        "ok": true,
      },
      {
        "findings": [
          {
            "failures": 3,
            "isFailing": true,
            "isSkipped": true,
            "lastAt": 1700000000000,
            "lastCode": null,
            "lastError": "draft.foo is not a function",
            "name": "faulty",
            "where": "shape: mask",
          },
        ],
        "ok": false,
      },
      {
        "findings": [
          {
            "failures": 4,
            "isFailing": false,
            "isSkipped": false,
            "lastAt": 1700000030000,
            "lastCode": null,
            "lastError": "draft.foo is not a function",
            "name": "faulty",
            "where": "shape: mask",
          },
        ],
        "ok": true,
      },
    ]
  `);
  await host.close();
});

test('a restart tries a skipped tap anew, and what it fails there counts anew', async () => {
  const store = memoryStore();
  const clock = manualClock();
  const faults = { ...noFaults(), shape: true };
  const use = async (work: (host: Host) => Promise<void>): Promise<void> => {
    const host = await createHost({ store, clock, plugins: [faulty(faults)] });
    await work(host);
    await host.close();
  };
  await use(async (host) => {
    const session = await host.open('s');
    await session.ingest({ role: 'user', content: 'hello' });
    for (let request = 0; request < 10; request += 1) await session.assemble({ model });
    expect(session.health().findings[0]).toMatchObject({ failures: 3, isSkipped: true });
  });
  await use(async (host) => {
    const session = await host.open('s');
    expect(session.health()).toMatchObject({ ok: true, findings: [] });
    for (let request = 0; request < 10; request += 1) await session.assemble({ model });
    expect(session.health().findings[0]).toMatchObject({ failures: 3, isSkipped: true });
  });
  expect(faults.shapeCalls).toBe(6);
});

test('two hosts and two sessions in one process do not share what they know of a failing tap', async () => {
  const faults = { ...noFaults(), shape: true };
  const hosts = [await createHost({ plugins: [faulty(faults)] }), await createHost({ plugins: [faulty(faults)] })];
  const sessions = await Promise.all(hosts.map((host) => host.open('s')));
  const other = await hosts[0]?.open('other');
  for (const session of [...sessions, other]) await session?.ingest({ role: 'user', content: 'hello' });
  for (let request = 0; request < 5; request += 1) await sessions[0]?.assemble({ model });
  expect(sessions[0]?.health().ok).toBe(false);
  expect(sessions[1]?.health()).toMatchObject({ ok: true, findings: [] });
  expect(other?.health()).toMatchObject({ ok: true, findings: [] });
  await sessions[1]?.assemble({ model });
  expect(faults.shapeCalls).toBe(4);
  for (const host of hosts) await host.close();
});
