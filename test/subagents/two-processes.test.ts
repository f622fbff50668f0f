import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { createHost, type Host, type ModelPort } from '@varve/core';
import { createSessions, type Sessions } from '@varve/sessions';
import { jsonlStore } from '@varve/stores/jsonl';
import { type ManualClock, manualClock } from '@varve/testkit';
import { expect, it } from 'vitest';
import { countEnds } from './oracle/count-ends.ts';
import { type Gate, gate } from './worker/gate.ts';

const key = 'agent:main:main';

interface Process extends AsyncDisposable {
  readonly sessions: Sessions;
  readonly host: Host;
  readonly clock: ManualClock;
}

/** Conversations over a store of their own, as another process would have them. */
async function open(root: string, going: Gate): Promise<Process> {
  const clock = manualClock();
  const store = jsonlStore({ root, durability: 'os' });
  const host = await createHost({ store, clock });
  const port: ModelPort = {
    ref: { provider: 'test', model: 'held' },
    generate: async ({ prompt }) => {
      if (JSON.stringify(prompt.messages).includes('You are a sub-agent')) await going.opened;
      return { message: { role: 'assistant', content: 'Done.', stop: 'stop' }, usage: null };
    },
  };
  const sessions = createSessions({ host, models: { defaultModel: 'test/held', port: () => port } });
  return {
    ...{ sessions, host, clock },
    [Symbol.asyncDispose]: async () => {
      await sessions.close();
      await host.close();
      await store[Symbol.asyncDispose]();
    },
  };
}

const say = ({ sessions }: Process, content: string): Promise<unknown> =>
  sessions.use(key, (session) => session.ingest({ role: 'user', content }));

/** Asks again and again, for as long as the test may run: how long a disk takes is not the test's affair. */
async function until(
  isSo: () => boolean | Promise<boolean>,
  { signal }: { readonly signal: AbortSignal },
): Promise<void> {
  while (!(await isSo())) await setImmediate(undefined, { signal });
}

it('an end comes in once when another process talks with the parent by then, and that one takes it in', async ({
  signal,
}) => {
  const root = mkdtempSync(join(tmpdir(), 'varve-two-'));
  try {
    const going = gate();
    await using working = await open(root, going);
    await say(working, 'hello');
    const { ended } = await working.sessions.spawn(key, { task: 'Count.' });
    await until(() => working.sessions.hibernate(key), { signal });
    const warnings: string[] = [];
    working.host.events.on('warning', ({ text }) => warnings.push(text));
    {
      await using talking = await open(root, gate());
      await say(talking, 'I am in another terminal.');
      going.open();
      await ended;
      await until(() => warnings.some((text) => text.includes('could not be delivered')), { signal });
      expect(countEnds(root)).toMatchObject([{ ends: 1, told: 0 }]);
      // Nobody goes on with a sub-agent that another process has, nor notes anything in its journal.
      await talking.sessions.hibernate(key);
      await say(talking, 'And now?');
      await until(() => countEnds(root)[0]?.told === 1, { signal });
    }
    working.clock.advance(60_000);
    await until(async () => (await working.sessions.children(key)).every(({ isDelivered }) => isDelivered), { signal });
    expect(countEnds(root)).toMatchObject([{ ends: 1, told: 1, isFaithful: true, isShownAtWork: false }]);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
