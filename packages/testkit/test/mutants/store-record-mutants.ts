import { listSessions, memoryStore, type SessionIndex, type SessionRecord, VarveError } from '@varve/core';
import type { StoreSubject } from '@varve/testkit';
import type { Breakage } from './broken-store.ts';
import type { Mutant } from './mutant.ts';
import { mutant } from './store-mutants.ts';

/** Replaces methods of the index; `restarts` counts how often the store was opened again. */
function indexAs(change: (index: SessionIndex, restarts: number) => Partial<SessionIndex>): Breakage {
  return {
    store: (healthy, restarts) => ({ sessions: { ...healthy.sessions, ...change(healthy.sessions, restarts) } }),
  };
}

/** Replaces how records come out, however they are asked for. */
function recordsAs(change: (record: SessionRecord) => SessionRecord): Breakage {
  return indexAs((index) => ({
    get: async (id) => {
      const record = await index.get(id);
      return record === null ? null : change(record);
    },
    put: async (...given) => change(await index.put(...given)),
    list: async (query) => (await index.list(query)).map(change),
  }));
}

const all = (index: SessionIndex): Promise<readonly SessionRecord[]> => index.list({ limit: 1_000 });

const keeping: readonly Mutant<StoreSubject>[] = [
  mutant(
    'leaves out what nobody said',
    [
      'makes a record, with a default for what it is not told',
      'keeps records after a restart, however often they were changed',
    ],
    recordsAs((record) =>
      record.channel === null && record.createdAt === 5 ? ({ ...record, label: undefined } as never) : record,
    ),
  ),
  mutant(
    'makes a record for whoever asks',
    'knows no record of a session that has none',
    indexAs((index) => ({
      get: async (id) => (await index.get(id)) ?? (id === 'one ' ? index.put(id, {}, { expectedRev: 0 }) : null),
    })),
  ),
  mutant(
    'takes undefined for an answer',
    'changes what a patch names and leaves the rest',
    indexAs((index) => ({
      put: async (id, patch, options) =>
        index.put(id, 'key' in patch ? { ...patch, key: patch.key ?? null } : patch, options),
    })),
  ),
  mutant(
    'believes whoever has an old revision',
    ['refuses a change that was made for another revision', 'lets exactly one of several changes at once win'],
    indexAs((index) => ({
      put: async (id, patch, options) => {
        try {
          return await index.put(id, patch, options);
        } catch (error) {
          const rev = (await index.get(id))?.rev ?? 0;
          if (options.expectedRev === 0 || options.expectedRev > rev) throw error;
          return index.put(id, patch, { expectedRev: rev });
        }
      },
    })),
  ),
  mutant(
    'tells all that change at once that they have won',
    ['lets exactly one of several changes at once win'],
    indexAs((index) => ({
      put: async (id, patch, options) => {
        try {
          return await index.put(id, patch, options);
        } catch (error) {
          const known = await index.get(id);
          if (!['b', 'c', 'd'].includes(patch.label ?? '') || known === null) throw error;
          return { ...known, label: patch.label ?? null };
        }
      },
    })),
  ),
  mutant(
    'looks at a patch later',
    'takes a patch as it is when it is given, and hands out records that a caller may change',
    indexAs((index) => ({
      put: async (...given) => {
        await Promise.resolve();
        return index.put(...given);
      },
    })),
  ),
  mutant(
    'hands out its own records',
    'takes a patch as it is when it is given, and hands out records that a caller may change',
    {
      store: (healthy) => {
        const own = new Map<string, SessionRecord>();
        const { sessions } = healthy;
        return {
          sessions: {
            ...sessions,
            get: async (id) => {
              const record = await sessions.get(id);
              if (record !== null && own.get(id)?.rev !== record.rev) own.set(id, record);
              return record === null ? null : (own.get(id) ?? null);
            },
          },
        };
      },
    },
  ),
  mutant(
    'takes one way of writing an id for another in its index',
    'keeps records of sessions apart whose ids begin alike or look like paths',
    indexAs((index) => ({
      get: async (id) => index.get(id.normalize('NFC')),
    })),
  ),
  mutant(
    'keeps what it knows alone',
    'keeps what it does not know of a record, through changes and a restart',
    recordsAs((record) => {
      const { colour: _colour, ...known } = record as SessionRecord & { readonly colour?: unknown };
      return known;
    }),
  ),
  mutant(
    'loses its records at a restart',
    [
      'keeps records after a restart, however often they were changed',
      'keeps what it does not know of a record, through changes and a restart',
    ],
    indexAs((index, restarts) => (restarts === 0 ? index : memoryStore().sessions)),
  ),
  mutant('lists after it was closed', 'refuses every use of the records of a closed store', {
    store: (healthy) => ({
      sessions: {
        ...healthy.sessions,
        list: async (query) => {
          try {
            return await healthy.sessions.list(query);
          } catch (error) {
            if (VarveError.is(error, 'VARVE_STORE_CLOSED')) return [];
            throw error;
          }
        },
      },
    }),
  }),
];

