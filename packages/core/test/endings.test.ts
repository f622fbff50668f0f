import { type ContextEngine, createHost, definePlugin, type Host, type Plugin } from '@varve/core';
import { manualClock } from '@varve/testkit';
import { expect, test } from 'vitest';
import { z } from 'zod';

const about = { version: '1.0.0', apiVersion: '^1.0.0', options: z.strictObject({}) };

const cleaning = (name: string, end: () => void | Promise<void>): Plugin =>
  definePlugin({ ...about, name, apply: () => end })();

function withEngine(dispose: () => Promise<void>): Plugin {
  const engine: ContextEngine = {
    info: { id: 'own', name: 'Own', version: '1.0.0' },
    ingest: async () => ({ ingested: true }),
    assemble: async ({ draft }) => draft,
    compact: async ({ defaultPlan }) => defaultPlan(),
    dispose,
  };
  return definePlugin({
    ...about,
    name: 'engines',
    apply: ({ registerEngine }) => registerEngine('own', () => engine),
  })();
}

/** Closes a host while its clock passes five seconds; gives the warnings. */
async function close(host: Host, clock: ReturnType<typeof manualClock>): Promise<string[]> {
  const warnings: string[] = [];
  host.events.on('warning', ({ sessionId, text }) => warnings.push(`${sessionId}: ${text}`));
  let isClosed = false;
  const closing = host.close().finally(() => {
    isClosed = true;
  });
  closing.catch(() => undefined);
  while (!isClosed) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(2_500);
  }
  await closing;
  await Promise.resolve();
  return warnings;
}

test('a clean-up that hangs is given up on after five seconds, and the others have run', async () => {
  const clock = manualClock();
  const startedAt = clock.now();
  let others = 0;
  const count = (): void => {
    others += 1;
  };
  const plugins = [
    cleaning('first', count),
    cleaning('stuck', () => new Promise(() => undefined)),
    cleaning('last', count),
  ];
  const host = await createHost({ clock, plugins });
  expect(await close(host, clock)).toEqual([
    'null: Plugin "stuck" did not clean up within 5000 ms; the host was closed without it.',
  ]);
  expect([others, clock.now() - startedAt >= 5_000]).toEqual([2, true]);
});

test('an engine that is never disposed of is left behind, and its session is stored and closed', async () => {
  const clock = manualClock();
  const host = await createHost({ clock, engine: 'own', plugins: [withEngine(() => new Promise(() => undefined))] });
  const session = await host.open('s');
  await session.ingest({ role: 'user', content: 'hello' });
  expect(await close(host, clock)).toEqual([
    's: Engine "own" was not disposed of within 5000 ms; the session was closed without it.',
  ]);
  await expect(session.ingest({ role: 'user', content: 'late' })).rejects.toMatchObject({
    code: 'VARVE_SESSION_CLOSED',
  });
});

test('a clean-up that throws in time is an error of closing, as before', async () => {
  const clock = manualClock();
  const host = await createHost({
    clock,
    plugins: [
      cleaning('bad', () => {
        throw new Error('no');
      }),
    ],
  });
  await expect(close(host, clock)).rejects.toMatchObject({ errors: [{ message: 'no' }] });
});

test('a host that cannot start does not wait for a clean-up that hangs', async () => {
  const clock = manualClock();
  const bad = definePlugin({
    ...about,
    name: 'bad',
    apply: () => {
      throw new Error('no disk');
    },
  });
  let isOver = false;
  const start = createHost({ clock, plugins: [cleaning('stuck', () => new Promise(() => undefined)), bad()] });
  const settled = start
    .catch((error: unknown) => error)
    .finally(() => {
      isOver = true;
    });
  while (!isOver) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(2_500);
  }
  expect(await settled).toMatchObject({ code: 'VARVE_PLUGIN_FAILED' });
});
