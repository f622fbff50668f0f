import { createHost, memoryStore, type Store, VarveError } from '@varve/core';
import { createSessions } from '@varve/sessions';
import { manualClock } from '@varve/testkit';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { idOf } from './many-records.ts';
import { entriesOf } from './stage.ts';

const key = 'agent:main:main';

/** A store of which each operation takes its time: as many rounds of the event loop as come next. */
function slowStore(inner: Store, rounds: readonly number[]): Store {
  let count = 0;
  const slow = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const left = rounds[count++ % rounds.length] ?? 0;
    for (let round = 0; round < left; round += 1) await new Promise((resolve) => setImmediate(resolve));
    return work();
  };
  const { get, put, list } = inner.sessions;
  return {
    ...inner,
    open: (sessionId, options) => slow(() => inner.open(sessionId, options)),
    sessions: {
      get: (sessionId) => slow(() => get(sessionId)),
      put: (sessionId, patch, options) => slow(() => put(sessionId, patch, options)),
      list: (query) => slow(() => list(query)),
    },
  };
}

it('what two processes say first in a conversation at once stands in the generation that goes on, or is refused', async () => {
  const rounds = fc.array(fc.nat(4), { minLength: 1, maxLength: 9 });
  await fc.assert(
    fc.asyncProperty(rounds, rounds, fc.boolean(), async (one, other, isReverse) => {
      const store = memoryStore();
      let ids = 0;
      const clock = manualClock();
      const hosts = await Promise.all([one, other].map((slow) => createHost({ store: slowStore(store, slow), clock })));
      const all = hosts.map((host, n) =>
        createSessions({ host, randomId: () => idOf(++ids * 2 + (isReverse ? 1 - n : n)) }),
      );
      const said = await Promise.allSettled(
        all.map((sessions, n) =>
          sessions.use(key, async (session) => {
            await session.ingest({ role: 'user', content: `from ${n}` });
            return session.sessionId;
          }),
        ),
      );
      await Promise.all([...all, ...hosts].map((closing) => closing.close().catch(() => undefined)));
      const records = await store.sessions.list({ key });
      const went = records.filter(({ state }) => state === 'open');
      expect(went).toHaveLength(1);
      const texts = (await entriesOf(store, went[0]?.sessionId ?? '')).flatMap((entry) =>
        entry.type === 'message' ? [entry.message.content] : [],
      );
      for (const [n, outcome] of said.entries()) {
        if (outcome.status === 'fulfilled') expect(texts).toContain(`from ${n}`);
        else expect(VarveError.is(outcome.reason)).toBe(true);
      }
      expect(said.some(({ status }) => status === 'fulfilled')).toBe(true);
    }),
    { numRuns: 60 },
  );
});
