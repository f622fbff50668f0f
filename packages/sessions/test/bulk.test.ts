import { VarveError } from '@varve/core';
import type { BulkAction, BulkReport } from '@varve/sessions';
import { describe, expect, it } from 'vitest';
import { conversations, idOf } from './many-records.ts';

const say = (text: string) => ({ role: 'user', content: text }) as const;
const keys = ['agent:main:main', 'agent:main:telegram:group:-1', 'agent:other:main'] as const;

const outcomesOf = ({ lines }: BulkReport) =>
  Object.fromEntries(
    lines.map(({ sessionId, outcome, why }) => [sessionId, why === null ? outcome : `${outcome}: ${why}`]),
  );

async function three() {
  const many = await conversations();
  for (const key of keys) await many.sessions.use(key, (session) => session.ingest(say(`Hello in ${key}.`)));
  return many;
}

describe('bulk changes', () => {
  it('archive what a filter finds, and say what became of each session', async () => {
    await using many = await three();
    const { sessions, host } = many;
    const planned = await sessions.bulk({ agentId: 'main' }, { do: 'archive' }, { dryRun: true });
    expect(planned).toMatchObject({ isDryRun: true, isCutShort: false });
    expect(outcomesOf(planned)).toEqual({ [idOf(1)]: 'planned', [idOf(2)]: 'planned' });
    expect((await host.sessions.get(idOf(1)))?.state).toBe('open');
    expect(outcomesOf(await sessions.bulk({ agentId: 'main' }, { do: 'archive' }))).toEqual({
      [idOf(1)]: 'done',
      [idOf(2)]: 'done',
    });
    const { sessions: listed } = await sessions.list({ state: 'archived' });
    expect(listed.map(({ record }) => record.key).sort()).toEqual([keys[0], keys[1]]);
    expect(outcomesOf(await sessions.bulk({ agentId: 'main' }, { do: 'archive' }))).toEqual({
      [idOf(1)]: 'skipped: it is archived already',
      [idOf(2)]: 'skipped: it is archived already',
    });
    const reader = await host.open(idOf(1), { readOnly: true });
    expect(reader.view.messages().map(({ message }) => message.content)).toEqual([`Hello in ${keys[0]}.`]);
    await reader.close();
  });

  it('restore the last generation of a conversation, and none where one goes on', async () => {
    await using many = await three();
    const { sessions, clock } = many;
    clock.advance(1_000);
    const { sessionId: second } = await sessions.reset(keys[0], { reason: 'new' });
    expect(outcomesOf(await sessions.bulk({ key: keys[0] }, { do: 'restore' }))).toEqual({
      [second]: 'skipped: it is not archived',
      [idOf(1)]: `skipped: its conversation goes on in session ${second}`,
    });
    clock.advance(1_000);
    await sessions.archive(keys[0]);
    for (const dryRun of [true, false]) {
      expect(outcomesOf(await sessions.bulk({ key: keys[0] }, { do: 'restore' }, { dryRun }))).toEqual({
        [second]: dryRun ? 'planned' : 'done',
        [idOf(1)]: 'skipped: a later generation of its conversation is restored',
      });
    }
    expect((await sessions.current(keys[0]))?.sessionId).toBe(second);
  });

  it('reset, label and set', async () => {
    await using many = await three();
    const { sessions, clock } = many;
    clock.advance(1_000);
    expect(outcomesOf(await sessions.bulk({ agentId: 'main' }, { do: 'label', label: 'old' }))).toEqual({
      [idOf(1)]: 'done',
      [idOf(2)]: 'done',
    });
    expect(outcomesOf(await sessions.bulk({ label: 'old' }, { do: 'label', label: 'old' }))).toEqual({
      [idOf(1)]: 'skipped: it has that label already',
      [idOf(2)]: 'skipped: it has that label already',
    });
    const set: BulkAction = { do: 'set', name: 'model', value: 'openai/gpt-5' };
    expect(outcomesOf(await sessions.bulk({ key: keys[1] }, set))).toEqual({ [idOf(2)]: 'done' });
    expect(await sessions.use(keys[1], async ({ view }) => view.settings)).toEqual({ model: 'openai/gpt-5' });
    expect(outcomesOf(await sessions.bulk({ key: keys[1] }, { do: 'reset', reason: 'spring' }))).toEqual({
      [idOf(2)]: 'done',
    });
    expect((await sessions.generations(keys[1])).map(({ state }) => state)).toEqual(['open', 'archived']);
    const ofBoth = await sessions.bulk({ key: keys[1], state: 'archived' }, { do: 'reset', reason: 'spring' });
    expect(outcomesOf(ofBoth)).toEqual({ [idOf(2)]: 'skipped: it is no current generation' });
  });

  it('go on with the next session when one fails', async () => {
    await using many = await three();
    const { sessions, store } = many;
    const { put } = store.sessions;
    store.sessions.put = async (sessionId, patch, options) => {
      if (sessionId === idOf(2) && patch.state === 'archived') {
        throw new VarveError('VARVE_STORE_IO', 'The disk is full.', { fix: 'Make room.' });
      }
      return put(sessionId, patch, options);
    };
    const report = await sessions.bulk({}, { do: 'archive' });
    expect(outcomesOf(report)).toEqual({
      [idOf(1)]: 'done',
      [idOf(2)]: 'failed: The disk is full.',
      [idOf(3)]: 'done',
    });
    expect(report.lines.find(({ outcome }) => outcome === 'failed')?.code).toBe('VARVE_STORE_IO');
  });

  it('stop where they are aborted', async () => {
    await using many = await three();
    const report = await many.sessions.bulk({}, { do: 'archive' }, { signal: AbortSignal.abort() });
    expect(report).toEqual({ isDryRun: false, lines: [], isCutShort: true });
  });

  it.each<[what: string, filter: object, action: object, options: object]>([
    ['an action that is none', {}, { do: 'delete' }, {}],
    ['a reset without a reason', {}, { do: 'reset' }, {}],
    ['an unknown name in the filter', { limit: 5 }, { do: 'archive' }, {}],
    ['an unknown option', {}, { do: 'archive' }, { dry: true }],
  ])('refuse %s', async (_, filter, action, options) => {
    await using many = await three();
    const refused = await many.sessions.bulk(filter, action as BulkAction, options).catch((error: unknown) => error);
    expect(VarveError.is(refused, 'VARVE_OPTION_INVALID')).toBe(true);
  });
});
