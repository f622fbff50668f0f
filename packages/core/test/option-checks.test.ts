import { createHost, type Draft, definePlugin, type Session, VarveError } from '@varve/core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

const model = { provider: 'test', model: 'test-1' };
const hello = { role: 'user', content: 'hello' } as const;

/** A call as plain JavaScript may make it, with the code and the path of the error. */
type Case = readonly [what: string, call: (session: Session) => Promise<unknown>, code: string, path: string];

const message = 'VARVE_MESSAGE_INVALID';
const option = 'VARVE_OPTION_INVALID';

const cases: readonly Case[] = [
  ['a numeric ingest key', (s) => s.ingest(hello, { key: 7 as never }), option, 'key'],
  ['an empty ingest key', (s) => s.ingest(hello, { key: '' }), option, 'key'],
  ['no ingest options at all', (s) => s.ingest(hello, null as never), option, '(root)'],
  ['a signal that is none', (s) => s.ingest(hello, { signal: {} as never }), option, 'signal'],
  ['a provenance of no kind', (s) => s.ingest(hello, { provenance: {} as never }), message, 'kind'],
  [
    'a provenance of an unknown kind',
    (s) => s.ingest(hello, { provenance: { kind: 'robot' } as never }),
    message,
    'kind',
  ],
  ['a provenance that is a text', (s) => s.ingest(hello, { provenance: 'user' as never }), message, '(root)'],
  ['usage below zero', (s) => s.ingest(hello, { usage: { inputTokens: -1, outputTokens: 0 } }), message, 'inputTokens'],
  [
    'usage that is no number',
    (s) => s.ingest(hello, { usage: { inputTokens: 1, outputTokens: Number.NaN } }),
    message,
    'outputTokens',
  ],
  ['usage without a field', (s) => s.ingest(hello, { usage: { inputTokens: 1 } as never }), message, 'outputTokens'],
  ['an unknown role', (s) => s.ingest({ role: 'robot', content: 'x' } as never), message, 'role'],
  [
    'a part of another kind',
    (s) =>
      s.ingest({
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 7 },
        ],
      } as never),
    message,
    'content.1.text',
  ],
  ['an empty model', (s) => s.assemble({ model: {} as never }), option, 'model.provider'],
  ['no model', (s) => s.assemble({} as never), option, 'model'],
  ['no options', (s) => s.assemble(undefined as never), option, '(root)'],
  ['a model whose name is empty', (s) => s.assemble({ model: { provider: 'test', model: '' } }), option, 'model.model'],
  ['tools that are no list', (s) => s.assemble({ model, tools: { read: {} } as never }), option, 'tools'],
  ['a query that is no text', (s) => s.assemble({ model, query: 7 as never }), option, 'query'],
  ['pressure without a model', async (s) => s.pressure({} as never), option, 'model'],
  ['an unknown trigger', (s) => s.compact('whenever' as never, { model }), option, 'trigger'],
  ['an unknown trigger of a plan', (s) => s.plan('' as never, { model }), option, 'trigger'],
  ['a compaction without a model', (s) => s.compact('manual', {} as never), option, 'model'],
  ['a plan that is none', (s) => s.commit(null as never, { model }), 'VARVE_PLAN_INVALID', ''],
  ['a record of nothing', (s) => s.record('acme:data', undefined as never), 'VARVE_PLUGIN_RECORD', '(root)'],
  ['a setting of nothing', (s) => s.set('name', undefined as never), option, '(root)'],
  ['a setting without a name', (s) => s.set('', 1), option, 'name'],
  ['a state slot that is a number', (s) => s.setState(7 as never, 'x'), option, 'name'],
  ['a move for no reason', (s) => s.moveHead('x', undefined as never), option, 'reason'],
  ['a move for an unknown reason', (s) => s.moveHead('x', { reason: 'because' as never }), option, 'reason'],
  ['a move to a number', (s) => s.moveHead(7 as never, { reason: 'rewind' }), option, 'entryId'],
  ['forgetting what is no list', (s) => s.forget('abc' as never, 'test'), option, 'entryIds'],
  ['forgetting a number', (s) => s.forget([7 as never], 'test'), option, 'entryIds.0'],
  ['an explanation of a text', (s) => s.explain({ request: '1' as never }), option, 'request'],
  ['an explanation of half an entry', (s) => s.explain({ seq: 1.5 }), option, 'seq'],
  ['an explanation of nothing', (s) => s.explain(null as never), option, '(root)'],
  ['following from a text', async (s) => s.follow({ afterSeq: '1' as never }), option, 'afterSeq'],
  ['following from before the beginning', async (s) => s.follow({ afterSeq: -1 }), option, 'afterSeq'],
  ['following with a signal that is none', async (s) => s.follow({ signal: {} as never }), option, 'signal'],
  ['a state that is a number', (s) => s.setState('slot', 7 as never), option, 'text'],
];

