import { type Entry, type JournalHeader, memoryStore } from '@varve/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { documented } from './documented.ts';
import { serve } from './served.ts';

const sessionId = '11111111-2222-4333-8444-555555555555';
const key = 'agent:main:direct:hostile';
const views = [
  '',
  '/entries',
  '/entries?order=desc',
  '/requests',
  '/explain',
  '/diff?earlier=1&later=2',
  '/context',
  '/settings',
  '/send',
  '/reset',
];

/** What somebody may have put into a journal: of any type, with any fields. */
const hostile = fc.record(
  {
    type: fc.constantFrom(
      'message',
      'compaction',
      'request',
      'edit',
      'setting',
      'state',
      'head',
      'revoke',
      'acme:x',
      'what',
    ),
    message: fc.jsonValue(),
    layers: fc.jsonValue(),
    changes: fc.jsonValue(),
    tokens: fc.jsonValue(),
    name: fc.jsonValue(),
    value: fc.jsonValue(),
    usage: fc.jsonValue(),
    data: fc.jsonValue(),
  },
  { requiredKeys: ['type'] },
);

it('shows a journal that anybody may have written, whatever is in it', async () => {
  const documents = documented();
  await fc.assert(
    fc.asyncProperty(fc.array(hostile, { minLength: 1, maxLength: 6 }), async (bodies) => {
      const store = memoryStore();
      const header: JournalHeader = { v: 1, sessionId, createdAt: 1, agentId: 'main', key };
      const journal = await store.open(sessionId, { create: header });
      const entries = bodies.map((body, index) => ({
        ...body,
        v: 1,
        id: `e${index}`,
        parentId: null,
        seq: index + 1,
        at: 1,
      }));
      await journal.append(entries as unknown as readonly Entry[], { expectedSeq: 0 });
      await journal.close();
      await store.sessions.put(sessionId, { key, agentId: 'main', currentSince: 1 }, { expectedRev: 0 });
      await using served = await serve({ store });
      const path = `/v1/sessions/${encodeURIComponent(key)}`;
      for (const view of views) {
        const answer = await served.call(`${path}${view}`);
        expect(answer.status, `${view}: ${answer.text}`).toBeLessThan(500);
        const operation = documents.operationOf('GET', `${path}${view}`) ?? '';
        expect(documents.faultsOf(operation, answer)).toEqual([]);
      }
    }),
    { numRuns: 40 },
  );
});
