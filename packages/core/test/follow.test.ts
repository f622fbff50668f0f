import {
  createHost,
  type Entry,
  type Host,
  type JournalEvent,
  type Message,
  memoryStore,
  type Session,
  type Store,
} from '@varve/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

const hello: Message = { role: 'user', content: 'hello' };

async function entriesOf(session: Session): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of session.read()) entries.push(entry);
  return entries;
}

const nameOf = ({ name, event }: JournalEvent): string => `${event.seq} ${name}`;

/** What an iteration gives until it ends. */
async function rest(events: AsyncIterable<JournalEvent>): Promise<string[]> {
  const names: string[] = [];
  for await (const event of events) names.push(nameOf(event));
  return names;
}

/** The next events, as many as are asked for. */
async function take(events: AsyncIterator<JournalEvent>, count: number): Promise<string[]> {
  const names: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const { value } = await events.next();
    if (value !== undefined) names.push(nameOf(value));
  }
  return names;
}

/** Names of all events of a journal: two for a setting, one for all else that is made here. */
function namesOf(entries: readonly Entry[]): string[] {
  return entries.flatMap(({ seq, type }) =>
    type === 'setting' ? [`${seq} entry-appended`, `${seq} setting-changed`] : [`${seq} entry-appended`],
  );
}

/** Reads a session's events one by one, and goes on from what it has when its session is opened anew. */
class Follower {
  readonly names: string[] = [];
  #lastSeq = 0;
  #isLastWhole = true;
  #events: AsyncIterator<JournalEvent> | null = null;

  /** Goes on from the last entry whose events are all here; what came of the one behind it, it leaves out. */
  async resume(session: Session): Promise<void> {
    await this.#events?.return?.();
    this.#events = session.follow({ afterSeq: this.#isLastWhole ? this.#lastSeq : this.#lastSeq - 1 });
    if (!this.#isLastWhole) await this.#events.next();
  }

  async next(): Promise<boolean> {
    const step = await this.#events?.next();
    if (step === undefined || step.done === true) return false;
    const { name, event } = step.value;
    this.names.push(nameOf(step.value));
    this.#lastSeq = event.seq;
    this.#isLastWhole = !(name === 'entry-appended' && event.entry.type === 'setting');
    return true;
  }
}

type Step =
  | { readonly do: 'append'; readonly messages: number; readonly settings: number }
  | { readonly do: 'read'; readonly who: number; readonly events: number }
  | { readonly do: 'resume'; readonly who: number }
  | { readonly do: 'reopen' };

const who = fc.nat({ max: 2 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('append'), messages: fc.nat({ max: 40 }), settings: fc.nat({ max: 3 }) }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('read'), who, events: fc.nat({ max: 60 }) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('resume'), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('reopen') }) },
) as fc.Arbitrary<Step>;

/** A session with three followers. Reading never waits for more than is there, so that a step always ends. */
class Scene {
  readonly followers = [new Follower(), new Follower(), new Follower()];
  #session: Session;
  #events = 0;

  readonly #host: Host;

  constructor(host: Host, session: Session) {
    this.#host = host;
    this.#session = session;
  }

  async begin(): Promise<void> {
    for (const follower of this.followers) await follower.resume(this.#session);
  }

  async perform(next: Step): Promise<void> {
    if (next.do === 'append') await this.#append(next);
    if (next.do === 'read') await this.#read(this.followers[next.who], next.events);
    if (next.do === 'resume') await this.followers[next.who]?.resume(this.#session);
    if (next.do !== 'reopen') return;
    await this.#session.close();
    this.#session = await this.#host.open('s');
    await this.begin();
  }

  async end(): Promise<string[]> {
    for (const follower of this.followers) await this.#read(follower, Infinity);
    return namesOf(await entriesOf(this.#session));
  }

  async #append({ messages, settings }: { readonly messages: number; readonly settings: number }): Promise<void> {
    const work = [
      ...Array.from({ length: messages }, () => () => this.#session.ingest(hello)),
      ...Array.from({ length: settings }, (_, at) => () => this.#session.set('n', at)),
    ];
    await Promise.all(work.map((one) => one()));
    this.#events += messages + 2 * settings;
  }

  async #read(follower: Follower | undefined, events: number): Promise<void> {
    const there = this.#events - (follower?.names.length ?? 0);
    for (let at = 0; at < Math.min(events, there); at += 1) await follower?.next();
  }
}

test('whoever follows gets every event once and in order, however slowly, and however often it is interrupted', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      await using host = await createHost();
      const scene = new Scene(host, await host.open('s'));
      await scene.begin();
      for (const next of steps) await scene.perform(next);
      const expected = await scene.end();
      for (const { names } of scene.followers) expect(names).toEqual(expected);
    }),
    { numRuns: 60 },
  );
});

