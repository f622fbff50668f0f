import type { CarriedState, Checkpoint, Entry, Journal, MessageEntry, Store, Tail } from '@varve/core';
import fc from 'fast-check';
import { expect } from 'vitest';

/** A fresh store, and a way to come back to what it holds as a new process would. */
interface StoreUnderTest {
  readonly store: Store;
  reopen(): Promise<Store>;
}

/** One demand on every store: a verb phrase, and what proves it. */
export type ConformanceCase = readonly [title: string, prove: (under: StoreUnderTest) => Promise<void>];

/** A message entry; its id follows from its seq. */
export function message(seq: number, text: string = `message ${seq}`): MessageEntry {
  return {
    v: 1,
    id: idOf(seq),
    parentId: seq === 1 ? null : idOf(seq - 1),
    seq,
    at: 1_700_000_000_000 + seq,
    type: 'message',
    message: { role: 'user', content: [{ type: 'text', text }] },
    provenance: { kind: 'user' },
    tokens: { n: text.length, by: 'letters-1' },
  };
}

export function messages(fromSeq: number, toSeq: number): MessageEntry[] {
  return Array.from({ length: toSeq - fromSeq + 1 }, (_, index) => message(fromSeq + index));
}

function idOf(seq: number): string {
  return `01J${String(seq).padStart(23, '0')}`;
}

export function checkpoint(visibleFromSeq: number, settings: CarriedState['settings'] = {}): Checkpoint {
  // No store looks into the state.
  return { visibleFromSeq, state: { seq: visibleFromSeq - 1, settings } as CarriedState };
}

export function begin(store: Store, sessionId = 'one'): Promise<Journal> {
  return store.open(sessionId, { create: { v: 1, sessionId, createdAt: 1_700_000_000_000 } });
}

export async function all(entries: AsyncIterable<Entry>): Promise<Entry[]> {
  const list: Entry[] = [];
  for await (const entry of entries) list.push(entry);
  return list;
}

/** The law of every tail. */
export async function expectLawfulTail(journal: Journal): Promise<Tail> {
  const tail = await journal.tail();
  expect(tail.entries).toEqual(await all(journal.read({ fromSeq: tail.checkpoint?.visibleFromSeq ?? 1 })));
  return tail;
}

const keeping: readonly ConformanceCase[] = [
  [
    'gives back what was appended, after a new start as well',
    async ({ store, reopen }) => {
      const journal = await begin(store);
      expect(await journal.append(messages(1, 3), { expectedSeq: 0 })).toEqual({ seq: 3 });
      expect(await journal.append([message(4)], { expectedSeq: 3 })).toEqual({ seq: 4 });
      expect(await all(journal.read())).toEqual(messages(1, 4));
      await journal.close();
      const again = await (await reopen()).open('one');
      expect(await all(again.read())).toEqual(messages(1, 4));
      expect(await again.append([message(5)], { expectedSeq: 4 })).toEqual({ seq: 5 });
      expect(await again.tail()).toEqual({ checkpoint: null, entries: messages(1, 5) });
    },
  ],
  [
    'keeps the header that a journal was begun with',
    async ({ store, reopen }) => {
      const create = { v: 1, sessionId: 'one', createdAt: 5, agentId: 'Ada', previousSessionId: 'zero' } as const;
      expect((await store.open('one', { create })).header).toEqual(create);
      const again = await (await reopen()).open('one', { create: { v: 1, sessionId: 'one', createdAt: 6 } });
      expect(again.header).toEqual(create);
    },
  ],
  [
    'keeps text of every kind',
    async ({ store, reopen }) => {
      const texts = [
        '\u0000\u0001\u2028\r\n"\\',
        '\ud800 alone \udfff',
        'é 漢字 👩‍👩‍👧',
        '}{"crc":"00000000"}\n{',
        '',
        ' ',
      ];
      const entries = texts.map((text, index) => message(index + 1, text));
      await (await begin(store)).append(entries, { expectedSeq: 0 });
      const again = await (await reopen()).open('one');
      expect(await all(again.read())).toEqual(entries);
      expect((await again.tail()).entries).toEqual(entries);
    },
  ],
  [
    'keeps an entry of 10 MB',
    async ({ store, reopen }) => {
      const large = message(2, 'ü漢x"\n'.repeat(1_200_000));
      const journal = await begin(store);
      await journal.append([message(1), large, message(3)], { expectedSeq: 0, checkpoint: checkpoint(2) });
      const again = await (await reopen()).open('one');
      expect((await again.tail()).entries).toEqual([large, message(3)]);
      expect(await again.get([3, 2])).toEqual([message(3), large]);
    },
  ],
  [
    'keeps a plugin’s record, keys of any name included',
    async ({ store, reopen }) => {
      const data = JSON.parse(
        '{"__proto__":{"crc":"x"},"more":3,"keep":1,"checkpoint":null,"nested":{"sessionId":"s"}}',
      );
      const entry: Entry = { ...message(1), type: 'acme:note', data } as never;
      await (await begin(store)).append([entry], { expectedSeq: 0 });
      expect(JSON.stringify((await (await (await reopen()).open('one')).get([1]))[0])).toBe(JSON.stringify(entry));
    },
  ],
  [
    'takes an entry as it is when it is appended',
    async ({ store }) => {
      const journal = await begin(store);
      const entry = message(1, 'before');
      const state = { ...checkpoint(1), visibleFromSeq: 1 };
      const appended = journal.append([entry], { expectedSeq: 0, checkpoint: state });
      Object.assign(entry, message(1, 'after'), { seq: 7 });
      Object.assign(state, { visibleFromSeq: 9 });
      await appended;
      expect(await journal.tail()).toEqual({ checkpoint: checkpoint(1), entries: [message(1, 'before')] });
    },
  ],
  [
    'hands out values that a caller may change',
    async ({ store }) => {
      const journal = await begin(store);
      await journal.append(messages(1, 2), { expectedSeq: 0, checkpoint: checkpoint(1) });
      for (const read of [
        () => journal.get([1]),
        () => all(journal.read()),
        async () => (await journal.tail()).entries,
      ]) {
        const [entry] = (await read()) as [MessageEntry];
        Object.assign(entry, { id: 'changed' });
        Object.assign(entry.message, { content: 'changed' });
      }
      Object.assign((await journal.tail()).checkpoint ?? {}, { visibleFromSeq: 2 });
      expect((await journal.tail()).entries).toEqual(messages(1, 2));
    },
  ],
];

