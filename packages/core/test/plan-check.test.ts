import {
  type CompactRequest,
  createHost,
  definePlugin,
  type Edit,
  isRefusal,
  type Message,
  memoryStore,
  type Plan,
  type Plugin,
  type PluginContext,
  type Refusal,
  type Session,
} from '@varve/core';
import { expect, test } from 'vitest';
import { z } from 'zod';

const model = { provider: 'test', model: 'test-1' };
const request = 'Rename every file.';

function plugin(name: string, apply: (context: PluginContext) => void): Plugin {
  return definePlugin({ name, version: '1.0.0', apiVersion: '^1.0.0', options: z.strictObject({}), apply })();
}

const planner = (name: string, plan: (request: CompactRequest) => unknown): Plugin =>
  plugin(name, ({ hooks }) => hooks.compact.tapPromise('plan', plan as never));

function planOf(answer: Plan | Refusal): Plan {
  if (isRefusal(answer)) throw new Error(answer.why);
  return answer;
}

const call = (id: string): Message => ({
  role: 'assistant',
  content: [{ type: 'tool-call', toolCallId: id, toolName: 'mv', input: {} }],
});
const result = (id: string, text = 'word '.repeat(116)): Message => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId: id, toolName: 'mv', output: { type: 'text', value: text } }],
});

/** A finished turn, then one that goes on: its request is message 7, behind it are eight calls with their results. */
async function runningTurn(session: Session): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) {
    await session.ingest({ role: 'user', content: `Question ${turn}: ${'clay '.repeat(65)}` });
    await session.ingest({ role: 'assistant', content: `Answer ${turn}: ${'silt '.repeat(36)}` });
  }
  await session.ingest({ role: 'user', content: request });
  for (let step = 0; step < 8; step += 1) {
    await session.ingest(call(`c${step}`));
    await session.ingest(result(`c${step}`));
  }
}

/** The default plan with its cut right behind an entry. */
function cutBehind({ draft, defaultPlan }: CompactRequest, seq: number): Plan {
  const plan = planOf(defaultPlan());
  const items = draft.items.filter((item) => item.seq !== null && item.entryId !== null);
  const at = items.findIndex((item) => item.seq === seq);
  const refOf = (item: (typeof items)[number] | undefined): Plan['range']['from'] => ({
    id: item?.entryId ?? '',
    seq: item?.seq ?? 0,
  });
  const [from, to, firstKept] = [refOf(items[0]), refOf(items[at]), refOf(items[at + 1])];
  return { ...plan, actions: [], range: { from, to, firstKept, held: null } };
}

async function sessionWith(...plugins: readonly Plugin[]): Promise<Session> {
  const host = await createHost({ plugins, budget: { inputTokens: 4_000 } });
  const session = await host.open('s');
  await runningTurn(session);
  return session;
}

test('a plan that holds nothing does not take the request of the running turn from the prompt', async () => {
  const session = await sessionWith(planner('greedy', (asked) => cutBehind(asked, 11)));
  const { status, entry } = await session.compact('manual', { model });
  expect(status).toBe('compacted');
  expect(entry?.range).toMatchObject({ to: { seq: 11 }, held: { seq: 7 } });
  const { messages } = await session.assemble({ model });
  expect(messages.filter((message) => message.content === request)).toHaveLength(1);
  expect(session.health().findings).toEqual([]);
});

const editOf = ({ draft }: CompactRequest, seq: number, text = 'changed'): Edit => {
  const item = draft.items.find((one) => one.seq === seq);
  return { entryId: item?.entryId ?? '', seq, part: 0, rule: 'meddle', text };
};
const editing = (asked: CompactRequest, edit: Edit, cut = 6): unknown => ({
  ...cutBehind(asked, cut),
  actions: [{ op: 'edit', edits: [edit], rule: 'meddle', tokens: 0 }],
});

