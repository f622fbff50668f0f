import {
  type BudgetOptions,
  createHost,
  definePlugin,
  type Host,
  type ModelRequest,
  memoryStore,
  type Plugin,
  type Session,
  type Store,
} from '@varve/core';
import { manualClock } from '@varve/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import {
  call,
  entriesOf,
  isPaired,
  overflow,
  type Script,
  say,
  scriptedModel,
  tool,
  user,
  wordCounter,
} from './turn/scripted-model.ts';

const small: BudgetOptions = { inputTokens: 20_000 };
const ref = { provider: 'test', model: 'test-1' };

async function open(
  options: { readonly store?: Store; readonly budget?: BudgetOptions; readonly plugins?: readonly Plugin[] } = {},
): Promise<{ host: Host; session: Session }> {
  const host = await createHost({ clock: manualClock(), tokens: wordCounter, budget: small, ...options });
  return { host, session: await host.open('s') };
}

async function talk(session: Session, turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    await session.ingest(user(`Question ${turn}: ${'clay '.repeat(100)}`));
    await session.ingest({ role: 'assistant', content: `Answer ${turn}: ${'silt '.repeat(200)}` });
  }
}

const sizeOf = ({ prompt }: ModelRequest): number =>
  [...prompt.system.map(({ text }) => text), ...prompt.messages.map((one) => JSON.stringify(one.content))].reduce(
    (sum, text) => sum + wordCounter.count(text),
    0,
  );

/** A model that takes so much and no more, and says so with its numbers or without. */
function limited(limit: number, scripts: readonly Script[], { says = true } = {}): ReturnType<typeof scriptedModel> {
  let next = 0;
  const guarded: Script = async (request, options) => {
    const given = sizeOf(request);
    if (given > limit) throw overflow(says ? { limit, given } : {});
    const script = scripts[next] ?? say('done');
    next += 1;
    if (script instanceof Error) throw script;
    return typeof script === 'function' ? script(request, options) : script;
  };
  return scriptedModel(
    Array.from({ length: 50 }, () => guarded),
    ref,
  );
}

