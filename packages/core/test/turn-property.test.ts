import { createHost, definePlugin, type ModelReply, memoryStore, type Session } from '@varve/core';
import { manualClock } from '@varve/testkit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  call,
  entriesOf,
  failure,
  isPaired,
  overflow,
  type Script,
  say,
  scriptedModel,
  settle,
  tool,
  user,
  wordCounter,
} from './turn/scripted-model.ts';

/** What a model does at a call. */
const behaviour = fc.oneof(
  fc.record({ does: fc.constant('say' as const), words: fc.nat(200) }),
  fc.record({ does: fc.constant('call' as const), tools: fc.array(fc.constantFrom('good', 'bad', 'big', 'none')) }),
  fc.record({ does: fc.constantFrom('overflow', 'limit', 'fail', 'empty', 'cut', 'nonsense', 'hang') }),
);

const turnPlan = fc.record({
  before: fc.nat(3),
  scripts: fc.array(behaviour, { maxLength: 5 }),
  /** Messages that come while the model answers. */
  during: fc.nat(2),
  maxSteps: fc.integer({ min: 1, max: 4 }),
  abortAfter: fc.option(fc.nat(300), { freq: 2 }),
  restart: fc.boolean(),
});

type Behaviour = typeof behaviour extends fc.Arbitrary<infer One> ? One : never;

let nextId = 0;

function scriptOf(given: Behaviour, session: () => Session, arrive: () => Promise<unknown>): Script {
  return async (request, { onDelta }): Promise<ModelReply> => {
    expect(isPaired(request.prompt.messages), 'every call has its result').toBe(true);
    await arrive();
    if (given.does === 'say') return say(`Said ${'silt '.repeat(given.words)}`);
    if (given.does === 'call') {
      const calls = given.tools.map((name) => {
        nextId += 1;
        return [`c${nextId}`, name] as const;
      });
      return calls.length === 0 ? say('None.') : call(...calls);
    }
    onDelta?.({ type: 'text', text: 'Half ' });
    if (given.does === 'overflow') throw overflow();
    if (given.does === 'limit') throw overflow({ limit: 2_500, given: 3_000 });
    if (given.does === 'fail') throw failure();
    if (given.does === 'hang') return new Promise(() => void session());
    if (given.does === 'empty') return say('');
    if (given.does === 'cut') {
      nextId += 1;
      const { message, usage } = call([`c${nextId}`, 'good']);
      return { message: { ...message, stop: 'length' }, usage };
    }
    return { message: 'hello' } as never;
  };
}

const strategy = () =>
  definePlugin({
    name: 'strategy',
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    apply: ({ hooks }) => {
      hooks.shouldCompact.tapPromise('at the limits', ({ trigger, tokens, budget }) =>
        trigger === 'background' ? tokens > budget.soft : tokens > budget.hard,
      );
      hooks.summarize.tapPromise('write', async () => 'Prose.');
    },
  })();

test('whatever models, tools and callers do: pairs hold, no message is lost or twice, no tool runs twice, and it goes on', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(turnPlan, { minLength: 1, maxLength: 6 }), async (plans) => {
      const store = memoryStore();
      const budget = { inputTokens: 3_000 };
      const open = () =>
        createHost({ clock: manualClock(), tokens: wordCounter, store, plugins: [strategy()], budget });
      let host = await open();
      let session = await host.open('s');
      const acknowledged: string[] = [];
      let said = 0;
      const ran: string[] = [];
      const act = (name: string, execute?: () => unknown) =>
        tool(name, (_, { toolCallId }) => {
          ran.push(toolCallId);
          return execute?.() ?? { type: 'text', value: 'did it' };
        });
      const tools = [
        act('good'),
        act('bad', () => Promise.reject(new Error('no'))),
        act('big', () => ({ type: 'text', value: 'sand '.repeat(2_500) })),
      ];
      const arrive = async (count: number): Promise<void> => {
        for (let at = 0; at < count; at += 1) {
          said += 1;
          const text = `Message ${said}.`;
          await session.ingest(user(text));
          acknowledged.push(text);
        }
      };
      for (let turn = 0; turn < 6; turn += 1) {
        await arrive(1);
        await session.ingest({ role: 'assistant', content: `Answer: ${'silt '.repeat(250)}` });
      }
      for (const plan of plans) {
        await arrive(plan.before);
        let left = plan.during;
        const late = async (): Promise<void> => {
          const now = left > 0 ? 1 : 0;
          left -= now;
          await arrive(now);
        };
        const model = scriptedModel(plan.scripts.map((one) => scriptOf(one, () => session, late)));
        const controller = new AbortController();
        said += 1;
        const text = `Message ${said}.`;
        const { signal } = controller;
        const options = { model: model.port, tools, maxSteps: plan.maxSteps, signal, onDelta: () => undefined };
        const turn = session.turn({ message: user(text), ...options }).catch(() => null);
        let isOver = false;
        void turn.then(() => {
          isOver = true;
        });
        if (plan.abortAfter !== null) for (let tick = 0; tick < plan.abortAfter; tick += 1) await null;
        else for (let wait = 0; wait < 10 && !isOver; wait += 1) await settle();
        controller.abort();
        const record = await turn;
        if (record === null || record.input !== null) acknowledged.push(text);
        if (!plan.restart) continue;
        await host.close();
        host = await open();
        session = await host.open('s');
      }
      const reader = await host.open('s', { readOnly: true });
      const now = { model: { provider: 'test', model: 'test-1' }, dryRun: true };
      const shown = (one: Session) =>
        one.assemble(now).then(
          ({ messages }) => messages,
          (error: unknown) => String(error),
        );
      expect(await shown(session), 'read anew, the journal means the same').toEqual(await shown(reader));
      const last = scriptedModel([say('The end.')], { provider: 'test', model: 'another' });
      expect(await session.turn({ message: user('Last.'), model: last.port })).toMatchObject({ text: 'The end.' });
      expect(isPaired(last.requests[0]?.prompt.messages ?? [])).toBe(true);
      expect(new Set(ran).size).toBe(ran.length);
      const entries = await entriesOf(session);
      const users = entries.flatMap((entry) =>
        entry.type === 'message' && entry.message.role === 'user' ? [String(entry.message.content)] : [],
      );
      expect([...users].sort()).toEqual([...acknowledged, 'Last.'].sort());
      await host.close();
    }),
    { numRuns: 60 },
  );
});
