import { createHost, type Host, type ModelPort, type Session } from '@varve/core';
import { summaryCompaction } from '@varve/plugin-summary-compaction';
import { createSessions, type Sessions } from '@varve/sessions';
import { jsonlStore } from '@varve/stores/jsonl';
import { manualClock, type Random, seededRandom } from '@varve/testkit';
import { type DiskChange, memoryFileSystem } from '@varve/testkit/file-system';
import type { Claim } from '../oracle/judge-stop.ts';
import { recordClaims } from './record-claims.ts';

/** What was done to a disk, and what a store was asked meanwhile. */
export interface Recording {
  readonly changes: readonly DiskChange[];
  readonly claims: readonly Claim[];
  /** How often each operation was done. */
  readonly operations: ReadonlyMap<string, number>;
}

/** How {@link recordScript} does it. */
export interface ScriptOptions {
  readonly seed: number;
  readonly operations: number;
  /** Longest text of a message, in characters. */
  readonly longest: number;
}

const keys = ['agent:main:main', 'agent:main:direct:bob', 'agent:other:main'] as const;

const model: ModelPort = {
  ref: { provider: 'test', model: 'test-1' },
  generate: async () => ({ message: { role: 'assistant', content: 'Yes.', stop: 'stop' }, usage: null }),
};

interface Stage {
  readonly sessions: Sessions;
  readonly host: Host;
  readonly random: Random;
  readonly longest: number;
}

type Operation = (stage: Stage, key: string) => Promise<unknown>;

const operations: Readonly<Record<string, Operation>> = {
  ingest: (stage, key) => inSession(stage, key, (session) => session.ingest({ role: 'user', content: textOf(stage) })),
  state: (stage, key) => inSession(stage, key, (session) => session.setState('todo', textOf(stage))),
  setting: (stage, key) => inSession(stage, key, (session) => session.set('thinking', textOf(stage))),
  turn: (stage, key) =>
    inSession(stage, key, (session) => session.turn({ message: { role: 'user', content: textOf(stage) }, model })),
  // Several at once go out in one write.
  crowd: (stage, key) =>
    inSession(stage, key, (session) =>
      Promise.all([1, 2, 3].map(() => session.ingest({ role: 'user', content: textOf(stage) }))),
    ),
  label: async ({ sessions, host, random }, key) => {
    const record = await sessions.current(key);
    const label = random.chance(0.3) ? null : `label ${random.integer(1, 99)}`;
    if (record !== null) await host.sessions.patch(record.sessionId, { label });
  },
  hibernate: ({ sessions }, key) => sessions.hibernate(key),
  compact: (stage, key) =>
    inSession(stage, key, async (session) => {
      // Something that is worth it, and what is kept as it is.
      await session.ingest({ role: 'assistant', content: 'clay and silt '.repeat(120) });
      for (const content of ['Yes.', 'No.']) await session.ingest({ role: 'user', content });
      const { status, why } = await session.compact('manual', { model: model.ref });
      if (status !== 'compacted') throw new Error(`nothing was compacted: ${why}`);
    }),
  reset: ({ sessions }, key) => sessions.reset(key, { reason: 'new' }),
  archive: ({ sessions }, key) => sessions.archive(key),
  pack: async ({ host }) => {
    for (const { sessionId } of await host.sessions.list({ state: 'archived' })) await host.archives?.pack(sessionId);
  },
  // Whoever lets it go on unpacks it.
  unpack: async ({ sessions, host }, key) => {
    const packed = await host.archives?.list();
    for (const { sessionId } of await host.sessions.list({ key, state: 'archived' })) {
      if (packed?.includes(sessionId)) return sessions.restore(key, sessionId);
    }
    throw new Error('nothing is packed');
  },
  remove: async ({ host }, key) => {
    const first = (await host.sessions.list({ key, state: 'archived' })).at(-1);
    if (first === undefined) throw new Error('nothing is archived');
    await host.remove?.(first.sessionId, { expectedRev: first.rev });
  },
  forget: (stage, key) =>
    inSession(stage, key, async (session) => {
      const { id } = await session.ingest({ role: 'user', content: textOf(stage) });
      await session.forget([id], 'asked');
    }),
};

/** Done at these parts of the script, whatever chance says. */
const planned: readonly (readonly [part: number, name: string])[] = [
  [0.25, 'compact'],
  [0.3, 'reset'],
  [0.35, 'pack'],
  [0.45, 'forget'],
  [0.55, 'compact'],
  [0.6, 'archive'],
  [0.65, 'pack'],
  [0.7, 'reset'],
  [0.72, 'unpack'],
  [0.8, 'pack'],
  [0.85, 'remove'],
  [0.9, 'forget'],
  [0.95, 'compact'],
  [0.97, 'reset'],
  [0.99, 'pack'],
];

const byChance = ['ingest', 'ingest', 'ingest', 'ingest', 'turn', 'state', 'setting', 'crowd', 'label', 'hibernate'];

/** Lets a real host work on a store that is on a disk in memory. */
export async function recordScript({ seed, operations: count, longest }: ScriptOptions): Promise<Recording> {
  const random = seededRandom(seed);
  const clock = manualClock();
  const fileSystem = memoryFileSystem();
  const inner = jsonlStore({ root: `${fileSystem.mount}/store`, durability: 'fsync', fileSystem });
  const { store, claims } = recordClaims(inner, () => fileSystem.changes.length);
  const host = await createHost({
    store,
    clock,
    random: random.next,
    plugins: [summaryCompaction({ keepRecentMessages: 2 })],
  });
  let ids = 0;
  const sessions = createSessions({ host, randomId: () => idOf(++ids) });
  const done = new Map<string, number>();
  const plan = new Map(planned.map(([part, name]) => [Math.floor(part * count), name]));
  for (let number = 0; number < count; number += 1) {
    clock.advance(1_000);
    const name = plan.get(number) ?? random.pick(byChance as [string, ...string[]]);
    // What is planned needs a conversation that has something in it.
    const key = plan.has(number) || random.chance(0.5) ? keys[0] : random.pick(keys);
    await operations[name]?.({ sessions, host, random, longest }, key);
    done.set(name, (done.get(name) ?? 0) + 1);
  }
  await sessions.close();
  await host.close();
  await inner[Symbol.asyncDispose]();
  return { changes: fileSystem.changes, claims, operations: done };
}

function inSession<Result>(
  { sessions }: Stage,
  key: string,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  return sessions.use(key, work);
}

function textOf({ random, longest }: Stage): string {
  return 'clay '.repeat(Math.ceil(longest / 5)).slice(0, random.integer(1, longest));
}

function idOf(count: number): string {
  return `00000000-0000-4000-8000-${String(count).padStart(12, '0')}`;
}
