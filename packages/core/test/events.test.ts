import {
  createHost,
  definePlugin,
  type EventBase,
  type Events,
  type HostEvents,
  type JournalEvents,
  type LiveEvents,
  type Message,
  type Session,
} from '@varve/core';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';

declare module '@varve/core' {
  interface LiveEvents {
    /** What a package of somebody else tells of. */
    'tide-turned': EventBase & { readonly hours: number };
  }
}

const model = { provider: 'test', model: 'test-1' };
const hello: Message = { role: 'user', content: 'hello' };
const about = { version: '1.0.0', apiVersion: '^1.0.0', options: z.strictObject({}) };

const journalEvents = [
  'entry-appended',
  'compaction-committed',
  'edit-recorded',
  'setting-changed',
  'state-changed',
  'head-moved',
  'entry-revoked',
] as const satisfies readonly (keyof JournalEvents)[];
const liveEvents = [
  'session-created',
  'prompt-assembled',
  'compaction-started',
  'compaction-refused',
  'tap-finished',
  'tool-finished',
  'plugin-failed',
  'engine-degraded',
  'warning',
] as const satisfies readonly (keyof LiveEvents)[];

type Told = { readonly name: keyof HostEvents } & Readonly<Record<string, unknown>>;

/** Keeps every event in the order of its delivery; the base as `base`. */
function listen(events: Events): Told[] {
  const told: Told[] = [];
  for (const name of [...journalEvents, ...liveEvents]) {
    events.on(name, (event) => {
      const { sessionId, sessionKey, agentId, parentSessionKey, label, displayName, ...facts } = event;
      const base = { sessionId, sessionKey, agentId, parentSessionKey, label, displayName };
      told.push({ ...facts, base, name } as unknown as Told);
    });
  }
  return told;
}

/** Gives the queue of events time to empty. */
const delivered = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
};

/** A conversation that is long enough to be compacted. */
async function talk(session: Session, exchanges = 12): Promise<void> {
  for (let at = 0; at < exchanges; at += 1) {
    await session.ingest({ role: 'user', content: `Question ${at} ${'about the tide '.repeat(30)}` });
    await session.ingest({ role: 'assistant', content: `Answer ${at} ${'about the moon '.repeat(30)}` });
  }
}

const everything = definePlugin({
  name: 'everything',
  ...about,
  tools: { look: { description: 'Looks.', input: z.strictObject({}), execute: () => 'seen' } },
  apply: ({ hooks }) => {
    hooks.collect.tapPromise('fail', () => {
      throw new Error('no');
    });
    hooks.shape.tapPromise('shorten', (draft) =>
      draft.edit(({ text }) => (text.startsWith('Answer 0') ? 'short' : undefined), { rule: 'short', sticky: true }),
    );
  },
});

/** Does everything that is told of. */
async function live(session: Session): Promise<void> {
  await talk(session);
  await session.set('mood', { calm: true });
  await session.setState('task', 'fish');
  await session.tools()[0]?.execute({}, { toolCallId: 'call-1' });
  await session.assemble({ model });
  const compactions: string[] = [];
  for (let at = 0; at < 5; at += 1) {
    const { entry } = await session.compact('manual', { model });
    if (entry !== null) compactions.push(entry.id);
  }
  await session.undo(compactions.at(-1) ?? '');
  const first = (await session.read()[Symbol.asyncIterator]().next()).value;
  await session.moveHead(first.id, { reason: 'rewind' });
}

describe('every event', () => {
  test('says which session it is of, with its key and agent', async () => {
    await using host = await createHost({ plugins: [everything()], budget: { inputTokens: 3_000 } });
    const told = listen(host.events);
    await live(await host.open('s', { key: 'harbour', agentId: 'pilot' }));
    await delivered();
    const base = {
      sessionId: 's',
      sessionKey: 'harbour',
      agentId: 'pilot',
      parentSessionKey: null,
      label: null,
      displayName: null,
    };
    for (const event of told) expect(event).toMatchObject({ base });
    const names = new Set(told.map(({ name }) => name));
    const rare = ['engine-degraded', 'warning'];
    expect([...journalEvents, ...liveEvents].filter((name) => !names.has(name) && !rare.includes(name))).toEqual([]);
  });

  test('is frozen, and of a type that says whether it stands for an entry', async () => {
    await using host = await createHost();
    const seen: object[] = [];
    host.events.on('entry-appended', (event) => {
      expectTypeOf(event.seq).toBeNumber();
      seen.push(event);
    });
    host.events.on('prompt-assembled', (event) => {
      expectTypeOf(event).not.toHaveProperty('seq');
    });
    host.events.on('tide-turned', (event) => {
      expectTypeOf(event.hours).toBeNumber();
    });
    await (await host.open('s')).ingest(hello);
    await delivered();
    expect(seen.map((event) => Object.isFrozen(event))).toEqual([true]);
  });
});

