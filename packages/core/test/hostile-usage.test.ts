import { createHost, type Entry, type ModelReply, memoryStore, type SessionCounters, type Usage } from '@varve/core';
import { manualClock } from '@varve/testkit';
import { describe, expect, test } from 'vitest';
import { say, scriptedModel, settle, user } from './turn/scripted-model.ts';

const most = Number.MAX_SAFE_INTEGER;

const noUsage: readonly (readonly [what: string, usage: unknown])[] = [
  ['a number beyond counting', { inputTokens: 1e308, outputTokens: 1 }],
  ['the largest number', { inputTokens: 1, outputTokens: Number.MAX_VALUE }],
  ['infinity', { inputTokens: Infinity, outputTokens: 1 }],
  ['NaN', { inputTokens: 1, outputTokens: Number.NaN }],
  ['less than nothing', { inputTokens: -1, outputTokens: 1 }],
  ['a text', { inputTokens: '100', outputTokens: 1 }],
  ['an object for a number', { inputTokens: 1, outputTokens: {} }],
  ['NaN read from a cache', { inputTokens: 1, outputTokens: 1, cacheReadTokens: Number.NaN }],
  ['a text written to a cache', { inputTokens: 1, outputTokens: 1, cacheWriteTokens: '5' }],
  ['nothing in it', {}],
  ['a list', [1, 2]],
  ['a number alone', 100],
  [
    'a getter that throws',
    {
      get inputTokens(): number {
        throw new Error('no');
      },
      outputTokens: 1,
    },
  ],
];

function isSound(spent: SessionCounters['spent']): boolean {
  return Object.values(spent).every((value) => Number.isFinite(value) && value >= 0 && value <= most);
}

describe('a usage with', () => {
  test.each(noUsage)('%s, of a port, is none: the answer is stored, and a warning says so', async (_, usage) => {
    await using host = await createHost({ clock: manualClock() });
    const warnings: string[] = [];
    host.events.on('warning', ({ text }) => warnings.push(text));
    const session = await host.open('s');
    const reply = { ...say('Yes.'), usage } as ModelReply;
    const record = await session.turn({ message: user('Hi'), model: scriptedModel([reply]).port });
    expect(record).toMatchObject({
      text: 'Yes.',
      steps: [{ usage: null }],
      usage: { inputTokens: 0, outputTokens: 0 },
    });
    expect(session.info().counters.spent).toMatchObject({ inputTokens: 0, outputTokens: 0 });
    await settle();
    expect(warnings).toEqual([
      expect.stringMatching(/^What test\/test-1 reported of its tokens was left out: The usage /),
    ]);
  });

  test.each(noUsage)('%s, of a host, is refused, and nothing is stored', async (_, usage) => {
    await using host = await createHost({ clock: manualClock() });
    const session = await host.open('s');
    const given = { usage: usage as Usage };
    await expect(session.ingest({ role: 'assistant', content: 'Yes.' }, given)).rejects.toMatchObject({
      code: 'VARVE_MESSAGE_INVALID',
      fix: expect.stringMatching(/\S/),
    });
    expect(session.info().counters.messages).toBe(0);
  });

  test.each([...noUsage.slice(0, -1), ['null', null] as const])(
    '%s, in a journal that somebody else wrote, adds nothing to what is counted or assumed',
    async (_, usage) => {
      const store = memoryStore();
      const journal = await store.open('s', { create: { v: 1, sessionId: 's', createdAt: 0 } });
      const message = { role: 'assistant', content: 'Yes.' } as const;
      const [provenance, tokens] = [{ kind: 'model' }, { n: 600, by: 'other' }] as const;
      const request = { turnId: 't', model: 'test/test-1', budget: null, tokens: 600, by: 'x', firstChangedByte: null };
      const entries = [
        { type: 'request', ...request, changes: [], layers: [] },
        { type: 'message', message, provenance, tokens, usage },
      ].map((fields, index) => ({
        v: 1,
        id: `0000000000000000000000000${index + 1}`,
        parentId: index === 0 ? null : `0000000000000000000000000${index}`,
        seq: index + 1,
        at: 0,
        ...fields,
      }));
      await journal.append(entries as unknown as Entry[], { expectedSeq: 0 });
      await journal.close();
      await using host = await createHost({ clock: manualClock(), store });
      const session = await host.open('s');
      expect(isSound(session.info().counters.spent)).toBe(true);
      expect(session.pressure({ model: { provider: 'test', model: 'test-1' } }).budget.factor).toBe(1);
      await session.ingest(user('Hi'));
    },
  );
});

test('sums of usages stay numbers that can be counted and stored', async () => {
  const store = memoryStore();
  const usage = { inputTokens: most, outputTokens: most, cacheReadTokens: most, cacheWriteTokens: most };
  const host = await createHost({ clock: manualClock(), store });
  const session = await host.open('s');
  const model = scriptedModel([
    { ...say('One.'), usage },
    { ...say('Two.'), usage },
  ]);
  const records = [
    await session.turn({ message: user('Hi'), model: model.port }),
    await session.turn({ message: user('Hi'), model: model.port }),
  ];
  expect(records.map((record) => record.usage)).toEqual([usage, usage]);
  expect(session.info().counters.spent).toEqual(usage);
  await host.close();
  await using again = await createHost({ clock: manualClock(), store });
  expect((await again.sessions.get('s'))?.counters.spent).toEqual(usage);
});
