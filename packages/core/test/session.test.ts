import {
  type Clock,
  createHost,
  type Entry,
  type Message,
  type ModelRef,
  memoryStore,
  nameOfAction,
  type Session,
  VarveError,
} from '@varve/core';
import { describe, expect, test } from 'vitest';

const model: ModelRef = { provider: 'anthropic', model: 'test' };

async function entriesOf(session: Session): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of session.read()) entries.push(entry);
  return entries;
}

const user = (content: string): Message => ({ role: 'user', content });
const assistant = (content: string): Message => ({ role: 'assistant', content });
const call = (id: string, text = ''): Message => ({
  role: 'assistant',
  content: [
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    { type: 'tool-call', toolCallId: id, toolName: 'read', input: { path: `${id}.ts` } },
  ],
});
const result = (id: string, value: string): Message => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId: id, toolName: 'read', output: { type: 'text', value } }],
});

function fixedClock(): Clock & { advance(ms: number): void } {
  let now = 1_700_000_000_000;
  return {
    now: () => now,
    after: () => () => undefined,
    advance: (ms) => {
      now += ms;
    },
  };
}

describe('ingest', () => {
  test('gives entries consecutive seqs, each following the one before', async () => {
    await using host = await createHost({ clock: fixedClock() });
    const session = await host.open('a');
    const first = await session.ingest(user('hello'));
    const second = await session.ingest(assistant('hi'));
    expect([first.seq, second.seq]).toEqual([1, 2]);
    expect(second.parentId).toBe(first.id);
    expect(first.provenance).toEqual({ kind: 'user' });
    expect(first.tokens.n).toBeGreaterThan(4);
  });

  test('appends nothing for a known key and returns the first entry', async () => {
    await using host = await createHost();
    const session = await host.open('a');
    const first = await session.ingest(user('one'), { key: 'k' });
    const again = await session.ingest(user('two'), { key: 'k' });
    expect(again).toEqual(first);
    const prompt = await session.assemble({ model });
    expect(prompt.messages).toEqual([user('one')]);
  });

  test('keeps the order of the calls when they are not awaited', async () => {
    await using host = await createHost();
    const session = await host.open('a');
    await Promise.all(Array.from({ length: 50 }, (_, index) => session.ingest(user(`message ${index}`))));
    const { messages } = await session.assemble({ model });
    expect(messages.map((message) => message.content)).toEqual(Array.from({ length: 50 }, (_, i) => `message ${i}`));
  });

  test.each([
    ['no role', { content: 'x' }],
    ['an unknown role', { role: 'robot', content: 'x' }],
    ['a number as content', { role: 'user', content: 7 }],
    ['a result without an id', { role: 'tool', content: [{ type: 'tool-result', toolName: 'x', output: 1 }] }],
    ['nothing', null],
  ])('refuses a message with %s and stores nothing', async (_, message) => {
    await using host = await createHost();
    const session = await host.open('a');
    await expect(session.ingest(message as never)).rejects.toMatchObject({ code: 'VARVE_MESSAGE_INVALID' });
    await session.ingest(user('after'));
    expect((await session.assemble({ model })).messages).toEqual([user('after')]);
  });
});