describe('a prompt that is too long for the model', () => {
  test.each([
    ['says how much it takes', true],
    ['says nothing of it', false],
  ])('is compacted and asked again in the first call, where the model %s', async (_, says) => {
    const { host, session } = await open();
    await talk(session, 25);
    const model = limited(6_000, [say('Yes.')], { says });
    const record = await session.turn({ message: user('And now?'), model: model.port });
    expect(record).toMatchObject({ status: 'answered', text: 'Yes.' });
    expect(record.overflowsRecovered).toBeGreaterThan(0);
    expect(record.overflowsRecovered).toBeLessThanOrEqual(2);
    expect(record.steps).toMatchObject([{ attempts: record.overflowsRecovered + 1 }]);
    expect(record.compactions[0]).toMatchObject({ status: 'compacted', trigger: 'overflow' });
    expect(sizeOf(model.requests.at(-1) as ModelRequest)).toBeLessThanOrEqual(6_000);
    await host.close();
  });

  test('is compacted in the middle of a tool loop, and no tool runs twice', async () => {
    const { host, session } = await open();
    await talk(session, 10);
    let written = 0;
    const write = tool('write', () => {
      written += 1;
      return { type: 'text', value: `written: ${'sand '.repeat(1_500)}` };
    });
    const model = limited(5_000, [call(['a', 'write'], ['b', 'write']), call(['c', 'write']), say('Done.')]);
    const record = await session.turn({ message: user('Write it all'), model: model.port, tools: [write] });
    expect(record).toMatchObject({ status: 'answered', text: 'Done.' });
    expect(record.overflowsRecovered).toBeGreaterThan(0);
    expect([written, write.ran]).toEqual([3, ['a', 'b', 'c']]);
    for (const { prompt } of model.requests) expect(isPaired(prompt.messages)).toBe(true);
    const last = JSON.stringify(model.requests.at(-1)?.prompt.messages);
    expect(last).toContain('Write it all');
    await host.close();
  });

  test('teaches the session how much the model takes, also after a restart, and of no other model', async () => {
    const store = memoryStore();
    const first = await open({ store });
    await talk(first.session, 25);
    const model = limited(6_000, [say('Yes.')]);
    await first.session.turn({ message: user('And now?'), model: model.port });
    await first.host.close();

    const second = await open({ store });
    await talk(second.session, 20);
    const record = await second.session.turn({ message: user('Again'), model: limited(6_000, [say('Yes.')]).port });
    expect(record).toMatchObject({ text: 'Yes.', overflowsRecovered: 0, steps: [{ attempts: 1 }] });
    const other = scriptedModel([say('Large.')], { provider: 'test', model: 'large' });
    await second.session.turn({ message: user('You?'), model: other.port });
    expect(sizeOf(other.requests[0] as ModelRequest)).toBeGreaterThan(6_500);
    const records = (await entriesOf(second.session)).filter(({ type }) => type === 'core:ceiling');
    expect(records.map((entry) => ('data' in entry ? Object.keys(entry.data as object) : []))).toEqual([
      ['test/test-1'],
    ]);
    await second.host.close();
  });

  test('is shortened for this answer where what is guessed of the limit is too little to be remembered', async () => {
    const { host, session } = await open();
    await talk(session, 19);
    const model = limited(4_500, [say('Yes.')], { says: false });
    const record = await session.turn({ message: user('And now?'), model: model.port });
    expect(record).toMatchObject({ status: 'answered', text: 'Yes.', overflowsRecovered: 1 });
    expect((await entriesOf(session)).filter(({ type }) => type === 'core:ceiling')).toEqual([]);
    expect(session.pressure({ model: ref }).budget.input).toBe(20_000);
    await host.close();
  });

  test('is shortened for this answer alone: nobody who asks meanwhile sees the guess', async () => {
    const { host, session } = await open();
    await talk(session, 19);
    const seen: number[] = [];
    const look: Script = async () => {
      seen.push(session.pressure({ model: ref }).budget.input);
      const { tokens } = await session.assemble({ model: ref, dryRun: true });
      seen.push(tokens);
      return say('Yes.');
    };
    // The guess from 5 800 tokens is below a quarter of the budget, and is not stored.
    const model = scriptedModel([overflow(), look], ref);
    await session.turn({ message: user('And now?'), model: model.port });
    const [input, tokens] = seen;
    expect(input).toBe(20_000);
    expect(tokens).toBeLessThanOrEqual(20_000);
    expect((await entriesOf(session)).filter(({ type }) => type === 'core:ceiling')).toEqual([]);
    await host.close();
  });

  test('is told at once with what cannot be made smaller', async () => {
    const { host, session } = await open();
    await session.ingest({ role: 'system', content: 'rule '.repeat(1_500) });
    const model = limited(1_000, []);
    const error = await session
      .turn({ message: user(`Read this: ${'word '.repeat(3_000)}`), model: model.port, tools: [tool('read')] })
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'VARVE_MODEL_OVERFLOW',
      details: {
        ...ref,
        limit: 1_000,
        given: expect.any(Number),
        items: [{ id: '#2', role: 'user', tokens: expect.any(Number) }],
        layers: [{ id: 'system', tokens: expect.any(Number) }],
        reservedTokens: expect.any(Number),
      },
    });
    expect(model.requests).toHaveLength(1);
    const next = scriptedModel([say('Yes.')], { provider: 'test', model: 'large' });
    expect((await session.turn({ model: next.port })).text).toBe('Yes.');
    await host.close();
  });

  test('is asked three times at most, whatever is freed', async () => {
    const { host, session } = await open();
    await talk(session, 25);
    const model = scriptedModel(
      Array.from({ length: 9 }, () => overflow()),
      ref,
    );
    await expect(session.turn({ message: user('And now?'), model: model.port })).rejects.toMatchObject({
      code: 'VARVE_MODEL_OVERFLOW',
    });
    expect(model.requests).toHaveLength(3);
    const sizes = model.requests.map(sizeOf);
    expect(sizes).toEqual([...sizes].sort((a, b) => b - a));
    await host.close();
  });

  test.each([
    ['with numbers that make no sense', overflow({ limit: 8, given: 12_000 })],
    ['without numbers, again and again', overflow()],
  ])('does not end a session where a port throws it %s', async (_, error) => {
    const { host, session } = await open();
    await talk(session, 5);
    for (let turn = 0; turn < 12; turn += 1) {
      const failing = scriptedModel([error, error, error], ref);
      await session.turn({ message: user(`Try ${turn}`), model: failing.port }).catch(() => undefined);
    }
    const question = `Read this: ${'word '.repeat(1_000)}`;
    const model = scriptedModel([say('Yes.')], ref);
    expect((await session.turn({ message: user(question), model: model.port })).text).toBe('Yes.');
    expect(JSON.stringify(model.requests[0]?.prompt.messages)).toContain(question);
    await host.close();
  });
});

