import type { Entry, Journal, MessageEntry, Tail } from '@varve/core';
import { VarveError } from '@varve/core';
import { collectEntries, type StoreSubject } from '@varve/testkit';
import { type Breakage, brokenStore, type JournalTrial, storeError } from './broken-store.ts';
import type { Mutant } from './mutant.ts';

/** A memory store that is broken in one way. */
export function mutant(
  name: string,
  fails: string | readonly [string, ...string[]],
  breakage: Breakage,
): Mutant<StoreSubject> {
  const [first = '', ...also] = typeof fails === 'string' ? [fails] : fails;
  return { name, fails: first, also, open: () => brokenStore(breakage) };
}

/** Replaces how entries come out, however they are asked for. */
function readingAs(change: (entry: Entry) => Entry): Breakage {
  return {
    journal: (journal) => ({
      get: async (ids) => (await journal.get(ids)).map(change),
      read: (range) => mapped(journal.read(range), change),
      tail: async () => {
        const { checkpoint, entries } = await journal.tail();
        return { checkpoint, entries: entries.map(change) };
      },
    }),
  };
}

async function* mapped(entries: AsyncIterable<Entry>, change: (entry: Entry) => Entry): AsyncIterable<Entry> {
  for await (const entry of entries) yield change(entry);
}

function withText(change: (text: string) => string): (entry: Entry) => Entry {
  return (entry) => {
    const { message } = entry as MessageEntry;
    if (!Array.isArray(message?.content)) return entry;
    const content = (message.content as { text: string }[]).map((part) => ({ ...part, text: change(part.text) }));
    return { ...entry, message: { ...message, content } } as unknown as Entry;
  };
}

const isConflict = (error: unknown): boolean => VarveError.is(error, 'VARVE_STORE_CONFLICT');

/** Replaces what happens when an append comes in a wrong place. */
function onConflict(
  handle: (
    journal: Journal,
    call: { entries: readonly Entry[]; expectedSeq: number; lastSeq: number },
  ) => Promise<{ seq: number }>,
): Breakage {
  return {
    journal: (journal) => ({
      append: async (entries, options) => {
        try {
          return await journal.append(entries, options);
        } catch (error) {
          if (!isConflict(error)) throw error;
          const lastSeq = (await collectEntries(journal.read())).length;
          return handle(journal, { entries, expectedSeq: options.expectedSeq, lastSeq }).catch(() => {
            throw error;
          });
        }
      },
    }),
  };
}

const refuse = (): Promise<never> => Promise.reject(new Error('refused'));

/** Replaces what a tail is. */
export function tailAs(change: (tail: Tail, trial: JournalTrial, journal: Journal) => Promise<Tail> | Tail): Breakage {
  return { journal: (journal, trial) => ({ tail: async () => change(await journal.tail(), trial, journal) }) };
}

/** The case that holds tails against a law: many mutants break it as well. */
export const tailLaw = 'gives the same tail as reading from where it begins, whatever was appended';

