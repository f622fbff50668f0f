import { createHost, definePlugin, type Host, type Plugin, type Session } from '@varve/core';
import { type ManualClock, manualClock } from '@varve/testkit';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { deferred, entriesOf, say, scriptedModel, settle, user, wordCounter } from './turn/scripted-model.ts';

interface Prose {
  readonly asked: string[];
  write(): Promise<string>;
}

/** Wants a compaction in the background at the soft limit, whose prose comes when it comes. */
const backgrounder = (prose: Prose): Plugin =>
  definePlugin({
    name: 'backgrounder',
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    apply: ({ hooks }) => {
      hooks.shouldCompact.tapPromise('soft', ({ trigger, tokens, budget }) =>
        trigger === 'background' ? tokens > budget.soft : undefined,
      );
      hooks.summarize.tapPromise('write', async (_, { signal }) => {
        prose.asked.push('prose');
        signal.addEventListener('abort', () => prose.asked.push('aborted'));
        return prose.write();
      });
    },
  })();

async function open(prose: Prose): Promise<{ host: Host; session: Session; clock: ManualClock; ends: string[] }> {
  const clock = manualClock();
  const host = await createHost({
    clock,
    tokens: wordCounter,
    plugins: [backgrounder(prose)],
    budget: { inputTokens: 6_800 },
  });
  const ends: string[] = [];
  host.events.on('compaction-committed', ({ reason }) => ends.push(`committed ${reason}`));
  host.events.on('compaction-refused', ({ reason, outcome }) => ends.push(`${outcome.status} ${reason}`));
  host.events.on('warning', ({ text }) => ends.push(text));
  const session = await host.open('s');
  for (let turn = 0; turn < 15; turn += 1) {
    await session.ingest(user(`Question ${turn}: ${'clay '.repeat(100)}`));
    await session.ingest({ role: 'assistant', content: `Answer ${turn}: ${'silt '.repeat(270)}` });
  }
  return { host, session, clock, ends };
}

test('a background compaction keeps no turn waiting: twenty run meanwhile, and it commits on top of them', async () => {
  const gate = deferred<string>();
  const prose = { asked: [] as string[], write: () => gate.promise };
  const { host, session, ends } = await open(prose);
  const model = scriptedModel([]);
  const first = await session.turn({ message: user('And now?'), model: model.port });
  expect(first.compactions).toEqual([]);
  await settle();
  expect(prose.asked).toEqual(['prose']);
  for (let turn = 0; turn < 20; turn += 1) {
    expect(await session.turn({ message: user(`More ${turn}`), model: model.port })).toMatchObject({ text: 'done' });
  }
  await settle();
  expect([prose.asked, ends]).toEqual([['prose'], []]);
  gate.resolve('They spoke of clay.');
  await settle();
  expect(ends).toEqual(['committed background']);
  const entries = await entriesOf(session);
  const messages = entries.flatMap((entry) => (entry.type === 'message' ? [JSON.stringify(entry.message)] : []));
  expect(new Set(messages.filter((text) => text.includes('More'))).size).toBe(20);
  const last = await session.turn({ message: user('Last'), model: model.port });
  const asked = JSON.stringify(model.requests.at(-1)?.prompt.messages);
  for (let turn = 0; turn < 20; turn += 1) expect(asked).toContain(`More ${turn}"`);
  expect(asked).toContain('They spoke of clay.');
  expect(last.status).toBe('answered');
  await host.close();
});

test('one that was overtaken is stale, and changes nothing', async () => {
  const gate = deferred<string>();
  const prose = { asked: [] as string[], write: () => (prose.asked.length === 1 ? gate.promise : Promise.resolve('')) };
  const { host, session, ends } = await open(prose);
  const model = scriptedModel([]);
  await session.turn({ message: user('And now?'), model: model.port });
  await settle();
  expect((await session.compact('manual', { model: model.port.ref })).status).toBe('compacted');
  gate.resolve('Too late.');
  await settle();
  expect(ends).toEqual(['committed manual', 'stale background']);
  await host.close();
});

test('the end of a session aborts it, and waits no longer than it has to', async () => {
  const prose = { asked: [] as string[], write: () => new Promise<string>(() => undefined) };
  const { host, session, ends } = await open(prose);
  await session.turn({ message: user('And now?'), model: scriptedModel([]).port });
  await settle();
  await host.close();
  expect(prose.asked).toEqual(['prose', 'aborted']);
  expect(ends).toEqual(['aborted background']);
});

test('none begins where there is room enough, nor after a turn that was aborted', async () => {
  const prose = { asked: [] as string[], write: async () => 'Prose.' };
  const { host, session } = await open(prose);
  const model = scriptedModel([() => new Promise(() => undefined)]);
  const controller = new AbortController();
  const turn = session.turn({ message: user('And now?'), model: model.port, signal: controller.signal });
  await settle();
  controller.abort();
  expect((await turn).status).toBe('aborted');
  const other = await host.open('other');
  await other.turn({ message: user('Hi'), model: model.port });
  await settle();
  expect(prose.asked).toEqual([]);
  await host.close();
});

test('one whose strategy fails is told, and the next turn goes on', async () => {
  const prose = { asked: [] as string[], write: () => Promise.reject(new Error('no prose')) };
  const { host, session } = await open(prose);
  const model = scriptedModel([say('Yes.'), say('Still.')]);
  await session.turn({ message: user('And now?'), model: model.port });
  await settle();
  expect(await session.turn({ message: user('Then?'), model: model.port })).toMatchObject({ text: 'Still.' });
  expect(session.health().findings).toMatchObject([{ name: 'backgrounder', lastError: 'no prose' }]);
  await host.close();
});