describe('a session', () => {
  test.each(cases)('refuses %s, and stores nothing', async (_, call, code, path) => {
    await using host = await createHost();
    const session = await host.open('s');
    const error = await call(session).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ code, fix: expect.stringMatching(/\S/) });
    if (path !== '') expect(error).toMatchObject({ details: { path } });
    await session.ingest(hello);
    expect((await session.assemble({ model })).messages).toEqual([hello]);
    expect(session.view.settings).toEqual({});
  });
});

describe('host.open', () => {
  test.each([
    ['a label that is a number', { label: 5 }, 'label'],
    ['an unknown kind of chat', { chatType: 'x' }, 'chatType'],
    ['an empty key', { key: '' }, 'key'],
    ['an empty identity', { identity: '' }, 'identity'],
    ['a display name that is an object', { displayName: {} }, 'displayName'],
    ['readOnly as a text', { readOnly: 'yes' }, 'readOnly'],
    ['options that are none', null, '(root)'],
  ])('refuses %s, and makes no session', async (_, options, path) => {
    await using host = await createHost();
    await expect(host.open('s', options as never)).rejects.toMatchObject({ code: option, details: { path } });
    expect(await host.sessions.get('s')).toBeNull();
  });
});

describe('a budget', () => {
  test.each([
    ['a misspelt option', { inputToken: 8_000 }, 'inputToken'],
    ['a text', { inputTokens: '8k' }, 'inputTokens'],
    ['no number', { reservedTokens: Number.NaN }, 'reservedTokens'],
  ])('is refused when the host is made: %s', async (_, budget, path) => {
    await expect(createHost({ budget: budget as never })).rejects.toMatchObject({
      code: 'VARVE_BUDGET_INVALID',
      details: { path },
    });
  });
});

describe('a draft operation', () => {
  const layer = { id: 'notes', role: 'user', stability: 'session', items: [{ text: 'a note' }] } as const;
  const wrong: readonly (readonly [string, (draft: Draft) => unknown, string])[] = [
    [
      'a layer of another stability',
      (draft) => draft.addLayer({ ...layer, stability: 'often' } as never, 'add'),
      'stability',
    ],
    ['a layer of another role', (draft) => draft.addLayer({ ...layer, role: 'assistant' } as never, 'add'), 'role'],
    ['a layer with a place', (draft) => draft.addLayer({ ...layer, place: 'system' } as never, 'add'), '(root)'],
    ['a layer without items', (draft) => draft.addLayer({ ...layer, items: undefined } as never, 'add'), 'items'],
    [
      'a layer whose text is a number',
      (draft) => draft.addLayer({ ...layer, items: [{ text: 7 }] } as never, 'add'),
      'items.0.text',
    ],
    [
      'a layer whose least is more than its most',
      (draft) => draft.addLayer({ ...layer, minTokens: 9, maxTokens: 2 }, 'add'),
      'minTokens',
    ],
    [
      'a layer whose priority is no number',
      (draft) => draft.addLayer({ ...layer, priority: Number.NaN }, 'add'),
      'priority',
    ],
    ['a layer that is none', (draft) => draft.addLayer(null as never, 'add'), '(root)'],
    ['a layer by a rule that is a number', (draft) => draft.addLayer(layer, 7 as never), '(root)'],
    ['an edit by no rule', (draft) => draft.edit(() => 'x', {} as never), '(root)'],
    ['an edit without a function', (draft) => draft.edit('x' as never, { rule: 'cut' }), '(root)'],
    ['a drop by a rule that is an object', (draft) => draft.drop([], {} as never), '(root)'],
    ['parking by an empty rule', (draft) => draft.park([], ''), '(root)'],
  ];

  test.each(wrong)('refuses %s', async (_, change, path) => {
    let thrown: unknown;
    const plugin = definePlugin({
      name: 'careless',
      version: '1.0.0',
      apiVersion: '^1.0.0',
      options: z.strictObject({}),
      apply: ({ hooks }) => {
        hooks.collect.tapPromise('change', (draft) => {
          try {
            change(draft);
          } catch (error) {
            thrown = error;
          }
        });
      },
    });
    await using host = await createHost({ plugins: [plugin()] });
    const session = await host.open('s');
    await session.ingest(hello);
    await session.assemble({ model });
    expect(VarveError.is(thrown, 'VARVE_OPTION_INVALID')).toBe(true);
    expect(thrown).toMatchObject({ details: { path }, fix: expect.stringMatching(/\S/) });
  });
});