const keeping: readonly Mutant<StoreSubject>[] = [
  mutant('answers an append with the seq of its first entry', ['gives back what was appended', tailLaw], {
    journal: (journal) => ({
      append: async (entries, options) => {
        const { seq } = await journal.append(entries, options);
        return { seq: entries.length > 2 && entries.length < 4 ? seq - entries.length + 1 : seq };
      },
    }),
  }),
  mutant(
    'forgets closed journals at a restart',
    [
      'gives back after a restart what was appended before, and goes on from there',
      'keeps a replacement after a restart',
      'keeps a packed journal after a restart',
    ],
    {
      journal: (journal, { sessionId, shared }) => ({
        close: () => {
          shared.set(sessionId, true);
          return journal.close();
        },
      }),
      open: async (id, { options, restarts, shared, healthy }) =>
        healthy.open(shared.has(id) && restarts > 0 ? `${id}, lost` : id, options),
    },
  ),
  mutant('takes the header that was offered last', 'keeps the header that a journal was begun with', {
    journal: (journal, { options, restarts }) => ({
      header: restarts > 0 && options.create !== undefined ? options.create : journal.header,
    }),
  }),
  mutant(
    'ends lines at every line separator',
    'keeps text of every kind',
    readingAs(withText((text) => text.replaceAll('\u2028', '\n'))),
  ),
  mutant(
    'encodes half characters as UTF-8 does',
    ['keeps surrogates that stand alone', 'keeps sessions apart whose ids begin alike or look like paths', tailLaw],
    readingAs(withText((text) => text.replaceAll(/\p{Surrogate}/gu, '\ufffd'))),
  ),
  mutant('refuses large entries', 'keeps an entry of 10 MB', {
    journal: (journal) => ({
      append: (entries, options) =>
        entries.some((entry) => ((entry as MessageEntry).tokens?.n ?? 0) > 5_000_000)
          ? Promise.reject(storeError('VARVE_STORE_IO'))
          : journal.append(entries, options),
    }),
  }),
  mutant(
    'sets the prototype of what it reads',
    'keeps a plugin’s record, keys of any name included',
    readingAs((entry) => {
      const { data } = entry as { data?: Record<string, unknown> };
      if (data === undefined) return entry;
      const copy: Record<string, unknown> = {};
      for (const key of Object.keys(data)) copy[key] = data[key];
      return { ...entry, data: copy } as never;
    }),
  ),
  mutant(
    'reads entries of its own version only',
    'keeps entries of types and versions that it does not know',
    readingAs((entry) => ({ ...entry, v: 1 })),
  ),
  mutant('writes entries down a moment later', 'takes an entry as it is when it is appended', {
    journal: (journal, { shared }) => {
      const writing = (shared.get('writing') ?? { last: Promise.resolve() }) as { last: Promise<unknown> };
      shared.set('writing', writing);
      const queued = <Result>(work: () => Promise<Result>): Promise<Result> => {
        const next = writing.last.then(work);
        writing.last = next.catch(() => undefined);
        return next;
      };
      let isClosed = false;
      return {
        append: (entries, options) =>
          isClosed ? Promise.reject(storeError('VARVE_STORE_CLOSED')) : queued(() => journal.append(entries, options)),
        tail: () => queued(() => journal.tail()),
        close: () => {
          isClosed = true;
          return queued(() => journal.close());
        },
      };
    },
  }),
  mutant('hands out the entries of its cache', 'hands out entries that a caller may change', {
    journal: (journal) => {
      const cache = new Map<unknown, Entry>();
      return {
        get: async (ids) =>
          (await journal.get(ids)).map((entry) => {
            if (!cache.has(entry.seq)) cache.set(entry.seq, entry);
            return cache.get(entry.seq) ?? entry;
          }),
        read: (range) => mapped(journal.read(range), (entry) => cache.get(entry.seq) ?? entry),
      };
    },
  }),
  mutant('hands out the checkpoint of its cache', 'hands out checkpoints that a caller may change', {
    journal: (journal) => {
      let known: { readonly text: string; readonly checkpoint: Tail['checkpoint'] } | null = null;
      return {
        tail: async () => {
          const { checkpoint, entries } = await journal.tail();
          const text = JSON.stringify(checkpoint);
          if (known?.text !== text) known = { text, checkpoint };
          return { checkpoint: known.checkpoint, entries };
        },
      };
    },
  }),
];

const leaseLaw = 'refuses an append under a lease that somebody else has taken over';

