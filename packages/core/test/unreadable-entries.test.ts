import {
  createHost,
  type Entry,
  fold,
  type Journal,
  type Message,
  memoryStore,
  messageSchema,
  type Session,
  type Store,
  VarveError,
} from '@varve/core';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';

const model = { provider: 'harbour', model: 'pilot' };
const budget = { inputTokens: 3_000 };

/** A journal with an entry of every type that there is, as core writes them. */
async function journalOfEveryType(): Promise<{ readonly store: Store; readonly entries: readonly Entry[] }> {
  const store = memoryStore();
  const host = await createHost({ store, budget });
  const session = await host.open('s');
  await session.ingest({ role: 'system', content: 'You pilot ships.' });
  for (let round = 0; round < 4; round += 1) {
    await session.ingest(
      { role: 'user', content: `Where is buoy ${round}? The port is 543${round}.` },
      { key: `k${round}` },
    );
    const call = { toolCallId: `c${round}`, toolName: 'chart' };
    await session.ingest({
      role: 'assistant',
      content: [
        { type: 'text', text: 'I look.' },
        { type: 'tool-call', input: { round }, ...call },
      ],
    });
    const output = { type: 'text', value: 'left of the pier '.repeat(20) } as const;
    await session.ingest({ role: 'tool', content: [{ type: 'tool-result', output, ...call }] });
    await session.ingest({ role: 'assistant', content: `Left of pier ${round}.` });
    await session.assemble({ model });
  }
  await session.set('verbose', true);
  await session.setState('tasks', 'moor the ship');
  await session.record('host:note', { said: 'nothing' });
  await session.compact('manual', { model });
  const compaction = session.view.compaction();
  if (compaction !== null) await session.undo(compaction.id);
  await session.compact('manual', { model });
  const question = await session.ingest({ role: 'user', content: 'And now?' });
  await session.ingest({ role: 'assistant', content: 'Now as well.' });
  await session.assemble({ model });
  await session.moveHead(question.id, { reason: 'rewind' });
  await session.ingest({ role: 'user', content: 'Go on.' });
  const entries: Entry[] = [];
  for await (const entry of session.read()) entries.push(entry);
  await host.close();
  return { store, entries };
}

/** A store in which some entries are what somebody else made of them. */
function storeWith(store: Store, others: ReadonlyMap<number, unknown>, isWhole: boolean): Store {
  const other = (entry: Entry): Entry => (others.get(entry.seq) ?? entry) as Entry;
  const changed = (journal: Journal): Journal => ({
    ...journal,
    tail: async () => {
      const { checkpoint, entries } = await journal.tail();
      if (!isWhole) return { checkpoint, entries: entries.map(other) };
      const all: Entry[] = [];
      for await (const entry of journal.read()) all.push(other(entry));
      return { checkpoint: null, entries: all };
    },
    read: async function* (range) {
      for await (const entry of journal.read(range)) yield other(entry);
    },
    get: async (wanted) => (await journal.get(wanted)).map(other),
  });
  return {
    ...store,
    open: async (sessionId, options) => changed(await store.open(sessionId, options)),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

/** A place in a value: one of its fields, or of the fields of what is in it. */
type Place = readonly string[];

function placesIn(value: unknown, above: Place = []): readonly Place[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, part]) => [[...above, name], ...placesIn(part, [...above, name])]);
}

/** The value with another one at a place; `undefined` takes it away. */
function withPlace(value: unknown, [name, ...rest]: Place, other: unknown): unknown {
  if (name === undefined) return other;
  const copy: Record<string, unknown> = Array.isArray(value) ? ([...value] as never) : { ...(value as object) };
  copy[name] = withPlace(copy[name], rest, other);
  if (copy[name] === undefined && !Array.isArray(copy)) delete copy[name];
  return JSON.parse(JSON.stringify(copy));
}

async function withSession<Result>(
  store: Store,
  use: (session: Session) => Promise<Result>,
  { readOnly = true } = {},
): Promise<Result> {
  const host = await createHost({ store, budget });
  try {
    return await use(await host.open('s', { readOnly }));
  } finally {
    await host.close();
  }
}

/** What is wrong with the messages of a prompt; none for one that a provider takes. */
function problemsOf(messages: readonly Message[]): readonly string[] {
  const shapes = messages.flatMap((message) => (messageSchema.safeParse(message).success ? [] : ['shape']));
  const open = new Set<string>();
  const pairs: string[] = [];
  for (const { role, content } of messages) {
    if (role !== 'tool' && open.size > 0) pairs.push('open call');
    for (const part of typeof content === 'string' ? [] : content) {
      if (part.type === 'tool-call') open.add(part.toolCallId);
      if (part.type === 'tool-result' && !open.delete(part.toolCallId)) pairs.push('orphan');
    }
  }
  return [...shapes, ...pairs, ...(open.size > 0 ? ['open call'] : [])];
}

async function attempt(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!VarveError.is(error)) throw error;
  }
}