describe('events of the journal', () => {
  test('come once for each entry, in order, and each with what its entry implies', async () => {
    await using host = await createHost({ plugins: [everything()], budget: { inputTokens: 3_000 } });
    const told = listen(host.events);
    const session = await host.open('s');
    await live(session);
    await session.explain(); // stores what is pending
    await delivered();
    const expected: unknown[] = [];
    for await (const entry of session.read()) {
      const { seq, type } = entry;
      expected.push({ name: 'entry-appended', seq, entry });
      if (type === 'edit') expected.push({ name: 'edit-recorded', seq, by: entry.by, edits: entry.edits });
      if (type === 'setting') expected.push({ name: 'setting-changed', seq, value: entry.value });
      if (type === 'state') expected.push({ name: 'state-changed', seq, slot: entry.slot, text: entry.text });
      if (type === 'revoke') expected.push({ name: 'entry-revoked', seq, targetId: entry.targetId });
      if (type === 'head') expected.push({ name: 'head-moved', seq, reason: 'rewind', targetSeq: entry.targetSeq });
      if (type === 'compaction') {
        const { tokensBefore, tokensAfter } = entry;
        const outcome = { status: 'compacted', trigger: 'manual', entry, tokensBefore, tokensAfter };
        expected.push({ name: 'compaction-committed', seq, reason: 'manual', outcome });
      }
    }
    const ofJournal = told.filter(({ name }) => journalEvents.includes(name as never));
    // The name of a setting is a field of its event, which the name of the event hides here.
    expect(ofJournal).toHaveLength(expected.length);
    expect(ofJournal).toMatchObject(expected);
  });

  test('come when the entry can be read', async () => {
    await using host = await createHost();
    const session = await host.open('s');
    const found: Promise<unknown>[] = [];
    host.events.on('entry-appended', ({ seq }) => {
      found.push(session.read({ fromSeq: seq })[Symbol.asyncIterator]().next());
    });
    await session.ingest(hello);
    await session.assemble({ model }); // its request is stored with the next append
    await session.ingest(hello);
    await delivered();
    expect(await Promise.all(found)).toMatchObject([
      { value: { seq: 1 } },
      { value: { seq: 2 } },
      { value: { seq: 3 } },
    ]);
  });
});

describe('a compaction', () => {
  const ends = ['compaction-started', 'compaction-committed', 'compaction-refused'];
  const told = async (work: (session: Session) => Promise<unknown>): Promise<Told[]> => {
    await using host = await createHost({ budget: { inputTokens: 3_000 } });
    const all = listen(host.events);
    const session = await host.open('s');
    await talk(session, 3);
    await work(session).catch(() => undefined);
    await delivered();
    return all.filter(({ name }) => ends.includes(name));
  };

  test('is told of when it begins, and ends with one event', async () => {
    const twice = await told(async (session) => {
      await session.compact('manual', { model });
      await session.compact('manual', { model });
    });
    expect(twice).toMatchObject([
      { name: 'compaction-started', reason: 'manual' },
      { name: 'compaction-committed', reason: 'manual', outcome: { status: 'compacted' } },
      { name: 'compaction-started' },
      { name: 'compaction-refused', reason: 'manual', outcome: { status: 'nothing-to-do' } },
    ]);
  });

  test('is refused when it is aborted, and not begun when it is not due', async () => {
    expect(await told((session) => session.compact('threshold', { model }))).toEqual([]);
    const aborted = await told((session) => session.compact('manual', { model, signal: AbortSignal.abort() }));
    expect(aborted.map(({ name, outcome }) => [name, outcome])).toMatchObject([
      ['compaction-started', undefined],
      ['compaction-refused', { status: 'aborted' }],
    ]);
  });
});

