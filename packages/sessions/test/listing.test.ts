import { emptyCounters, type SessionPatch, VarveError } from '@varve/core';
import type { ListedSession, SessionListQuery, SessionOrder } from '@varve/sessions';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conversations } from './many-records.ts';

const say = (text: string) => ({ role: 'user', content: text }) as const;

const idsOf = (sessions: readonly ListedSession[]): readonly string[] => sessions.map(({ record }) => record.sessionId);

describe('the list of sessions', () => {
  it('finds by each dimension, and by several at once', async () => {
    await using many = await conversations();
    const { sessions, put } = many;
    const tokens = (totalTokens: number) => ({ counters: { ...emptyCounters, totalTokens } });
    const records: Readonly<Record<string, SessionPatch>> = {
      main: { key: 'agent:main:main', chatType: 'direct', updatedAt: 100, ...tokens(90_000) },
      room: { key: 'agent:main:telegram:group:-100', channel: 'telegram', chatType: 'group', updatedAt: 200 },
      ada: { key: 'agent:main:direct:~ada', identity: 'ada', label: 'Friends', updatedAt: 300, ...tokens(50) },
      child: { key: 'agent:main:subagent:s1', parentSessionKey: 'agent:main:main', updatedAt: 400 },
      other: { agentId: 'other', key: 'agent:other:main', state: 'archived', updatedAt: 500 },
      own: { key: 'whatever I like', displayName: 'The Ledger', updatedAt: 600 },
      none: { updatedAt: 700 },
    };
    for (const [sessionId, patch] of Object.entries(records)) await put(sessionId, patch);
    const find = async (query: SessionListQuery) => idsOf((await sessions.list(query)).sessions);
    expect(await find({})).toEqual(['none', 'own', 'other', 'child', 'ada', 'room', 'main']);
    expect(await find({ agentId: 'other' })).toEqual(['other']);
    expect(await find({ kind: 'group' })).toEqual(['room']);
    expect(await find({ kind: ['person', 'main'] })).toEqual(['other', 'ada', 'main']);
    expect(await find({ kind: 'other' })).toEqual(['none', 'own']);
    expect(await find({ channel: 'telegram', chatType: 'group', peer: '-100' })).toEqual(['room']);
    expect(await find({ peer: 's1' })).toEqual(['child']);
    expect(await find({ identity: 'ada' })).toEqual(['ada']);
    expect(await find({ identity: null, label: null, kind: 'group' })).toEqual(['room']);
    expect(await find({ label: 'Friends' })).toEqual(['ada']);
    expect(await find({ parentSessionKey: 'agent:main:main' })).toEqual(['child']);
    expect(await find({ state: 'archived' })).toEqual(['other']);
    expect(await find({ text: 'ledger' })).toEqual(['own']);
    expect(await find({ updatedAfter: 300, updatedBefore: 500 })).toEqual(['child', 'ada']);
    expect(await find({ tokensOver: 50 })).toEqual(['main']);
    expect(await find({ kind: 'main', updatedBefore: 500 })).toEqual(['main']);
    expect(await find({ key: 'agent:main:main' })).toEqual(['main']);
  });

  it('says what a session is to its conversation, and finds by it', async () => {
    await using many = await conversations();
    const { sessions, clock } = many;
    const key = 'agent:main:telegram:direct:123';
    await sessions.use(key, (session) => session.ingest(say('Hello!')));
    clock.advance(1_000);
    await sessions.reset(key, { reason: 'new' });
    await many.put('without-key', { updatedAt: 1 });
    const { sessions: listed } = await sessions.list({ sort: 'created', reverse: true });
    expect(listed.map(({ generation, kind, peer, words }) => [generation, kind, peer, words])).toEqual([
      ['none', 'other', null, 'without-key'],
      ['earlier', 'direct', '123', 'telegram, direct with 123'],
      ['current', 'direct', '123', 'telegram, direct with 123'],
    ]);
    for (const generation of ['current', 'earlier', 'none'] as const) {
      const { sessions: found } = await sessions.list({ generation });
      expect(found.map((one) => one.generation)).toEqual([generation]);
    }
  });

  it('gives page after page what one list gives, whatever the order and the length of a page', async () => {
    const orders: readonly SessionOrder[] = ['updated', 'created', 'tokens', 'messages', 'spent'];
    const figures = fc.record({ updated: fc.nat(9), created: fc.nat(9), tokens: fc.nat(3), messages: fc.nat(3) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(figures, { maxLength: 30 }),
        fc.constantFrom(...orders),
        fc.boolean(),
        fc.integer({ min: 1, max: 12 }),
        async (all, sort, reverse, limit) => {
          await using many = await conversations();
          for (const [index, { updated, created, tokens: totalTokens, messages }] of all.entries()) {
            const counters = { ...emptyCounters, totalTokens, messages };
            await many.put(`s${index}`, { updatedAt: updated, createdAt: created, counters });
          }
          const whole = await many.sessions.list({ sort, reverse, limit: 1_000 });
          expect(whole.sessions).toHaveLength(all.length);
          expect(whole.next).toBeNull();
          const paged: string[] = [];
          let after: SessionListQuery['after'];
          do {
            const { sessions, next } = await many.sessions.list({ sort, reverse, limit, after });
            paged.push(...idsOf(sessions));
            after = next ?? undefined;
          } while (after !== undefined);
          expect(paged).toEqual(idsOf(whole.sessions));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('puts sessions in the order that is asked for, those of one value by their ids', async () => {
    await using many = await conversations();
    const spent = (inputTokens: number) => ({
      counters: { ...emptyCounters, spent: { ...emptyCounters.spent, inputTokens } },
    });
    for (const [id, tokens] of [
      ['a', 5],
      ['c', 9],
      ['b', 9],
      ['d', 1],
    ] as const)
      await many.put(id, spent(tokens));
    expect(idsOf((await many.sessions.list({ sort: 'spent' })).sessions)).toEqual(['b', 'c', 'a', 'd']);
    expect(idsOf((await many.sessions.list({ sort: 'spent', reverse: true })).sessions)).toEqual(['d', 'a', 'b', 'c']);
  });

  it('asks the index for no more than a page, however many sessions there are', async () => {
    await using many = await conversations();
    const { store, sessions } = many;
    for (let index = 0; index < 3_000; index += 1) await many.put(`s${index}`, { updatedAt: index });
    const asked: number[] = [];
    const { list } = store.sessions;
    store.sessions.list = async (query) => {
      const page = await list(query);
      asked.push(page.length);
      return page;
    };
    await sessions.list({ limit: 20 });
    expect(asked).toEqual([21]);
    asked.length = 0;
    const { sessions: found } = await sessions.list({ limit: 5, sort: 'created' });
    expect(found).toHaveLength(5);
    expect(Math.max(...asked)).toBe(1_000);
  });

  it.each<[what: string, query: object]>([
    ['an unknown name', { agent: 'main' }],
    ['a kind that is none', { kind: 'dm' }],
    ['a limit of 0', { limit: 0 }],
    ['a limit beyond 1 000', { limit: 1_001 }],
    ['a place that is none', { after: 'abc' }],
    ['tokens below 0', { tokensOver: -1 }],
  ])('refuses %s', async (_, query) => {
    await using many = await conversations();
    const refused = await many.sessions.list(query).catch((error: unknown) => error);
    expect(VarveError.is(refused, 'VARVE_OPTION_INVALID')).toBe(true);
  });
});