const appending: readonly ConformanceCase[] = [
  [
    'refuses an append behind the journal’s end, and keeps nothing of it',
    async ({ store }) => {
      const journal = await begin(store);
      await journal.append(messages(1, 2), { expectedSeq: 0 });
      await expect(journal.append([message(2)], { expectedSeq: 1 })).rejects.toMatchObject({
        code: 'VARVE_STORE_CONFLICT',
      });
      await expect(journal.append([message(4)], { expectedSeq: 3 })).rejects.toMatchObject({
        code: 'VARVE_STORE_CONFLICT',
      });
      expect(await all(journal.read())).toEqual(messages(1, 2));
    },
  ],
  [
    'refuses entries that cannot be stored, and all that come with them',
    async ({ store }) => {
      const journal = await begin(store);
      const loop: Record<string, unknown> = {};
      Object.assign(loop, { self: loop });
      const bad: [entries: Entry[], withCheckpoint?: boolean][] = [
        [[message(1), message(3)]],
        [[message(2)]],
        [[message(1), { ...message(2), data: loop } as never]],
        [[message(1), { ...message(2), data: 1n } as never]],
        [[{ ...message(1), toJSON: () => 'text' } as never]],
        [[], true],
      ];
      for (const [entries, withCheckpoint = false] of bad) {
        const options = { expectedSeq: 0, checkpoint: withCheckpoint ? checkpoint(1) : undefined };
        await expect(journal.append(entries, options)).rejects.toMatchObject({ code: 'VARVE_ENTRY_INVALID' });
      }
      expect(await journal.append([], { expectedSeq: 0 })).toEqual({ seq: 0 });
      expect(await journal.tail()).toEqual({ checkpoint: null, entries: [] });
    },
  ],
  [
    'keeps many appends in flight in order',
    async ({ store, reopen }) => {
      const journal = await begin(store);
      const appends = messages(1, 3_000).map((entry) => journal.append([entry], { expectedSeq: entry.seq - 1 }));
      expect((await Promise.all(appends)).map(({ seq }) => seq)).toEqual(messages(1, 3_000).map(({ seq }) => seq));
      expect(await all((await (await reopen()).open('one')).read())).toEqual(messages(1, 3_000));
    },
  ],
  [
    'lets exactly one of several writers win',
    async ({ store }) => {
      const journals = await Promise.all([begin(store), begin(store), begin(store)]);
      const results = await Promise.allSettled(
        journals.map((journal, index) => journal.append([message(1, `writer ${index}`)], { expectedSeq: 0 })),
      );
      expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
      expect((await journals[2]?.tail())?.entries).toHaveLength(1);
    },
  ],
];