describe('delivery', () => {
  test('is in the order of emission and never enters a listener twice', async () => {
    await using host = await createHost();
    const session = await host.open('s');
    const seen: string[] = [];
    let inside = 0;
    host.events.on('entry-appended', ({ seq }) => {
      inside += 1;
      expect(inside).toBe(1);
      seen.push(`entry ${seq}`);
      if (seq < 4) void session.set('n', seq);
      inside -= 1;
    });
    host.events.on('setting-changed', ({ seq }) => seen.push(`setting ${seq}`));
    await session.ingest(hello);
    await delivered();
    while (seen.length < 7) await session.explain();
    expect(seen).toEqual(['entry 1', 'entry 2', 'setting 2', 'entry 3', 'setting 3', 'entry 4', 'setting 4']);
  });

  test('does not wait for a listener that never ends', async () => {
    await using host = await createHost();
    let calls = 0;
    host.events.on('entry-appended', () => {
      calls += 1;
      return new Promise(() => undefined);
    });
    const session = await host.open('s');
    await session.ingest(hello);
    await session.ingest(hello);
    await delivered();
    expect(calls).toBe(2);
  });

  test('tells of a listener that fails, in whatever way, and goes on', async () => {
    await using host = await createHost();
    const texts: string[] = [];
    const refuse = (): never => {
      throw new Error('as a promise');
    };
    const failing: readonly (() => unknown)[] = [
      () => {
        throw new Error('at once');
      },
      () => Promise.reject(new Error('later')),
      () => Promise.reject(undefined),
      () => Object.defineProperty({}, 'then', { get: refuse }),
    ];
    for (const listener of failing) host.events.on('entry-appended', listener);
    host.events.on('warning', ({ sessionId, text }) => {
      texts.push(`${sessionId}: ${text}`);
      throw new Error('again');
    });
    await (await host.open('s')).ingest(hello);
    await delivered();
    const text = 's: A listener of "entry-appended" failed';
    expect(texts.sort()).toEqual([`${text}: as a promise`, `${text}: at once`, `${text}: later`, `${text}: undefined`]);
  });

  test('is not of what was emitted before the subscription', async () => {
    await using host = await createHost();
    const session = await host.open('s');
    const early: number[] = [];
    const late: number[] = [];
    host.events.on('entry-appended', ({ seq }) => {
      early.push(seq);
      // The setting of this entry waits in the queue already.
      if (seq === 1) host.events.on('setting-changed', (event) => late.push(event.seq));
    });
    host.events.on('setting-changed', ({ seq }) => early.push(seq));
    await session.set('a', 1);
    await session.set('a', 2);
    await delivered();
    expect([early, late]).toEqual([[1, 1, 2, 2], [2]]);
  });
});

describe('a subscription', () => {
  test.each<[string, (events: Events, listener: () => void) => () => void]>([
    ['the function that it gave', (events, listener) => events.on('entry-appended', listener)],
    [
      'its disposal',
      (events, listener) => {
        const subscription = events.on('entry-appended', listener);
        return () => subscription[Symbol.dispose]();
      },
    ],
    [
      'its signal',
      (events, listener) => {
        const controller = new AbortController();
        events.on('entry-appended', listener, { signal: controller.signal });
        return () => controller.abort();
      },
    ],
  ])('ends with %s, also in the middle of a delivery, and ends once', async (_, subscribe) => {
    await using host = await createHost();
    const session = await host.open('s');
    let calls = 0;
    let end = (): void => undefined;
    host.events.on('entry-appended', ({ seq }) => {
      if (seq === 2) end();
    });
    end = subscribe(host.events, () => {
      calls += 1;
    });
    await session.ingest(hello);
    await session.ingest(hello);
    end();
    end();
    await session.ingest(hello);
    await delivered();
    expect(calls).toBe(1);
  });

  test('never begins with a signal that is aborted already', async () => {
    await using host = await createHost();
    let calls = 0;
    const count = (): void => {
      calls += 1;
    };
    host.events.on('entry-appended', count, { signal: AbortSignal.abort() });
    await (await host.open('s')).ingest(hello);
    await delivered();
    expect(calls).toBe(0);
  });

  test('that is never ended shows as one warning, with the name of the event and how many there are', async () => {
    await using host = await createHost();
    const warnings: HostEvents['warning'][] = [];
    host.events.on('warning', (event) => warnings.push(event));
    for (let at = 0; at < 100; at += 1) host.events.on('entry-appended', () => undefined);
    await delivered();
    expect(warnings).toEqual([]);
    for (let at = 0; at < 100; at += 1) host.events.on('entry-appended', () => undefined);
    await delivered();
    expect(warnings).toMatchObject([
      { sessionId: null, text: expect.stringMatching(/"entry-appended" has 101 listeners/) },
    ]);
  });

  test('that comes and goes is no leak', async () => {
    await using host = await createHost();
    const warnings: string[] = [];
    host.events.on('warning', ({ text }) => warnings.push(text));
    for (let at = 0; at < 500; at += 1) host.events.on('entry-appended', () => undefined)();
    await delivered();
    expect(warnings).toEqual([]);
  });
});
