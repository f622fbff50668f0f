import { type Journal, memoryStore, type Store } from '@varve/core';
import { collectEntries, type StoreSubject } from '@varve/testkit';
import { storeError } from './broken-store.ts';
import type { Mutant } from './mutant.ts';
import { mutant, tailAs, tailLaw } from './store-mutants.ts';

/** Stores of which one mutant knows that they are closed. */
const closedStores = new WeakSet<Store>();

const reading: readonly Mutant<StoreSubject>[] = [
  mutant(
    'leaves the last entry out of a range',
    ['reads ranges, both ends included', 'reads a packed journal as before'],
    {
      journal: (journal) => ({
        read: ({ toSeq, ...range } = {}) => journal.read(toSeq === undefined ? range : { ...range, toSeq: toSeq - 1 }),
      }),
    },
  ),
  mutant('takes an empty range for a mistake', 'reads nothing from a range that holds nothing', {
    journal: (journal) => ({
      read: (range = {}) => {
        if ((range.fromSeq ?? 1) > (range.toSeq ?? Infinity)) throw new RangeError('Made by a mutant.');
        return journal.read(range);
      },
    }),
  }),
  mutant('gives entries in the order of the journal', 'gets entries by seq and id in the order asked for', {
    journal: (journal) => ({
      get: async (ids) => {
        const found = await journal.get(ids);
        return ids.length > 4 ? found.toSorted((a, b) => a.seq - b.seq) : found;
      },
    }),
  }),
  mutant(
    'throws for an entry that nobody knows',
    ['leaves out entries that nobody knows', 'keeps nothing of what was replaced'],
    {
      journal: (journal) => ({
        get: async (ids) => {
          const found = await journal.get(ids);
          if (found.length < ids.length) throw storeError('VARVE_STORE_IO');
          return found;
        },
      }),
    },
  ),
  mutant('reads what was appended after it had begun', 'reads on while entries are appended, up to where it began', {
    journal: (journal) => ({
      async *read(range = {}) {
        let next = range.fromSeq ?? 1;
        for (let found = 1; found > 0; ) {
          found = 0;
          for await (const entry of journal.read({ ...range, fromSeq: next })) {
            found += 1;
            next = entry.seq + 1;
            yield entry;
          }
        }
      },
    }),
  }),
  mutant('stays locked when a reader stops early', 'goes on working when a reader stops in the middle', {
    journal: (journal) => {
      let readers = 0;
      return {
        async *read(range) {
          readers += 1;
          for await (const entry of journal.read(range)) yield entry;
          readers -= 1;
        },
        append: (entries, options) =>
          readers > 3 ? Promise.reject(storeError('VARVE_STORE_LOCKED')) : journal.append(entries, options),
      };
    },
  }),
  mutant(
    'ends a read without a word when the store is closed',
    'reads on to the end, or says that it cannot, when the store is closed in the middle',
    {
      store: (healthy) => ({
        [Symbol.asyncDispose]: async () => {
          closedStores.add(healthy);
          await healthy[Symbol.asyncDispose]();
        },
      }),
      journal: (journal, { healthy }) => ({
        async *read(range) {
          for await (const entry of journal.read(range)) {
            if (closedStores.has(healthy)) return;
            yield entry;
          }
        },
      }),
    },
  ),
  mutant(
    'takes one way of writing an id for another',
    'keeps sessions apart whose ids begin alike or look like paths',
    {
      open: (sessionId, { options, healthy }) => healthy.open(sessionId.normalize('NFC'), options),
    },
  ),
];

const tails: readonly Mutant<StoreSubject>[] = [
  mutant(
    'finds the oldest checkpoint',
    [
      'gives the tail from the newest checkpoint on',
      'finds the newest checkpoint after a restart',
      'follows a checkpoint that lies further back than the one before',
      tailLaw,
    ],
    {
      journal: (journal, { sessionId, shared }) => ({
        append: (entries, options) => {
          const key = `first ${sessionId}`;
          if (options.checkpoint !== undefined && !shared.has(key))
            shared.set(key, structuredClone(options.checkpoint));
          const first = shared.get(key) as typeof options.checkpoint;
          return journal.append(entries, { ...options, checkpoint: options.checkpoint && first });
        },
      }),
    },
  ),
  mutant(
    'loses its checkpoints at a restart',
    [
      'finds the newest checkpoint after a restart',
      'keeps an entry of 10 MB',
      'keeps a replacement after a restart',
      tailLaw,
    ],
    tailAs(async (tail, { restarts }, journal) =>
      restarts === 0 ? tail : { checkpoint: null, entries: await collectEntries(journal.read()) },
    ),
  ),
  mutant(
    'gives a page of entries while there is no checkpoint',
    'gives all entries while there is no checkpoint',
    tailAs((tail) => (tail.entries.length === 30 ? { ...tail, entries: tail.entries.slice(-20) } : tail)),
  ),
  mutant(
    'always shows the last entry',
    ['gives an empty tail when nothing is visible any more', tailLaw],
    tailAs(async (tail, _trial, journal) => {
      const last = tail.entries.length === 0 ? (await collectEntries(journal.read())).slice(-1) : [];
      return { ...tail, entries: [...last, ...tail.entries] };
    }),
  ),
  mutant(
    'never goes back behind a checkpoint',
    ['follows a checkpoint that lies further back than the one before', tailLaw],
    {
      journal: (journal, { sessionId, shared }) => ({
        append: (entries, options) => {
          const key = `furthest ${sessionId}`;
          const furthest = Math.max(
            (shared.get(key) as number | undefined) ?? 0,
            options.checkpoint?.visibleFromSeq ?? 0,
          );
          shared.set(key, furthest);
          const checkpoint = options.checkpoint && { ...options.checkpoint, visibleFromSeq: furthest };
          return journal.append(entries, { ...options, checkpoint });
        },
      }),
    },
  ),
  mutant(
    'skips a line with a bell in it when it looks for the tail',
    tailLaw,
    tailAs((tail) => ({
      ...tail,
      entries: tail.entries.filter((entry) => !JSON.stringify(entry).includes('\\u0007')),
    })),
  ),
];