const reading: readonly ConformanceCase[] = [
  [
    'reads ranges, both ends included',
    async ({ store }) => {
      const journal = await begin(store);
      await journal.append(messages(1, 500), { expectedSeq: 0 });
      const ranges: [fromSeq: number, toSeq: number][] = [
        [1, 1],
        [200, 300],
        [500, 900],
        [-3, 2],
      ];
      for (const [fromSeq, toSeq] of ranges) {
        expect(await all(journal.read({ fromSeq, toSeq }))).toEqual(
          messages(Math.max(1, fromSeq), Math.min(500, toSeq)),
        );
      }
      expect(await all(journal.read({ fromSeq: 499 }))).toEqual(messages(499, 500));
      expect(await all(journal.read({ toSeq: 0 }))).toEqual([]);
      expect(await all(journal.read({ fromSeq: 501 }))).toEqual([]);
      expect(await all(journal.read({ fromSeq: 9, toSeq: 8 }))).toEqual([]);
    },
  ],
  [
    'gets entries by seq and id in the order asked for, and leaves unknown ones out',
    async ({ store }) => {
      const journal = await begin(store);
      const prefixes = ['a', 'ab', 'abc', 'a"b', ''].map((id, index) => ({ ...message(index + 1), id }));
      await journal.append([...prefixes, ...messages(6, 400)], { expectedSeq: 0 });
      const wanted = [300, 'ab', idOf(7), 3, 'a', 0, -1, 401, 'nobody', 1.5, Number.NaN, 300, 'a"b', ''];
      const found = await journal.get(wanted);
      expect(found.map(({ seq }) => seq)).toEqual([300, 2, 7, 3, 1, 300, 4, 5]);
      expect(await journal.get([])).toEqual([]);
    },
  ],
  [
    'reads on while entries are appended, up to where it began',
    async ({ store }) => {
      const journal = await begin(store);
      await journal.append(messages(1, 50), { expectedSeq: 0 });
      const seen: Entry[] = [];
      for await (const entry of journal.read()) {
        seen.push(entry);
        if (seen.length <= 20) await journal.append([message(50 + seen.length)], { expectedSeq: 49 + seen.length });
      }
      expect(seen).toEqual(messages(1, 50));
      expect(await all(journal.read())).toEqual(messages(1, 70));
    },
  ],
  [
    'keeps sessions apart whose ids begin alike or look like paths',
    async ({ store, reopen }) => {
      const ids = [
        'a',
        'ab',
        'A',
        'a/b',
        '..',
        '.',
        '',
        'a\u0000',
        'con',
        '../a',
        'a b',
        '~',
        '%61',
        'ı',
        'é',
        'e\u0301',
      ];
      const long = 'x'.repeat(5_000);
      const hostile = [...ids, '\ud800', '\ud801', '\ufffd', long, `${long}y`, `${long}\ud800`, `${long}\ud801`];
      for (const id of hostile) await (await begin(store, id)).append([message(1, id)], { expectedSeq: 0 });
      const again = await reopen();
      for (const id of hostile) {
        const journal = await again.open(id, { readOnly: true });
        expect(journal.header.sessionId).toBe(id);
        expect((await journal.tail()).entries).toEqual([message(1, id)]);
      }
    },
  ],
];