test('following can begin behind every entry', async () => {
  await using host = await createHost();
  const session = await host.open('s');
  for (let at = 0; at < 5; at += 1) {
    await session.ingest(hello);
    await session.set('n', at);
  }
  const entries = await entriesOf(session);
  const all = namesOf(entries);
  for (let afterSeq = 0; afterSeq <= entries.length; afterSeq += 1) {
    const expected = all.filter((name) => Number(name.split(' ')[0]) > afterSeq);
    expect(await take(session.follow({ afterSeq }), expected.length)).toEqual(expected);
  }
  const beyond = session.follow({ afterSeq: Number.MAX_SAFE_INTEGER });
  const next = beyond.next();
  await session.set('n', 9);
  expect((await next).value?.event.seq).toBe(11);
});

test('who waits is told of the next entry as soon as it is stored', async () => {
  await using host = await createHost();
  const session = await host.open('s', { key: 'harbour' });
  const next = session.follow().next();
  await session.ingest(hello);
  expect(await next).toMatchObject({
    value: {
      name: 'entry-appended',
      event: { seq: 1, sessionId: 's', sessionKey: 'harbour', entry: { message: hello } },
    },
  });
});

test('entries of somebody else come too, in their place', async () => {
  const store = memoryStore();
  await using one = await createHost({ store });
  await using other = await createHost({ store });
  const session = await one.open('s');
  const events = session.follow();
  await session.ingest(hello);
  const elsewhere = await other.open('s');
  for (let at = 0; at < 100; at += 1) await elsewhere.ingest(hello);
  await session.ingest(hello);
  expect(await take(events, 102)).toEqual(namesOf(await entriesOf(session)));
});

test('who only looks follows as far as he has looked', async () => {
  const store = memoryStore();
  await using one = await createHost({ store });
  await using other = await createHost({ store });
  const session = await one.open('s');
  await session.ingest(hello);
  const looking = await other.open('s', { readOnly: true });
  const events = looking.follow();
  expect(await take(events, 1)).toEqual(['1 entry-appended']);
  await session.set('n', 1);
  await looking.assemble({ model: { provider: 'test', model: 'test-1' } }); // looks again
  expect(await take(events, 2)).toEqual(['2 entry-appended', '2 setting-changed']);
});

describe('following ends', () => {
  test('with its signal, in the middle and while it waits', async () => {
    await using host = await createHost();
    const session = await host.open('s');
    await session.ingest(hello);
    await session.ingest(hello);
    const controller = new AbortController();
    const { signal } = controller;
    const [slow, waiting] = [session.follow({ signal }), session.follow({ afterSeq: 2, signal })];
    await slow.next();
    const pending = waiting.next();
    controller.abort();
    expect([await slow.next(), await pending]).toEqual([
      { done: true, value: undefined },
      { done: true, value: undefined },
    ]);
    expect(await rest(session.follow({ signal }))).toEqual([]);
  });

  test('when it is left while it waits', async () => {
    await using host = await createHost();
    const events = (await host.open('s')).follow();
    const pending = events.next();
    await events.return?.();
    expect(await pending).toEqual({ done: true, value: undefined });
  });

  test('when the session is closed, with what was stored last', async () => {
    const host = await createHost();
    const session = await host.open('s');
    await session.ingest(hello);
    const model = { provider: 'test', model: 'test-1' };
    await session.assemble({ model }); // its request is stored when the session is closed
    const names = rest(session.follow());
    await host.close();
    expect(await names).toEqual(['1 entry-appended', '2 entry-appended']);
  });

  test('without an error for who is far behind, who goes on when the session is open again', async () => {
    await using host = await createHost();
    const session = await host.open('s');
    for (let at = 0; at < 400; at += 1) await session.ingest(hello);
    const events = session.follow();
    const read = await take(events, 3);
    await session.close();
    read.push(...(await rest(events)));
    expect(read.length).toBeLessThan(400);
    const again = await host.open('s');
    read.push(...(await take(again.follow({ afterSeq: read.length }), 400 - read.length)));
    expect(read).toEqual(namesOf(await entriesOf(again)));
  });
});

test('who is far behind reads the journal, a portion at a time; who keeps up never does', async () => {
  const inner = memoryStore();
  const readings: number[] = [];
  const store: Store = {
    ...inner,
    open: async (sessionId, options) => {
      const journal = await inner.open(sessionId, options);
      return {
        ...journal,
        read: (range = {}) => {
          readings.push((range.toSeq ?? Infinity) - (range.fromSeq ?? 1) + 1);
          return journal.read(range);
        },
      };
    },
  };
  await using host = await createHost({ store });
  const session = await host.open('s');
  const [quick, slow] = [session.follow(), session.follow()];
  for (let at = 0; at < 1_000; at += 1) {
    await session.ingest(hello);
    await quick.next();
  }
  expect(readings).toEqual([]);
  expect(await take(slow, 1_000)).toHaveLength(1_000);
  expect(Math.max(...readings)).toBeLessThanOrEqual(256);
});

test('what the store cannot read is an error of the reader', async () => {
  const inner = memoryStore();
  const store: Store = {
    ...inner,
    open: async (sessionId, options) => ({
      ...(await inner.open(sessionId, options)),
      read: () => {
        throw new Error('The disk is gone.');
      },
    }),
  };
  await using host = await createHost({ store });
  const session = await host.open('s');
  await session.ingest(hello);
  await session.close();
  await expect(rest((await host.open('s')).follow())).rejects.toThrow('The disk is gone.');
});