describe('what a model has shown to take', () => {
  const input = (session: Session): number => session.pressure({ model: ref }).budget.input;

  async function taught(budget: BudgetOptions = small): Promise<{ host: Host; session: Session; store: Store }> {
    const store = memoryStore();
    const { host, session } = await open({ store, budget });
    await talk(session, 25);
    await session.turn({ message: user('And now?'), model: limited(6_000, [say('Yes.')]).port });
    expect(input(session)).toBeLessThan(8_000);
    return { host, session, store };
  }

  test('is a limit in its own tokens, which the answer has to fit into, too', async () => {
    const { host, session } = await open();
    await talk(session, 20);
    const reports = (inputTokens: number): Script => ({ ...say('Yes.'), usage: { inputTokens, outputTokens: 9 } });
    for (let turn = 0; turn < 8; turn += 1) {
      const counted = session.pressure({ model: ref }).tokens;
      const model = scriptedModel([reports(Math.round(1.5 * counted))], ref);
      await session.turn({ message: user('More'), model: model.port });
    }
    const { factor } = session.pressure({ model: ref }).budget;
    expect(factor).toBeGreaterThan(1.3);
    await session.turn({ message: user('So?'), model: scriptedModel([overflow({ limit: 6_000 })], ref).port });
    const learned = (await entriesOf(session)).flatMap((entry) => (entry.type === 'core:ceiling' ? [entry.data] : []));
    expect(learned).toMatchObject([{ 'test/test-1': { tokens: Math.floor((6_000 * 0.8) / factor) } }]);
    await host.close();
  });

  test('is tried again after some hundred entries, and learned anew', async () => {
    const { host, session } = await taught();
    const learned = input(session);
    for (let asked = 0; asked < 249; asked += 1) {
      await session.ingest(user('so'));
      await session.ingest({ role: 'assistant', content: 'yes' });
    }
    await session.ingest(user('so'));
    expect(input(session)).toBe(20_000);
    await talk(session, 25);
    const record = await session.turn({ message: user('Again'), model: limited(6_000, [say('Yes.')]).port });
    expect([record.text, record.overflowsRecovered > 0]).toEqual(['Yes.', true]);
    expect(Math.abs(input(session) - learned)).toBeLessThan(1_500);
    await host.close();
  });

  test('is forgotten when the host says another window', async () => {
    const { host, session, store } = await taught({ contextTokens: 20_000 });
    const learned = input(session);
    await host.close();
    const same = await open({ store, budget: { contextTokens: 20_000 } });
    expect(input(same.session)).toBe(learned);
    await same.host.close();
    const other = await open({ store, budget: { contextTokens: 30_000 } });
    expect(input(other.session)).toBe(24_000);
    await other.host.close();
  });

  test('does not end a session whose tools are larger, and is forgotten when those are answered all the same', async () => {
    const { host, session, store } = await taught();
    const large = tool('read', undefined, { description: 'word '.repeat(9_000) });
    const model = scriptedModel([say('Yes.')], ref);
    const record = await session.turn({ message: user('Hi'), model: model.port, tools: [large] });
    expect([record.text, input(session)]).toEqual(['Yes.', 20_000]);
    await host.close();
    const again = await open({ store });
    expect(input(again.session)).toBe(20_000);
    await again.host.close();
  });
});

describe('a prompt that is too long for its budget', () => {
  test('is compacted and then asked', async () => {
    const { host, session } = await open({ budget: { inputTokens: 3_000 } });
    await talk(session, 3);
    const model = scriptedModel([call(['a', 'read'], ['b', 'read'], ['c', 'read']), say('Done.')], ref);
    const read = tool('read', () => ({ type: 'text', value: 'sand '.repeat(4_000) }));
    const record = await session.turn({ message: user('Read all'), model: model.port, tools: [read] });
    expect(record).toMatchObject({ status: 'answered', text: 'Done.' });
    expect(read.ran).toEqual(['a', 'b', 'c']);
    for (const { prompt } of model.requests) expect(isPaired(prompt.messages)).toBe(true);
    await host.close();
  });

  test('is an overflow when nothing helps, without any call of the model', async () => {
    const { host, session } = await open({ budget: { inputTokens: 200 } });
    await session.ingest({ role: 'system', content: 'rule '.repeat(300) });
    const model = scriptedModel([], ref);
    await expect(session.turn({ message: user('Hi'), model: model.port })).rejects.toMatchObject({
      code: 'VARVE_MODEL_OVERFLOW',
      cause: { code: 'VARVE_BUDGET_IMPOSSIBLE' },
    });
    expect(model.requests).toEqual([]);
    await host.close();
  });
});

describe('a compaction that is due', () => {
  const eager = (calls: string[]): Plugin =>
    definePlugin({
      name: 'eager',
      version: '1.0.0',
      apiVersion: '^1.0.0',
      options: z.strictObject({}),
      apply: ({ hooks }) => {
        hooks.shouldCompact.tapPromise('at the limit', ({ tokens, budget, trigger }) => {
          calls.push(trigger);
          return trigger === 'threshold' && tokens > budget.hard;
        });
      },
    })();

  test('is made before any call of the model, also in the middle of a tool loop', async () => {
    const calls: string[] = [];
    const { host, session } = await open({ plugins: [eager(calls)], budget: { inputTokens: 5_000 } });
    await talk(session, 10);
    const read = tool('read', () => ({ type: 'text', value: 'sand '.repeat(1_000) }));
    const scripts = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => call([id, 'read']));
    const model = scriptedModel([...scripts, say('Done.')], ref);
    const record = await session.turn({ message: user('Read all'), model: model.port, tools: [read] });
    expect(record).toMatchObject({ text: 'Done.', overflowsRecovered: 0 });
    expect(record.compactions.filter(({ status }) => status === 'compacted').length).toBeGreaterThan(0);
    expect(calls.filter((trigger) => trigger === 'threshold')).toHaveLength(7);
    await host.close();
  });
});
