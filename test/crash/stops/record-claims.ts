import type { Entry, Journal, Store } from '@varve/core';
import type { Claim } from '../oracle/judge-stop.ts';

/** A store that notes what it is asked to keep, and what it has acknowledged. */
export interface ClaimedStore {
  readonly store: Store;
  readonly claims: readonly Claim[];
}

type Noted = { -readonly [Field in keyof Claim]: Claim[Field] };

/**
 * Wraps a store.
 *
 * @param position  How much has been done to the disk.
 */
export function recordClaims(inner: Store, position: () => number): ClaimedStore {
  const claims: Noted[] = [];
  const ask = async <Result>(
    claim: Pick<Claim, 'kind' | 'sessionId' | 'texts'>,
    work: () => Promise<Result>,
    textsOf?: (result: Result) => readonly string[],
  ): Promise<Result> => {
    const noted: Noted = { ...claim, askedAt: position(), doneAt: null };
    claims.push(noted);
    try {
      const result = await work();
      noted.doneAt = position();
      if (textsOf !== undefined) noted.texts = textsOf(result);
      return result;
    } catch (error) {
      claims.splice(claims.indexOf(noted), 1);
      throw error;
    }
  };
  const claimed = (sessionId: string, journal: Journal): Journal => ({
    ...journal,
    append: (entries, options) => {
      const texts = entries.map((entry: Entry) => JSON.stringify(entry));
      if (texts.length === 0) return journal.append(entries, options);
      return ask({ kind: 'append', sessionId, texts }, () => journal.append(entries, options));
    },
    replace: (batches, options) => {
      const texts: string[] = [];
      const noting = async function* () {
        for await (const batch of batches) {
          texts.push(...batch.entries.map((entry) => JSON.stringify(entry)));
          yield batch;
        }
      };
      return ask({ kind: 'replace', sessionId, texts }, () => journal.replace(noting(), options));
    },
  });
  const store: Store = {
    supports: inner.supports,
    // What is packed and unpacked holds the same: there is nothing to claim.
    archives: inner.archives,
    remove: (sessionId, options) =>
      ask({ kind: 'remove', sessionId, texts: [] }, async () => inner.remove?.(sessionId, options)),
    open: async (sessionId, options) => claimed(sessionId, await inner.open(sessionId, options)),
    sessions: {
      get: (sessionId) => inner.sessions.get(sessionId),
      list: (query) => inner.sessions.list(query),
      put: (sessionId, patch, options) =>
        ask(
          { kind: 'put', sessionId, texts: [] },
          () => inner.sessions.put(sessionId, patch, options),
          (record) => [JSON.stringify(record)],
        ),
    },
    [Symbol.asyncDispose]: () => inner[Symbol.asyncDispose](),
  };
  return { store, claims };
}
