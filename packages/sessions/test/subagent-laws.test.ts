import { memoryStore, type Store } from '@varve/core';
import { manualClock } from '@varve/testkit';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { dyingStore } from './dying-store.ts';
import { settle } from './stage.ts';
import { allHome, beginFamily, endsTold, parentKey } from './subagent-family.ts';
import { gate, type Talk } from './talk.ts';

/** What may happen to a conversation and its sub-agents. */
const happening = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('spawn', 'fork', 'delete') },
  { weight: 3, arbitrary: fc.constantFrom('go', 'stop', 'say', 'settle') },
  { weight: 2, arbitrary: fc.constantFrom('reset', 'restore', 'hibernate', 'rewind', 'recover', 'abort') },
);

/** What happens in a process, and with which operation on the store it is killed. */
const life = fc.record({ happenings: fc.array(happening, { maxLength: 8 }), dies: fc.integer({ min: 1, max: 120 }) });

type Happening = 'spawn' | 'fork' | 'delete' | 'go' | 'stop' | 'say' | 'settle' | string;

async function happen(family: Talk, what: Happening, go: () => void): Promise<unknown> {
  const { sessions } = family;
  switch (what) {
    case 'spawn':
      return sessions.spawn(parentKey, { task: 'x' });
    case 'fork':
      return sessions.spawn(parentKey, { task: 'x', mode: 'fork' });
    case 'delete':
      return sessions.spawn(parentKey, { task: 'x', cleanup: 'delete' });
    case 'go':
      return go();
    case 'say':
      return family.say('hello');
    case 'reset':
      return sessions.reset(parentKey, { reason: 'new' });
    case 'restore': {
      const [, earlier] = await sessions.generations(parentKey);
      return earlier === undefined ? null : sessions.restore(parentKey, earlier.sessionId);
    }
    case 'hibernate':
      return sessions.hibernate(parentKey);
    case 'rewind':
      return sessions.use(parentKey, async (session) => {
        const [first] = session.view.messages();
        if (first !== undefined) await session.moveHead(first.id, { reason: 'rewind' });
      });
    case 'recover':
      return sessions.recover();
    case 'abort':
      return sessions.abort(parentKey);
    case 'stop': {
      const [child] = await sessions.children(parentKey);
      return child === undefined ? null : sessions.stopChild(child.childKey);
    }
    default:
      return settle();
  }
}

/** One process: it does what it does until it is killed. */
async function live(
  store: Store,
  { happenings, dies }: { happenings: readonly Happening[]; dies: number },
): Promise<void> {
  const dying = dyingStore(store, { at: dies, isDone: dies % 2 === 0 });
  const going = gate();
  const child = async (task: string, _request: unknown, signal: AbortSignal | undefined): Promise<string> => {
    await Promise.race([going.opened, new Promise((_, reject) => signal?.addEventListener('abort', reject))]);
    return `did: ${task}`;
  };
  const family = await beginFamily({ store: dying.store, child });
  const acting = (async () => {
    // What is refused, as a sixth sub-agent or a rewind in a turn, is refused.
    for (const what of happenings) await happen(family, what, going.open).catch(() => undefined);
  })();
  await Promise.race([acting, dying.died]);
  dying.dieAt({ at: 0, isDone: false });
  await settle();
}

it('however processes are killed and conversations begun anew, each end that there is comes in once', async () => {
  let ends = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(life, { minLength: 1, maxLength: 3 }), async (lives) => {
      const store = memoryStore();
      for (const one of lives) await live(store, one);
      await using family = await beginFamily({ store, clock: manualClock(1_700_003_600_000) });
      await family.sessions.recover();
      await family.say('hello');
      await allHome(family.sessions);
      const keys = (await family.sessions.children(parentKey)).map(({ childKey }) => childKey);
      const told = (await endsTold(family)).map((entry) =>
        entry.type === 'message' ? (entry.provenance.sessionKey ?? '') : '',
      );
      expect(told.sort()).toEqual(keys.sort());
      ends += keys.length;
    }),
    { numRuns: 60 },
  );
  expect(ends).toBeGreaterThan(40);
});
