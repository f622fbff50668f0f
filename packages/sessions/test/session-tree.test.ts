import { emptyCounters, type SessionPatch } from '@varve/core';
import type { ConversationBranch } from '@varve/sessions';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conversations } from './many-records.ts';

const counted = (totalTokens: number, messages = 1) => ({ counters: { ...emptyCounters, totalTokens, messages } });

interface Outline {
  readonly [words: string]: Outline;
}

/** The words of branches in each other. */
function outlineOf(branches: readonly ConversationBranch[]): Outline {
  return Object.fromEntries(branches.map(({ words, children }) => [words, outlineOf(children)]));
}

function leavesOf(branches: readonly ConversationBranch[]): readonly string[] {
  return branches.flatMap(({ generations, children }) => [
    ...generations.map(({ sessionId }) => sessionId),
    ...leavesOf(children),
  ]);
}

describe('the tree of sessions', () => {
  it('has agents, kinds, conversations and generations, with sums', async () => {
    await using many = await conversations();
    const main = { key: 'agent:main:main' };
    const records: Readonly<Record<string, SessionPatch>> = {
      m2: { ...main, currentSince: 20, updatedAt: 20, ...counted(700, 5) },
      m1: { ...main, currentSince: 10, updatedAt: 10, state: 'archived', ...counted(400, 3) },
      g1: { key: 'agent:main:telegram:group:-1', currentSince: 5, updatedAt: 5, ...counted(100) },
      o1: { agentId: 'other', key: 'agent:other:main', currentSince: 1, updatedAt: 1, ...counted(50) },
    };
    for (const [sessionId, patch] of Object.entries(records)) await many.put(sessionId, patch);
    const { agents, totals } = await many.sessions.tree();
    expect(totals).toMatchObject({ sessions: 4, archived: 1, messages: 10, promptTokens: 850, updatedAt: 20 });
    expect(agents.map(({ agentId, totals: { sessions } }) => [agentId, sessions])).toEqual([
      ['main', 3],
      ['other', 1],
    ]);
    expect(agents[0]?.kinds.map(({ kind, totals: { promptTokens } }) => [kind, promptTokens])).toEqual([
      ['main', 700],
      ['group', 100],
    ]);
    expect(agents[0]?.kinds[0]?.conversations[0]?.generations).toMatchObject([
      { sessionId: 'm2', isCurrent: true },
      { sessionId: 'm1', isCurrent: false, state: 'archived' },
    ]);
  });

  it('puts sub-agents below their parents, runs below their job, and threads below their room', async () => {
    await using many = await conversations();
    const put = (id: string, key: string, patch: SessionPatch = {}) => many.put(id, { key, ...counted(1), ...patch });
    await put('p', 'agent:main:main');
    await put('c1', 'agent:main:subagent:one', { parentSessionKey: 'agent:main:main' });
    await put('c2', 'agent:main:subagent:two', { parentSessionKey: 'agent:main:subagent:one' });
    await put('c3', 'agent:main:subagent:alone', { parentSessionKey: 'agent:main:direct:gone' });
    await put('r1', 'agent:main:cron:news:run:1');
    await put('r2', 'agent:main:cron:news:run:2');
    await put('t1', 'agent:main:telegram:group:-1:topic:7');
    await put('room', 'agent:main:telegram:group:-1');
    const { agents } = await many.sessions.tree();
    const conversationsOf = Object.fromEntries(
      (agents[0]?.kinds ?? []).map((branch) => [branch.kind, outlineOf(branch.conversations)]),
    );
    expect(conversationsOf).toEqual({
      main: { 'main conversation': { 'sub-agent one': { 'sub-agent two': {} } } },
      group: { 'telegram, group -1': { 'telegram, group -1, topic 7': {} } },
      cron: { 'job news': { 'job news, run 1': {}, 'job news, run 2': {} } },
      subagent: { 'sub-agent alone': {} },
    });
    const job = agents[0]?.kinds.find(({ kind }) => kind === 'cron')?.conversations[0];
    expect(job).toMatchObject({ key: 'agent:main:cron:news', generations: [], totals: { sessions: 2 } });
  });

  it('has each session once, whoever says to be whose parent', async () => {
    const record = fc.record({
      key: fc.option(fc.constantFrom('a', 'b', 'c', 'd', 'agent:main:main', 'agent:main:cron:j:run:1'), { nil: null }),
      parentSessionKey: fc.option(fc.constantFrom('a', 'b', 'c', 'd', 'agent:main:main', 'nobody'), { nil: null }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(record, { maxLength: 20 }), async (records) => {
        await using many = await conversations();
        const ids = records.map((_, index) => `s${index}`);
        for (const [index, patch] of records.entries()) await many.put(`s${index}`, { ...patch, updatedAt: index });
        const { agents, totals } = await many.sessions.tree();
        const kinds = agents.flatMap((agent) => agent.kinds);
        const leaves = kinds.flatMap((kind) => leavesOf(kind.conversations));
        expect([...leaves].sort()).toEqual([...ids].sort());
        expect(totals.sessions).toBe(ids.length);
      }),
      { numRuns: 200 },
    );
  });

  it('holds for a chain of ten thousand parents', async () => {
    await using many = await conversations();
    const length = 10_000;
    for (let index = 0; index < length; index += 1) {
      await many.put(`s${index}`, { key: `k${index}`, parentSessionKey: index === 0 ? null : `k${index - 1}` });
    }
    expect((await many.sessions.tree()).totals.sessions).toBe(length);
  });
});