const listing: readonly Mutant<StoreSubject>[] = [
  mutant(
    'sorts ids as a dictionary does',
    'lists records last updated first, those of one time by session id',
    indexAs((index) => ({
      list: async (query = {}) => {
        const found = await index.list(query);
        const isSmall = found.length <= 6 && query.limit === undefined;
        return isSmall
          ? found.toSorted((a, b) => b.updatedAt - a.updatedAt || a.sessionId.localeCompare(b.sessionId, 'en'))
          : found;
      },
    })),
  ),
  mutant(
    'lists records in the order in which they were made',
    [
      'lists records last updated first, those of one time by session id',
      'lists page by page, none twice and none left out',
    ],
    indexAs((index) => ({
      list: async (query = {}) => {
        const found = await index.list(query);
        return found.some(({ updatedAt }) => updatedAt === 5) && found.length < 23 && query.text === undefined
          ? found.toSorted((a, b) => a.sessionId.length - b.sessionId.length)
          : found;
      },
    })),
  ),
  mutant(
    'begins a page behind a time, not behind a record',
    'lists page by page, none twice and none left out',
    indexAs((index) => ({
      list: async ({ after, ...query } = {}) => {
        const found = await all(index);
        const later = found.filter((record) => after === undefined || record.updatedAt < after.updatedAt);
        return listSessions(later, query);
      },
    })),
  ),
  mutant(
    'lists no more than 100 records, whatever is asked for',
    'lists 100 records when nobody says how many, and as many as somebody says',
    indexAs((index) => ({
      list: async (query) => (await index.list(query)).slice(0, 100),
    })),
  ),
  mutant(
    'ignores the state that is asked for when the agent is named',
    'lists those of which all parts of a query hold',
    indexAs((index) => ({
      list: ({ state, ...query } = {}) =>
        index.list(query.agentId === undefined ? { ...query, state } : { ...query, channel: undefined }),
    })),
  ),
  mutant(
    'takes a chat type that is null for none',
    'lists those of which all parts of a query hold',
    indexAs((index) => ({
      list: ({ chatType, ...query } = {}) => index.list({ ...query, chatType: chatType ?? undefined }),
    })),
  ),
  mutant(
    'finds a key by its beginning',
    'finds a key exactly, however many others hold it',
    indexAs((index) => ({
      list: async ({ key, ...query } = {}) => {
        const found = await index.list({ ...query, limit: 1_000 });
        return found.filter((record) => key === undefined || record.key?.startsWith(key)).slice(0, query.limit ?? 100);
      },
    })),
  ),
  mutant(
    'finds a key only after the page is cut',
    'finds a key exactly, however many others hold it',
    indexAs((index) => ({
      list: async ({ key, ...query } = {}) => {
        const found = await index.list(query);
        return found.filter((record) => key === undefined || record.key === key);
      },
    })),
  ),
  mutant(
    'finds a key where it was first',
    'finds a key where it is now, after it was changed',
    indexAs((index) => {
      const first = new Map<string, string | null>();
      return {
        put: async (id, patch, options) => {
          const record = await index.put(id, patch, options);
          if (!first.has(id)) first.set(id, record.key);
          return record;
        },
        list: async (query = {}) => {
          const { key, limit = 100, ...others } = query;
          if (key === undefined) return index.list(query);
          const found = await index.list({ ...others, limit: 1_000 });
          return found.filter(({ sessionId }) => first.get(sessionId) === key).slice(0, limit);
        },
      };
    }),
  ),
  mutant(
    'finds words only as they were written',
    'finds text in ids, keys, labels and names, whatever the case of its letters',
    indexAs((index) => ({
      list: async ({ text, ...query } = {}) => {
        const found = await index.list(query);
        return found.filter((record) =>
          [record.sessionId, record.key, record.label, record.displayName].some((name) => name?.includes(text ?? '')),
        );
      },
    })),
  ),
  mutant(
    'takes text for a pattern',
    'finds text in ids, keys, labels and names, whatever the case of its letters',
    indexAs((index) => ({
      list: async ({ text, ...query } = {}) => {
        const found = await index.list(query);
        const pattern = new RegExp(text ?? '', 'i');
        return found.filter((record) =>
          [record.sessionId, record.key, record.label, record.displayName].some((name) => pattern.test(name ?? '')),
        );
      },
    })),
  ),
];

/** Stores whose records are wrong, lost or another’s. */
export const recordStoreMutants: readonly Mutant<StoreSubject>[] = [...keeping, ...listing];