describe('assemble', () => {
  test('gives the same bytes twice, and stores a request only with the next entry', async () => {
    const store = memoryStore();
    await using host = await createHost({ store });
    const session = await host.open('a');
    await session.ingest(user('hello'));
    const first = await session.assemble({ model, dryRun: true });
    const second = await session.assemble({ model });
    expect(second.messages).toEqual(first.messages);
    const types = async (): Promise<string[]> => (await entriesOf(session)).map((entry) => entry.type);
    expect(await types()).toEqual(['message']);
    await session.ingest(assistant('hi'));
    expect(await types()).toEqual(['message', 'request', 'message']);
  });

  test('moves results to their calls and puts what came between behind them', async () => {
    await using host = await createHost();
    const session = await host.open('a');
    await session.ingest(user('go'));
    await session.ingest(call('c1'));
    await session.ingest(user('wait'));
    await session.ingest(result('c1', 'text'));
    const { messages } = await session.assemble({ model });
    expect(messages.map((message) => message.role)).toEqual(['user', 'assistant', 'tool', 'user']);
  });

  test('answers an open call itself and shows a result without a call as text', async () => {
    await using host = await createHost();
    const session = await host.open('a');
    await session.ingest(user('go'));
    await session.ingest(call('c1'));
    await session.ingest(result('other', 'from nowhere'));
    const { messages, manifest } = await session.assemble({ model });
    expect(messages.map((message) => message.role)).toEqual(['user', 'assistant', 'tool', 'user']);
    expect(JSON.stringify(messages[2])).toContain('interrupted');
    expect(JSON.stringify(messages[3])).toContain('from nowhere');
    expect(manifest.entries.map((entry) => entry.rule)).toEqual([undefined, undefined, 'orphan-result']);
    expect(manifest.madeUpTokens).toBeGreaterThan(0);
  });

  test('adds the tokens of its manifest up to those of the prompt', async () => {
    await using host = await createHost({ budget: { inputTokens: 2_000 } });
    const session = await host.open('a');
    await session.ingest({ role: 'system', content: 'Be brief.' });
    for (let turn = 0; turn < 30; turn += 1) {
      await session.ingest(user(`question ${turn}`));
      await session.ingest(call(`c${turn}`, 'looking'));
      await session.ingest(result(`c${turn}`, 'some words of a file '.repeat(20)));
      const { manifest, tokens } = await session.assemble({ model });
      const sum = (values: readonly { tokens: number }[]): number => values.reduce((all, one) => all + one.tokens, 0);
      expect(sum(manifest.entries) + sum(manifest.layers) + manifest.madeUpTokens).toBe(tokens);
      expect(tokens).toBeLessThanOrEqual(2_000);
      await session.ingest(assistant(`answer ${turn}`));
    }
  });

  test('cuts at the same place over many requests, so that the prefix stays', async () => {
    await using host = await createHost({ budget: { inputTokens: 3_000 } });
    const session = await host.open('a');
    let moved = 0;
    for (let turn = 0; turn < 120; turn += 1) {
      await session.ingest(user(`question ${turn} ${'word '.repeat(20)}`));
      const { manifest, tokens } = await session.assemble({ model });
      expect(tokens).toBeLessThanOrEqual(3_000);
      if (manifest.firstChangedByte !== null) {
        moved += 1;
        expect(manifest.actions.map(nameOfAction)).toContain('dropped:window-cut');
      }
      await session.ingest(assistant(`answer ${turn} ${'word '.repeat(20)}`));
    }
    expect(moved).toBeGreaterThan(0);
    expect(moved).toBeLessThan(12);
  });

  test('shows state slots last, behind the stable part', async () => {
    await using host = await createHost();
    const session = await host.open('a');
    await session.ingest(user('hello'));
    await session.setState('children', 'two are running');
    const { messages, marks } = await session.assemble({ model });
    expect(marks.afterStable).toBe(1);
    expect(JSON.stringify(messages.at(-1))).toContain('two are running');
    await session.setState('children', null);
    expect((await session.assemble({ model })).messages).toEqual([user('hello')]);
  });

  test.each([0, 1, 4])('says what does not fit into a budget of %i tokens', async (inputTokens) => {
    await using host = await createHost({ budget: { inputTokens } });
    const session = await host.open('a');
    await session.ingest(user('a message of some length'));
    await expect(session.assemble({ model })).rejects.toMatchObject({ code: 'VARVE_BUDGET_IMPOSSIBLE' });
  });

  test('names the change of a model', async () => {
    await using host = await createHost();
    const session = await host.open('a');
    await session.ingest(user('hello'));
    await session.assemble({ model });
    await session.ingest(assistant('hi'));
    const other = await session.assemble({ model: { provider: 'openai', model: 'other' } });
    expect(other.manifest.actions).toEqual([{ kind: 'model', from: 'anthropic/test', to: 'openai/other' }]);
  });
});

