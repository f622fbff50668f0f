import {
  type CompactOutcome,
  type CompactTrigger,
  createHost,
  definePlugin,
  type Host,
  type Session,
} from '@varve/core';
import { manualClock } from '@varve/testkit';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { deferred, user, wordCounter } from './turn/scripted-model.ts';

const model = { provider: 'test', model: 'test-1' };

/** A session whose plugin saves before a compaction for as long as the gate is shut, unless it is told to stop. */
async function openSaving(hook: 'beforeCompact' | 'summarize') {
  const asked = deferred<void>();
  const gate = deferred<void>();
  const notes: string[] = [];
  const plugin = definePlugin({
    name: 'saver',
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    apply: ({ hooks }) => {
      hooks[hook].tapPromise('save', async (_: unknown, { signal }: { readonly signal: AbortSignal }) => {
        asked.resolve();
        await gate.promise;
        if (!signal.aborted) notes.push('saved');
        return undefined;
      });
    },
  })();
  const host = await createHost({
    clock: manualClock(),
    tokens: wordCounter,
    plugins: [plugin],
    budget: { inputTokens: 2_000 },
  });
  const session = await host.open('s');
  for (let turn = 0; turn < 10; turn += 1) {
    await session.ingest(user(`Question ${turn}`));
    await session.ingest({ role: 'assistant', content: 'clay '.repeat(250) });
  }
  return { host, session, asked: asked.promise, gate, notes };
}

type Ask = (session: Session) => Promise<CompactOutcome>;

const compactFor =
  (trigger: CompactTrigger): Ask =>
  (session) =>
    session.compact(trigger, { model });

const commitPlan: Ask = async (session) => {
  const plan = await session.plan('manual', { model });
  if ('refused' in plan) throw new Error(plan.why);
  return session.commit(plan, { model });
};

test.each<[string, 'beforeCompact' | 'summarize', Ask, (host: Host, session: Session) => Promise<void>]>([
  ['a manual compaction with the host', 'beforeCompact', compactFor('manual'), (host) => host.close()],
  ['a manual compaction with the session', 'beforeCompact', compactFor('manual'), (_, session) => session.close()],
  ['prose that is waited for', 'summarize', compactFor('overflow'), (host) => host.close()],
  ['a plan that is carried out', 'summarize', commitPlan, (host) => host.close()],
])('closing aborts %s, and waits for its end', async (_, hook, ask, close) => {
  const { host, session, asked, gate, notes } = await openSaving(hook);
  const ended: string[] = [];
  const compacting = ask(session).then(({ status }) => ended.push(status));
  await asked;
  await close(host, session).then(() => ended.push('closed'));
  gate.resolve();
  await compacting;
  expect([ended, notes]).toEqual([['aborted', 'closed'], []]);
  await host.close();
});