const opening: readonly Mutant<StoreSubject>[] = [
  mutant('says nothing of use about processes', 'says whether several processes may use it', {
    store: ({ supports }) => ({ supports: { ...supports, multiProcess: true as never } }),
  }),
  mutant(
    'begins a journal for whoever asks',
    ['opens a journal that is not there only to begin it', 'begins nothing for a reader'],
    {
      open: (sessionId, { options, healthy }) => {
        const create = { v: 1, sessionId, createdAt: 1 } as const;
        return healthy.open(sessionId, options.readOnly === true ? options : { create, ...options });
      },
    },
  ),
  mutant('begins a journal for a reader', 'begins nothing for a reader', {
    open: async (sessionId, { options, healthy }) => {
      if (options.create !== undefined) await (await healthy.open(sessionId, { create: options.create })).close();
      return healthy.open(sessionId, options);
    },
  }),
  mutant('starts anew for another header', 'opens a journal that is there as it is, whatever header is offered', {
    open: async (sessionId, { options, healthy }) => {
      const known = await healthy.open(sessionId, options);
      const { create } = options;
      return create?.agentId === undefined || known.header.agentId === create.agentId
        ? known
        : memoryStore().open(sessionId, options);
    },
  }),
  mutant('shows readers what was there when they came', 'shows readers what a writer appends', {
    journal: (journal, { options }) => {
      if (options.readOnly !== true) return {};
      const before = journal.tail();
      return { tail: () => before };
    },
  }),
  mutant('lets readers append', 'lets readers append nothing', {
    journal: (journal, { sessionId, options, healthy }) => ({
      append: async (entries, conditions) =>
        (options.readOnly === true ? await healthy.open(sessionId) : journal).append(entries, conditions),
    }),
  }),
  mutant('reads on after it was closed', 'refuses every use of a closed journal', {
    journal: (journal, { sessionId, healthy }) => ({
      get: async (ids) => (await healthy.open(sessionId, { readOnly: true })).get(ids),
      append: (entries, options) => journal.append(entries, options),
    }),
  }),
  mutant('fails when it is closed twice', 'closes a journal however often it is asked to', {
    journal: (journal) => {
      let isClosed = false;
      return {
        close: async () => {
          if (isClosed) throw storeError('VARVE_STORE_CLOSED');
          isClosed = true;
          await journal.close();
        },
      };
    },
  }),
  mutant(
    'closes a journal for everybody',
    [
      'leaves a journal open for those who have not closed it',
      'lets neither readers nor those who have closed it replace a journal',
    ],
    {
      journal: (_journal, { sessionId, shared }) => {
        const journal = _journal;
        const key = `handles ${sessionId}`;
        const handles = [...((shared.get(key) as Journal[] | undefined) ?? []), journal];
        shared.set(key, handles);
        return {
          close: async () => {
            const all = shared.get(key) as Journal[];
            shared.set(key, []);
            await Promise.all([journal, ...all].map((one) => one.close()));
          },
        };
      },
    },
  ),
  mutant(
    'opens journals after it was closed',
    [
      'refuses every use of a closed store, however often it is closed',
      'refuses every use of the records of a closed store',
    ],
    {
      store: (healthy) => ({
        [Symbol.asyncDispose]: async () => undefined,
        supports: healthy.supports,
      }),
    },
  ),
  mutant('cannot be opened while it closes', 'opens a journal again while it is being closed', {
    open: (sessionId, { options, shared, healthy }) =>
      shared.has('closing') ? Promise.reject(storeError('VARVE_STORE_CLOSED')) : healthy.open(sessionId, options),
    journal: (journal, { shared }) => ({
      close: async () => {
        shared.set('closing', true);
        await journal.close();
        await Promise.resolve();
        shared.delete('closing');
      },
    }),
  }),
];

/** Stores that give wrong entries, or to the wrong caller. */
export const readingStoreMutants: readonly Mutant<StoreSubject>[] = [...reading, ...tails, ...opening];
