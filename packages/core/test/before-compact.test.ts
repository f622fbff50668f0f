import { createHost, definePlugin, type HookContext, type Host, type Plugin, type Session } from '@varve/core';
import { type ManualClock, manualClock } from '@varve/testkit';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { deferred, scriptedModel, settle, user, wordCounter } from './turn/scripted-model.ts';

/** What a plugin that saves things was told, and when it is done. */
interface Saver {
  readonly seen: { trigger: string; kind: string; turn: string; messages: number; aborted: boolean }[];
  readonly done: Promise<void>;
}

/** Compacts at its limits, and saves something before, which takes as long as it takes. */
const savingPlugin = (saver: Saver): Plugin =>
  definePlugin({
    name: 'saver',
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    apply: ({ hooks }) => {
      hooks.shouldCompact.tapPromise('limits', ({ trigger, tokens, budget }) =>
        trigger === 'background' ? tokens > budget.soft : tokens > budget.hard,
      );
      hooks.beforeCompact.tapPromise(
        'save',
        async ({ trigger, draft }, { turn, signal, record, warn }: HookContext) => {
          const seen = { trigger, kind: turn.kind, turn: turn.id, messages: draft.items.length, aborted: false };
          saver.seen.push(seen);
          signal.addEventListener('abort', () => {
            seen.aborted = true;
          });
          await saver.done;
          record('saved', trigger);
          warn(`saved ${trigger}`);
        },
      );
    },
  })();

async function open(
  saver: Saver,
  turns: number,
): Promise<{ host: Host; session: Session; clock: ManualClock; told: string[] }> {
  const clock = manualClock();
  const host = await createHost({
    clock,
    tokens: wordCounter,
    plugins: [savingPlugin(saver)],
    budget: { inputTokens: 6_800 },
  });
  const told: string[] = [];
  host.events.on('compaction-committed', ({ reason }) => told.push(`committed ${reason}`));
  host.events.on('warning', ({ text, sessionId }) => told.push(`${sessionId}: ${text}`));
  host.events.on('plugin-failed', ({ error }) => told.push(error));
  const session = await host.open('s');
  for (let turn = 0; turn < turns; turn += 1) {
    await session.ingest(user(`Question ${turn}: ${'clay '.repeat(100)}`));
    await session.ingest({ role: 'assistant', content: `Answer ${turn}: ${'silt '.repeat(270)}` });
  }
  return { host, session, clock, told };
}

const model = scriptedModel([]).port;

test('in front of a model call nobody waits for beforeCompact, and what it saves is stored when it is ready', async () => {
  const gate = deferred<void>();
  const saver: Saver = { seen: [], done: gate.promise };
  const { host, session, told } = await open(saver, 18);
  const messages = session.view.messages().length + 1;
  const record = await session.turn({ message: user('And now?'), model });
  expect(record).toMatchObject({ status: 'answered', compactions: [{ status: 'compacted', trigger: 'threshold' }] });
  expect(saver.seen).toEqual([{ trigger: 'threshold', kind: 'user', turn: record.turnId, messages, aborted: false }]);
  gate.resolve();
  await settle();
  expect(told).toEqual(['committed threshold', 's: saver: saved threshold']);
  await session.set('seen', true);
  const types: string[] = [];
  for await (const { type } of session.read()) types.push(type);
  expect(types.indexOf('saver:saved')).toBeGreaterThan(types.indexOf('compaction'));
  await host.close();
});

test('the end of a session aborts what is being saved beside it', async () => {
  const saver: Saver = { seen: [], done: new Promise(() => undefined) };
  const { host, session, told } = await open(saver, 18);
  await session.turn({ message: user('And now?'), model });
  expect(saver.seen.map(({ aborted }) => aborted)).toEqual([false]);
  await host.close();
  expect(saver.seen.map(({ aborted }) => aborted)).toEqual([true]);
  expect(told).toEqual(['committed threshold']);
});

test('nothing is forgotten while something of it may be saved', async () => {
  const gate = deferred<void>();
  const { host, session } = await open({ seen: [], done: gate.promise }, 18);
  await session.turn({ message: user('And now?'), model });
  const last = session.view.messages().at(-1)?.id ?? '';
  await expect(session.forget([last], 'asked for')).rejects.toMatchObject({ code: 'VARVE_FORGET_REFUSED' });
  gate.resolve();
  await settle();
  await session.forget([last], 'asked for');
  await host.close();
});

test('a background run waits for it, and knows the turn that it follows', async () => {
  const gate = deferred<void>();
  const saver: Saver = { seen: [], done: gate.promise };
  const { host, session, told } = await open(saver, 15);
  const { turnId } = await session.turn({ message: user('Tick.'), model, kind: 'heartbeat' });
  await settle();
  expect(saver.seen).toMatchObject([{ trigger: 'background', kind: 'heartbeat', turn: turnId }]);
  expect(told).toEqual([]);
  gate.resolve();
  await settle();
  expect(told).toEqual(['s: saver: saved background', 'committed background']);
  await host.close();
});

test('a background run does nothing more when another one has compacted while it waited', async () => {
  const gate = deferred<void>();
  const saver: Saver = { seen: [], done: gate.promise };
  const { host, session, told } = await open(saver, 15);
  const running = session.compact('background', { model: model.ref });
  await settle();
  await session.compact('overflow', { model: model.ref });
  gate.resolve();
  expect(await running).toMatchObject({ status: 'stale', why: 'Another compaction was committed meanwhile.' });
  await settle();
  expect(told.filter((text) => text.startsWith('committed'))).toEqual(['committed overflow']);
  await host.close();
});
