import { memoryStore, type SessionRecord, type Store } from '@varve/core';
import type { Sessions } from '@varve/sessions';
import { describe, expect, it } from 'vitest';
import { dyingStore } from './dying-store.ts';
import { entriesOf, recordsOf, say, setStage, textsOf } from './stage.ts';

const key = 'agent:main:main';
const forkKey = 'agent:main:direct:bob';
const begunBefore = ['first', 'second'];

/** A conversation of two generations, in which little may leave and nothing may be remembered. */
async function beginStore({ isArchived = false } = {}): Promise<{ store: Store; ids: readonly string[] }> {
  const store = memoryStore();
  await using stage = await setStage({ store });
  const { sessions } = stage;
  const first = await say(sessions, key, 'first');
  await sessions.use(key, async (session) => {
    await session.set('send', 'off');
    await session.set('incognito', true);
  });
  stage.clock.advance(1_000);
  const { sessionId: second } = await sessions.reset(key, { reason: 'new' });
  await say(sessions, key, 'second');
  if (isArchived) await sessions.archive(key);
  return { store, ids: [first, second] };
}

/** What is done while the process is killed. */
interface Deed {
  readonly name: string;
  readonly isArchived?: boolean;
  /** Whether there may be no current generation afterwards. */
  readonly mayBeAway?: boolean;
  do(sessions: Sessions, ids: readonly string[]): Promise<unknown>;
}

const deeds: readonly Deed[] = [
  { name: 'a reset that somebody asked for', do: (sessions) => sessions.reset(key, { reason: 'new' }) },
  { name: 'a daily reset', do: (sessions) => sessions.reset(key, { reason: 'daily', kind: 'implicit' }) },
  { name: 'a return to the first generation', do: (sessions, [first = '']) => sessions.restore(key, first) },
  { name: 'a message', do: (sessions) => say(sessions, key, 'more') },
  {
    name: 'a message to what was put away',
    isArchived: true,
    mayBeAway: true,
    do: (sessions) => say(sessions, key, 'more'),
  },
  {
    name: 'a reset of what was put away',
    isArchived: true,
    mayBeAway: true,
    do: (sessions) => sessions.reset(key, { reason: 'new' }),
  },
  { name: 'putting it away', mayBeAway: true, do: (sessions) => sessions.archive(key) },
  { name: 'a fork', do: (sessions) => sessions.fork(key, { newKey: forkKey }) },
  {
    name: 'a sleep',
    do: async (sessions) => {
      await say(sessions, key, 'more');
      await sessions.hibernate(key);
      await say(sessions, key, 'and more');
    },
  },
];

/** How the store is left when a process is killed at an operation; `null` when the deed was done before. */
async function killAt(
  deed: Deed,
  death: { readonly at: number; readonly isDone: boolean },
): Promise<{ store: Store; ids: readonly string[] } | null> {
  const { store, ids } = await beginStore(deed);
  const dying = dyingStore(store, death);
  const { sessions, clock } = await setStage({ store: dying.store });
  clock.advance(2_000);
  const done = deed.do(sessions, ids).then(() => 'done');
  const ended = await Promise.race([done, dying.died.then(() => 'died')]);
  return ended === 'died' ? { store, ids } : null;
}

/** The sessions of a key that take what is said next, as the records say: at most one should. */
function currentIn(records: readonly SessionRecord[], keyText: string): readonly SessionRecord[] {
  const open = records.filter(({ key: own, state }) => own === keyText && state === 'open');
  const newest = Math.max(...open.map(({ currentSince }) => currentSince ?? -1));
  return open.filter(({ currentSince }) => currentSince !== null && currentSince === newest);
}

async function checkLeft(
  { store, ids }: { store: Store; ids: readonly string[] },
  { name, mayBeAway = false }: Deed,
): Promise<void> {
  const found = currentIn(await recordsOf(store), key);
  expect(found.length, name).toBeLessThanOrEqual(1);
  if (!mayBeAway) expect(found.length, name).toBe(1);
  // In its journal already, and not because somebody has woken it.
  for (const { sessionId } of found) {
    const said = (await entriesOf(store, sessionId)).filter((entry) => entry.type === 'setting');
    expect(said.findLast((entry) => entry.name === 'send')?.value, name).toBe('off');
    expect(said.findLast((entry) => entry.name === 'incognito')?.value, name).toBe(true);
  }
  await using stage = await setStage({ store });
  stage.clock.advance(10_000);
  const { sessions } = stage;
  const settings = await sessions.use(key, async (session) => session.view.settings);
  expect(settings, name).toMatchObject({ send: 'off', incognito: true });
  await say(sessions, key, 'after');
  const records = await recordsOf(store);
  const [current, ...others] = currentIn(records, key);
  expect(others).toEqual([]);
  expect((await textsOf(store, current?.sessionId ?? '')).at(-1)).toBe('after');
  const open = records.filter((one) => one.key === key && one.state === 'open' && one.currentSince !== null);
  expect(open.map(({ sessionId }) => sessionId)).toEqual([current?.sessionId]);
  for (const [index, id] of ids.entries()) {
    expect((await textsOf(store, id))[0], name).toBe(begunBefore[index]);
  }
  const inFork = await sessions.use(forkKey, async (session) => ({ ...session.view.settings, is: session.info() }));
  if (inFork.is.forkedFrom !== null) {
    expect(inFork).toMatchObject({ send: 'off', incognito: true });
    expect((await textsOf(store, inFork.is.sessionId))[0]).toBe('second');
  }
}

describe.each(deeds)('$name', (deed) => {
  it.each([
    ['before', false],
    ['after', true],
  ])(
    'leaves one current generation, as discreet as before, and all of history, wherever it is killed (%s an operation is done)',
    async (_when, isDone) => {
      let kills = 0;
      for (let at = 1; ; at += 1) {
        const left = await killAt(deed, { at, isDone });
        if (left === null) break;
        kills += 1;
        await checkLeft(left, { ...deed, name: `killed at operation ${at}` });
      }
      expect(kills).toBeGreaterThan(4);
    },
  );
});