test.each<readonly [string, string, (asked: CompactRequest) => unknown]>([
  ['is empty', 'VARVE_PLUGIN_FAILED', () => ({})],
  ['is a list', 'VARVE_PLUGIN_FAILED', () => []],
  ['has no range', 'VARVE_PLUGIN_FAILED', (asked) => ({ ...cutBehind(asked, 6), range: undefined })],
  [
    'has shares that are no numbers',
    'VARVE_PLUGIN_FAILED',
    (asked) => ({ ...cutBehind(asked, 6), shares: { userLogTokens: NaN, ledgerTokens: 1, proseTokens: 1 } }),
  ],
  ['is a refusal for a reason that is none', 'VARVE_PLUGIN_FAILED', () => ({ refused: 'mood', why: 'no' })],
  ['parts a call from its result', 'VARVE_PLAN_INVALID', (asked) => cutBehind(asked, 10)],
  [
    'covers what the model has not read',
    'VARVE_PLAN_INVALID',
    (asked) => {
      const plan = cutBehind(asked, 21);
      const last = asked.draft.items.at(-1);
      return { ...plan, range: { ...plan.range, to: { id: last?.entryId, seq: last?.seq }, firstKept: null } };
    },
  ],
  [
    'keeps everything behind nothing',
    'VARVE_PLAN_INVALID',
    (asked) => {
      const plan = cutBehind(asked, 6);
      return { ...plan, range: { ...plan.range, firstKept: null } };
    },
  ],
  ['rewrites the request of the running turn', 'VARVE_PLAN_INVALID', (asked) => editing(asked, editOf(asked, 7))],
  ['rewrites it where it is held', 'VARVE_PLAN_INVALID', (asked) => editing(asked, editOf(asked, 7), 11)],
  ['rewrites a result that nobody has read', 'VARVE_PLAN_INVALID', (asked) => editing(asked, editOf(asked, 23))],
  ['edits a call', 'VARVE_PLAN_INVALID', (asked) => editing(asked, editOf(asked, 8))],
  ['edits what it covers', 'VARVE_PLAN_INVALID', (asked) => editing(asked, editOf(asked, 1))],
  [
    'is of another session',
    'VARVE_PLAN_INVALID',
    (asked) => ({
      ...cutBehind(asked, 6),
      base: { sessionId: 'other', seq: 1 },
    }),
  ],
  [
    'is of a later time',
    'VARVE_PLAN_INVALID',
    (asked) => ({
      ...cutBehind(asked, 6),
      base: { sessionId: 's', seq: 1_000 },
    }),
  ],
])('a plan that %s is told of with %s, and the next planner is asked', async (_, code, plan) => {
  const next = planner('next', ({ defaultPlan }) => ({
    ...planOf(defaultPlan()),
    by: { plugin: 'next', version: '1' },
  }));
  const session = await sessionWith(planner('bad', plan), next);
  const { status, entry } = await session.compact('manual', { model });
  expect([status, entry?.by.plugin]).toEqual(['compacted', 'next']);
  expect(session.health()).toMatchObject({
    ok: false,
    findings: [{ name: 'bad', where: 'compact: plan', failures: 1, lastCode: code }],
  });
});

test('a plan may mask results of the running turn that the model has read', async () => {
  const session = await sessionWith(planner('mask', (asked) => editing(asked, editOf(asked, 9, 'masked'))));
  expect((await session.compact('manual', { model })).status).toBe('compacted');
  expect(session.health().findings).toEqual([]);
  expect(JSON.stringify((await session.assemble({ model })).messages)).toContain('masked');
});

test('trigger and instructions of a plan are those of the request', async () => {
  const lying = planner('lying', (asked) => {
    expect(Object.isFrozen(asked)).toBe(true);
    return { ...planOf(asked.defaultPlan()), trigger: 'manual', instructions: 'x' };
  });
  const session = await sessionWith(lying);
  expect(await session.plan('overflow', { model })).toMatchObject({ trigger: 'overflow', instructions: null });
  expect(session.health().findings).toEqual([]);
});

test('a plan that was made before the head moved, or for another session, is stale', async () => {
  const store = memoryStore();
  const host = await createHost({ store, budget: { inputTokens: 4_000 } });
  const session = await host.open('s');
  await runningTurn(session);
  const plan = planOf(await session.plan('manual', { model }));
  const other = await session.commit({ ...plan, base: { ...plan.base, sessionId: 'other' } }, { model });
  expect(other).toMatchObject({ status: 'stale', why: expect.stringContaining('another session') });
  await host.close();

  const journal = await store.open('s');
  const { entries } = await journal.tail();
  const last = entries.at(-1);
  const move = { v: 1, id: `${last?.id.slice(0, -1)}Z`, parentId: last?.id ?? null, at: 0, type: 'head' } as const;
  const target = { targetId: last?.id ?? '', targetSeq: last?.seq ?? 0 };
  const head = { ...move, ...target, seq: entries.length + 1, reason: 'rewind' } as const;
  await journal.append([head], { expectedSeq: entries.length });
  await journal.close();
  await using later = await createHost({ store, budget: { inputTokens: 4_000 } });
  const reopened = await later.open('s');
  const moved = await reopened.commit(plan, { model });
  expect(moved).toMatchObject({ status: 'stale', why: expect.stringContaining('head has moved') });
});

