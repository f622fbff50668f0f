import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jsonlStore } from '@varve/stores/jsonl';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

/** A change of a record: of few sessions, keys and times, so that they meet. */
const change = fc.record({
  session: fc.integer({ min: 0, max: 4 }),
  key: fc.constantFrom('one', 'two', null),
  updatedAt: fc.integer({ min: 1, max: 6 }),
});

/** What a list shows of a record. */
interface Shown {
  readonly sessionId: string;
  readonly key: string | null;
  readonly updatedAt: number;
}

describe('lists of records that are asked for between changes', () => {
  it('show what has changed, in order, by key and without', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 20 }), async (changes) => {
        const root = await mkdtemp(join(tmpdir(), 'varve-'));
        const store = jsonlStore({ root, durability: 'os' });
        const model = new Map<string, Shown & { readonly rev: number }>();
        const expected = (): readonly Shown[] =>
          [...model.values()]
            .sort((a, b) => b.updatedAt - a.updatedAt || (a.sessionId < b.sessionId ? -1 : 1))
            .map(({ sessionId, key, updatedAt }) => ({ sessionId, key, updatedAt }));
        const listed = async (key?: string): Promise<readonly Shown[]> =>
          (await store.sessions.list({ key })).map(({ sessionId, key, updatedAt }) => ({ sessionId, key, updatedAt }));
        try {
          for (const { session, key, updatedAt } of changes) {
            const sessionId = `session-${session}`;
            const expectedRev = model.get(sessionId)?.rev ?? 0;
            const { rev } = await store.sessions.put(sessionId, { key, updatedAt }, { expectedRev });
            model.set(sessionId, { sessionId, key, updatedAt, rev });
            expect(await listed()).toEqual(expected());
            expect(await listed('one')).toEqual(expected().filter((shown) => shown.key === 'one'));
          }
        } finally {
          await store[Symbol.asyncDispose]();
          await rm(root, { recursive: true });
        }
      }),
      { numRuns: 30 },
    );
  });
});