describe('explain', () => {
  test('answers from what was recorded when the request was made', async () => {
    const store = memoryStore();
    const host = await createHost({ store, budget: { inputTokens: 2_000 } });
    const session = await host.open('a');
    for (let turn = 0; turn < 60; turn += 1) {
      await session.ingest(user(`question ${turn} ${'word '.repeat(20)}`));
      await session.assemble({ model });
      await session.ingest(assistant('answer'));
    }
    const before = await session.explain({ request: 60 });
    await host.close();
    await using later = await createHost({ store, budget: { inputTokens: 500_000 } });
    const reopened = await later.open('a');
    const after = await reopened.explain({ request: 60 });
    expect(after).toEqual(before);
    expect(after.entries.some((entry) => entry.verdict.kind === 'dropped')).toBe(true);
    expect(after.budget).toBe(2_000);
  });

  test('refuses a request or an entry that is not there', async () => {
    await using host = await createHost();
    const session = await host.open('a');
    await expect(session.explain()).rejects.toMatchObject({ code: 'VARVE_ENTRY_UNKNOWN' });
    await session.ingest(user('hello'));
    await session.assemble({ model });
    await session.ingest(assistant('hi'));
    await expect(session.explain({ request: 7 })).rejects.toMatchObject({ code: 'VARVE_ENTRY_UNKNOWN' });
    await expect(session.explain({ seq: 99 })).rejects.toMatchObject({ code: 'VARVE_ENTRY_UNKNOWN' });
    const { entries } = await session.explain({ seq: 1 });
    expect(entries).toMatchObject([{ seq: 1, role: 'user', preview: 'hello', verdict: { kind: 'kept' } }]);
  });

  test('shows of each message what begins it, with nothing that a terminal obeys', async () => {
    await using host = await createHost();
    const session = await host.open('a');
    await session.ingest(user('  one\u001b[2J\n\u202etwo  '));
    await session.ingest(assistant('word '.repeat(99)));
    await session.assemble({ model });
    const { entries } = await session.explain();
    expect(entries.map(({ preview }) => preview)).toEqual(['one[2J two', `${'word '.repeat(16)}…`]);
  });
});

describe('a session', () => {
  test('goes on where it was after it is opened again', async () => {
    const store = memoryStore();
    const first = await createHost({ store });
    const session = await first.open('a');
    await session.ingest(user('hello'), { key: 'k' });
    await session.set('thinking', 'high');
    await session.assemble({ model });
    await first.close();
    await using second = await createHost({ store });
    const again = await second.open('a');
    expect(again.view.settings).toEqual({ thinking: 'high' });
    expect(again.view.model).toBe('anthropic/test');
    const known = await again.ingest(user('other'), { key: 'k' });
    expect(known.message).toEqual(user('hello'));
  });

  test('is the same object while it is open, and refuses to be used after it was closed', async () => {
    await using host = await createHost();
    const [one, two] = await Promise.all([host.open('a'), host.open('a')]);
    expect(one).toBe(two);
    await one.close();
    await one.close();
    const error: unknown = await one.ingest(user('late')).catch((reason: unknown) => reason);
    expect(VarveError.is(error, 'VARVE_SESSION_CLOSED')).toBe(true);
    expect(await host.open('a')).not.toBe(one);
  });

  test('keeps sessions apart even when one id is a prefix of another', async () => {
    await using host = await createHost();
    const [a, ab] = [await host.open('a'), await host.open('ab')];
    await a.ingest(user('for a'));
    await ab.ingest(user('for ab'));
    expect((await a.assemble({ model })).messages).toEqual([user('for a')]);
    expect((await ab.assemble({ model })).messages).toEqual([user('for ab')]);
  });
});
