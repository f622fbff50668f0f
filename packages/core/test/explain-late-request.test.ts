import { createHost, type Journal, memoryStore, type Session, type Store } from '@varve/core';
import { describe, expect, it } from 'vitest';
import { deferred, settle } from './turn/scripted-model.ts';

const model = { provider: 'test', model: 'test-1' };

/** A store in which an append that holds a compaction waits until it is let through. */
function slowStore(inner: Store, gate: Promise<void>): Store {
  return {
    ...inner,
    sessions: inner.sessions,
    supports: inner.supports,
    [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
    open: async (...parameters) => {
      const journal = await inner.open(...parameters);
      const append: Journal['append'] = async (entries, options) => {
        if (entries.some(({ type }) => type === 'compaction')) await gate;
        return journal.append(entries, options);
      };
      return new Proxy(journal, { get: (of, name) => (name === 'append' ? append : Reflect.get(of, name)) });
    },
  };
}

async function kindsOf(session: Session): Promise<readonly string[]> {
  const { entries } = await session.explain();
  return entries.map(({ seq, verdict }) => `#${seq} ${verdict.kind}`);
}

describe('a request that was made while a compaction was being stored', () => {
  it('is told from those that know the compaction, also when the session is opened again', async () => {
    const inner = memoryStore();
    const { promise: gate, resolve: open } = deferred<void>();
    const host = await createHost({ store: slowStore(inner, gate), budget: { inputTokens: 4_000 } });
    const session = await host.open('s');
    for (let turn = 1; turn <= 12; turn += 1) {
      await session.ingest({ role: 'user', content: `Question ${turn}: ${'silt '.repeat(60)}` });
      await session.ingest({ role: 'assistant', content: `Answer ${turn}: ${'clay '.repeat(60)}` });
    }
    await session.ingest({ role: 'user', content: 'And now?' });
    const compacting = session.compact('manual', { model });
    await settle();
    await session.assemble({ model });
    open();
    expect(await compacting).toMatchObject({ status: 'compacted' });
    const types: string[] = [];
    await session.ingest({ role: 'assistant', content: 'Now this.' });
    for await (const { type } of session.read()) types.push(type);
    expect(types.slice(-3)).toEqual(['compaction', 'request', 'message']);
    expect((await kindsOf(session))[0]).toBe('#1 kept');

    const { manifest } = await session.assemble({ model });
    await session.ingest({ role: 'user', content: 'Thanks.' });
    const summarised = manifest.ranges.filter(({ kind }) => kind === 'summarised');
    const isCovered = (seq: number): boolean => summarised.some(({ fromSeq, toSeq }) => fromSeq <= seq && seq <= toSeq);
    const expected = (kinds: readonly string[]): readonly string[] =>
      kinds.map((text) => `${text.split(' ')[0]} ${isCovered(Number(/\d+/.exec(text)?.[0])) ? 'summarised' : 'kept'}`);
    const kinds = await kindsOf(session);
    expect(kinds[0]).toBe('#1 summarised');
    expect(kinds).toEqual(expected(kinds));
    await host.close();

    const again = await createHost({ store: inner, budget: { inputTokens: 4_000 } });
    const reopened = await again.open('s');
    await reopened.assemble({ model });
    await reopened.ingest({ role: 'assistant', content: 'Welcome.' });
    expect((await kindsOf(reopened))[0]).toBe('#1 summarised');
    await again.close();
  });
});