describe('An entry that cannot be read', () => {
  let written: Awaited<ReturnType<typeof journalOfEveryType>>;
  beforeAll(async () => {
    written = await journalOfEveryType();
  });

  const entryWhere = (is: (entry: Entry) => boolean): Entry => {
    const found = written.entries.findLast(is);
    if (found === undefined) throw new Error('The journal has no such entry.');
    return found;
  };

  it('is passed over, named by the health of the session, and warned of', async () => {
    const {
      seq,
      message: _,
      ...rest
    } = entryWhere((e) => e.type === 'message' && e.message.content === 'Now as well.') as never as {
      readonly seq: number;
      readonly message: Message;
    };
    const lost = entryWhere((entry) => entry.type === 'message' && entry.message.content === 'Go on.');
    const others = new Map<number, unknown>([
      [lost.seq, { ...lost, message: { role: 'user' } }],
      [seq, { seq, ...rest }],
    ]);
    const host = await createHost({ store: storeWith(written.store, others, false), budget });
    const warnings: string[] = [];
    host.events.on('warning', ({ text }) => warnings.push(text));
    const session = await host.open('s', { readOnly: true });
    const prompt = await session.assemble({ model, dryRun: true });
    expect(JSON.stringify(prompt.messages)).toContain('And now?');
    expect(JSON.stringify(prompt.messages)).not.toContain('Go on.');
    const [finding] = session.health().findings;
    expect(finding).toMatchObject({ name: 'core', where: 'journal', lastCode: 'VARVE_ENTRY_UNREADABLE', failures: 2 });
    expect(warnings).toContainEqual(expect.stringContaining(`#${lost.seq} `));
    await expect(session.explain({ seq: lost.seq })).rejects.toMatchObject({ code: 'VARVE_ENTRY_UNREADABLE' });
    await host.close();
  });

  it('of a later version is not interpreted, and is there for those who know it', async () => {
    const last = entryWhere((entry) => entry.type === 'message');
    const later = { ...last, v: 2, mood: 'cheerful' };
    const store = storeWith(written.store, new Map([[last.seq, later]]), false);
    const host = await createHost({ store, budget });
    const fork = await host.fork('s', { newSessionId: 'fork' });
    const prompt = await fork.assemble({ model });
    expect(JSON.stringify(prompt.messages)).not.toContain('Go on.');
    await host.close();
    const journal = await written.store.open('fork', { readOnly: true });
    expect(await journal.get([last.seq])).toEqual([later]);
    await written.store.remove?.('fork', { expectedRev: (await written.store.sessions.get('fork'))?.rev ?? 0 });
  });

  it('stays as it is when something else is forgotten', async () => {
    const store = memoryStore();
    const journal = await store.open('s', { create: { v: 1, sessionId: 's', createdAt: 0 } });
    const base = { v: 1, at: 0, provenance: { kind: 'user' }, tokens: { n: 5, by: 'x' }, type: 'message' } as const;
    const said = {
      ...base,
      id: 'a',
      parentId: null,
      seq: 1,
      message: { role: 'user', content: 'The word is quicksilver-lane.' },
    };
    const foreign = {
      ...base,
      id: 'b',
      parentId: 'a',
      seq: 2,
      message: { role: 'user', body: 'hello, quicksilver-lane' },
    };
    await journal.append([said, foreign] as never, { expectedSeq: 0 });
    await journal.close();
    await withSession(storeWith(store, new Map(), false), (session) => session.forget(['a'], 'asked'), {
      readOnly: false,
    });
    const after = await (await store.open('s', { readOnly: true })).get([2]);
    expect(after).toEqual([
      { ...foreign, message: { role: 'user', body: expect.not.stringContaining('quicksilver') } },
    ]);
  });

  it('never makes anything throw but an error with a code, whatever stands in whatever place', async () => {
    const anyEntry = fc.nat(written.entries.length - 1).map((index) => written.entries[index] as Entry);
    const change = anyEntry.chain((entry) =>
      fc.record({
        seq: fc.constant(entry.seq),
        changed: fc
          .tuple(
            fc.constantFrom(...placesIn(entry)),
            fc.oneof(fc.constant(undefined), fc.jsonValue(), fc.constantFrom(-1, 1e15, '', 'toString', 0.5)),
          )
          .map(([place, value]) => withPlace(entry, place, value)),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 3 }), fc.boolean(), async (changes, isWhole) => {
        const store = storeWith(written.store, new Map(changes.map(({ seq, changed }) => [seq, changed])), isWhole);
        await attempt(() =>
          withSession(store, async (session) => {
            await attempt(async () => {
              const prompt = await session.assemble({ model, dryRun: true });
              expect(problemsOf(prompt.messages)).toEqual([]);
            });
            await attempt(() => session.explain());
            await attempt(() => session.plan('manual', { model }));
            await attempt(async () => session.pressure({ model }));
            for (const text of ['/context', '/status']) await attempt(() => session.command(text, { model }));
            await attempt(async () => {
              for await (const _ of session.read());
            });
          }),
        );
        await attempt(async () => {
          const journal = await store.open('s', { readOnly: true });
          fold(await journal.tail());
        });
      }),
      { numRuns: 200 },
    );
  });
});