test('no prose is asked for when a compaction would be too large without any', async () => {
  const asked: string[] = [];
  const writer = plugin('writer', ({ hooks }) => {
    hooks.compact.tapPromise('plan', (wanted) => {
      const { shares } = planOf(wanted.defaultPlan());
      return { ...cutBehind(wanted, 2), shares };
    });
    hooks.summarize.tapPromise('write', ({ entries }) => {
      asked.push(entries.map(({ seq }) => seq).join());
      return 'They talked.';
    });
  });
  const session = await sessionWith(writer);
  expect((await session.compact('overflow', { model })).entry?.prose).toBe('They talked.');
  expect(asked).toEqual(['1,2,3,4']);
});

test.each([
  ['once for the same entries', 'They talked.', (asked: readonly string[]) => new Set(asked).size],
  ['not again once nobody had any', undefined, () => 1],
])('strategies are asked for prose in a run %s', async (_, answer, times) => {
  const asked: string[] = [];
  const writer = plugin('writer', ({ hooks }) => {
    hooks.summarize.tapPromise('write', async ({ entries }) => {
      asked.push(entries.map(({ seq }) => seq).join());
      if (asked.length === 1) await session.ingest({ role: 'user', content: `Log: ${'varve '.repeat(1_500)}` });
      return answer;
    });
  });
  const session = await sessionWith(writer);
  const { entry } = await session.compact('overflow', { model });
  expect(entry?.range.to.seq, 'a later rung').toBeGreaterThan(Number(asked[0]?.split(',').at(-1)));
  expect(asked).toHaveLength(times(asked));
});

test('what a strategy says of its prose stands on the compaction', async () => {
  const writer = plugin('writer', ({ hooks }) => {
    hooks.summarize.tapPromise('write', ({ trigger, held, entries }) => ({
      text: ` ${trigger}: ${entries.length} entries, #${held?.seq} goes on. `,
      quality: 'completed',
      model: 'test/small',
    }));
  });
  const session = await sessionWith(writer);
  const { entry } = await session.compact('manual', { model });
  const seq = entry?.range.held?.seq;
  expect(seq).toBeGreaterThan(0);
  expect(entry).toMatchObject({ quality: 'completed', by: { plugin: 'core', version: '1', model: 'test/small' } });
  expect(entry?.prose).toMatch(new RegExp(`^manual: \\d+ entries, #${seq} goes on\\.$`));
  const { by, quality } = session.view.compaction() ?? {};
  expect([by?.model, quality], 'after folding').toEqual(['test/small', 'completed']);
});

test.each([[7], [{ text: 7 }], [{ text: 'Fine.', quality: 1 }], [{ prose: 'Fine.' }], [null]])(
  'prose of another shape is told of, and the next strategy is asked: %j',
  async (answer) => {
    const bad = plugin('bad', ({ hooks }) => hooks.summarize.tapPromise('write', () => answer as never));
    const good = plugin('good', ({ hooks }) => hooks.summarize.tapPromise('write', () => 'They talked.'));
    await using host = await createHost({ plugins: [bad, good], budget: { inputTokens: 4_000 } });
    const session = await host.open('s');
    await runningTurn(session);
    const { entry } = await session.compact('manual', { model });
    expect(entry?.prose).toBe('They talked.');
    expect(session.health().findings).toMatchObject([{ name: 'bad', where: 'summarize: write' }]);
  },
);

test('a run whose plan no longer holds, and one that is aborted, end with an outcome', async () => {
  const ends: string[] = [];
  const controller = new AbortController();
  let during = async (): Promise<unknown> => undefined;
  const writer = plugin('writer', ({ hooks }) => {
    hooks.summarize.tapPromise('write', async () => {
      await during();
      return 'They talked.';
    });
  });
  await using host = await createHost({ plugins: [writer], budget: { inputTokens: 4_000 } });
  host.events.on('compaction-refused', ({ outcome }) => ends.push(outcome.status));
  const session = await host.open('s');
  await runningTurn(session);
  const early = planOf(await session.plan('manual', { model }));
  during = () => {
    during = async () => undefined;
    return session.commit(early, { model });
  };
  expect((await session.compact('manual', { model })).status).toBe('stale');
  await Promise.resolve();
  expect(ends).toEqual(['stale']);
  controller.abort();
  const aborted = await session.compact('manual', { model, signal: controller.signal });
  expect(aborted).toMatchObject({ status: 'aborted', entry: null });
});