const appending: readonly Mutant<StoreSubject>[] = [
  mutant(
    'lets the last writer win',
    'refuses an append that does not know of the newest entries',
    onConflict(async (_journal, { entries, expectedSeq, lastSeq }) =>
      expectedSeq === 1 && entries.length === 1 ? { seq: lastSeq } : refuse(),
    ),
  ),
  mutant(
    'ignores what comes too early',
    'refuses an append beyond the end of the journal',
    onConflict(async (_journal, { expectedSeq, lastSeq }) => (expectedSeq > lastSeq ? { seq: lastSeq } : refuse())),
  ),
  mutant('believes every lease', 'refuses an append under a lease that somebody else has taken over', {
    journal: (journal) => ({
      append: (entries, { fence: _fence, ...options }) => journal.append(entries, options),
    }),
  }),
  mutant('learns of a lease from entries alone', 'refuses an append under a lease that somebody else has taken over', {
    journal: (journal) => ({
      append: (entries, { fence, ...options }) =>
        journal.append(entries, entries.length === 0 ? options : { ...options, fence }),
    }),
  }),
  mutant('numbers entries itself', 'refuses entries whose seqs have a gap, and all that come with them', {
    journal: (journal) => ({
      append: (entries, options) => {
        const misses = entries.some((entry, index) => entry.seq !== options.expectedSeq + index + 1);
        const renumbered = entries.map((entry, index) => ({ ...entry, seq: options.expectedSeq + index + 1 }));
        return journal.append(misses ? renumbered : entries, options);
      },
    }),
  }),
  mutant(
    'keeps the good half of an append',
    [
      'refuses entries that are not JSON, and all that come with them',
      'refuses entries whose seqs have a gap, and all that come with them',
    ],
    {
      journal: (journal) => ({
        append: async (entries, options) => {
          try {
            return await journal.append(entries, options);
          } catch (error) {
            if (entries.length === 2) await journal.append(entries.slice(0, 1), options).catch(() => undefined);
            throw error;
          }
        },
      }),
    },
  ),
  mutant('ignores a checkpoint that comes alone', 'refuses a checkpoint without an entry', {
    journal: (journal) => ({
      append: (entries, { checkpoint, ...rest }) =>
        journal.append(entries, entries.length === 0 ? rest : { checkpoint, ...rest }),
    }),
  }),
  mutant('takes an empty append for a mistake', ['appends nothing when it is given nothing', leaseLaw], {
    journal: (journal) => ({
      append: (entries, options) =>
        entries.length === 0 ? Promise.reject(storeError('VARVE_ENTRY_INVALID')) : journal.append(entries, options),
    }),
  }),
  mutant('gives up when too much is in flight', 'keeps many appends in flight in order', {
    journal: (journal) => {
      let inFlight = 0;
      return {
        append: async (entries, options) => {
          inFlight += 1;
          try {
            if (inFlight > 1_000) throw storeError('VARVE_STORE_IO');
            return await journal.append(entries, options);
          } finally {
            inFlight -= 1;
          }
        },
      };
    },
  }),
  mutant(
    'tells every writer of the first entry that it has won',
    'lets exactly one of several writers win',
    onConflict(async (_journal, { expectedSeq, lastSeq }) =>
      expectedSeq === 0 && lastSeq === 1 ? { seq: 1 } : refuse(),
    ),
  ),
  mutant(
    'stores the checkpoint before it looks at the entries',
    [
      'forgets the checkpoint of an append that it refused',
      'takes the last checkpoint of a replacement for the newest',
    ],
    {
      journal: (journal) => {
        let last: Tail['checkpoint'] | undefined;
        return {
          append: (entries, options) => {
            if (entries.length > 0) last = structuredClone(options.checkpoint) ?? last;
            return journal.append(entries, options);
          },
          tail: async () => {
            const tail = await journal.tail();
            if (tail.checkpoint === null || last === undefined || last === null) return tail;
            if (last.visibleFromSeq <= tail.checkpoint.visibleFromSeq) return tail;
            return { checkpoint: structuredClone(last), entries: tail.entries.slice(2) };
          },
        };
      },
    },
  ),
];

/** Stores that lose, change or take what they should not. */
export const writingStoreMutants: readonly Mutant<StoreSubject>[] = [...keeping, ...appending];