const tails: readonly ConformanceCase[] = [
  [
    'gives the tail from the newest checkpoint on',
    async ({ store, reopen }) => {
      const journal = await begin(store);
      await journal.append(messages(1, 10), { expectedSeq: 0, checkpoint: checkpoint(4) });
      await journal.append(messages(11, 20), { expectedSeq: 10, checkpoint: checkpoint(15, { model: 'm' }) });
      await journal.append(messages(21, 25), { expectedSeq: 20 });
      const expected = { checkpoint: checkpoint(15, { model: 'm' }), entries: messages(15, 25) };
      expect(await journal.tail()).toEqual(expected);
      expect(await (await (await reopen()).open('one')).tail()).toEqual(expected);
    },
  ],
  [
    'gives an empty tail when nothing is visible any more',
    async ({ store }) => {
      const journal = await begin(store);
      await journal.append(messages(1, 3), { expectedSeq: 0, checkpoint: checkpoint(4) });
      expect((await journal.tail()).entries).toEqual([]);
      await journal.append([message(4)], { expectedSeq: 3 });
      expect((await journal.tail()).entries).toEqual([message(4)]);
    },
  ],
  [
    'gives the same tail as reading from where it begins, whatever was appended',
    async ({ store, reopen }) => {
      let under = store;
      let count = 0;
      const append = fc.record({
        texts: fc.array(fc.string({ unit: 'binary', maxLength: 300 }), { minLength: 1, maxLength: 6 }),
        keeps: fc.option(fc.nat(12)),
        restarts: fc.boolean(),
      });
      const law = fc.asyncProperty(fc.array(append, { minLength: 1, maxLength: 12 }), async (appends) => {
        count += 1;
        const sessionId = `journal ${count}`;
        let journal = await begin(under, sessionId);
        let seq = 0;
        let newest: Checkpoint | null = null;
        for (const { texts, keeps, restarts } of appends) {
          const entries = texts.map((text, index) => message(seq + index + 1, text));
          const made = keeps === null ? undefined : checkpoint(Math.max(1, seq + entries.length + 1 - keeps));
          ({ seq } = await journal.append(entries, { expectedSeq: seq, checkpoint: made }));
          newest = made ?? newest;
          if (restarts) {
            under = await reopen();
            journal = await under.open(sessionId);
          }
          expect((await expectLawfulTail(journal)).checkpoint).toEqual(newest);
        }
        await journal.close();
      });
      await fc.assert(law, { numRuns: 25 });
    },
  ],
];

const opening: readonly ConformanceCase[] = [
  [
    'opens a journal that is not there only to begin it',
    async ({ store }) => {
      const missing = { code: 'VARVE_STORE_MISSING', fix: expect.stringContaining('create') };
      await expect(store.open('one')).rejects.toMatchObject(missing);
      const create = { v: 1, sessionId: 'one', createdAt: 1 } as const;
      await expect(store.open('one', { create, readOnly: true })).rejects.toMatchObject(missing);
      await begin(store);
      await expect(store.open('one')).resolves.toBeDefined();
      await expect(store.open('ONE')).rejects.toMatchObject(missing);
    },
  ],
  [
    'lets readers see what a writer appends, but not append themselves',
    async ({ store }) => {
      const writer = await begin(store);
      const reader = await store.open('one', { readOnly: true });
      for (const entry of messages(1, 5)) {
        await writer.append([entry], { expectedSeq: entry.seq - 1 });
        expect((await reader.tail()).entries).toEqual(messages(1, entry.seq));
        expect(await reader.get([entry.seq, entry.id])).toEqual([entry, entry]);
      }
      const refused = reader.append([message(6)], { expectedSeq: 5 });
      await expect(refused).rejects.toMatchObject({ code: 'VARVE_STORE_READ_ONLY' });
    },
  ],
  [
    'refuses every use of a journal or store that was closed, however often it is closed',
    async ({ store }) => {
      const closed = { code: 'VARVE_STORE_CLOSED' };
      const journal = await begin(store);
      const other = await begin(store);
      await Promise.all([journal.close(), journal.close()]);
      await journal.close();
      await expect(journal.append([message(1)], { expectedSeq: 0 })).rejects.toMatchObject(closed);
      await expect(journal.tail()).rejects.toMatchObject(closed);
      await expect(journal.get([1])).rejects.toMatchObject(closed);
      expect(() => journal.read()).toThrow(expect.objectContaining(closed));
      await expect(other.append([message(1)], { expectedSeq: 0 })).resolves.toEqual({ seq: 1 });
      await Promise.all([store[Symbol.asyncDispose](), store[Symbol.asyncDispose]()]);
      await store[Symbol.asyncDispose]();
      await expect(store.open('one')).rejects.toMatchObject(closed);
      await expect(other.tail()).rejects.toMatchObject(closed);
    },
  ],
  [
    'opens a journal again while it is being closed',
    async ({ store }) => {
      const journal = await begin(store);
      const appended = journal.append([message(1)], { expectedSeq: 0 });
      const closed = journal.close();
      const again = await store.open('one');
      await Promise.all([appended, closed]);
      expect((await again.tail()).entries).toEqual([message(1)]);
    },
  ],
];

/** What every store has to fulfil. */
export const conformanceCases: readonly ConformanceCase[] = [
  ...keeping,
  ...appending,
  ...reading,
  ...tails,
  ...opening,
];
