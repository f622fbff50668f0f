import { type Entry, type Journal, memoryStore, type Store } from '@varve/core';

/** A store that counts the entries which are streamed out of its journals. */
export function countingStore(): Store & { streamed(): number } {
  const store = memoryStore();
  let streamed = 0;
  const counted = (journal: Journal): Journal => ({
    ...journal,
    async *read(range): AsyncGenerator<Entry> {
      for await (const entry of journal.read(range)) {
        streamed += 1;
        yield entry;
      }
    },
  });
  return {
    sessions: store.sessions,
    supports: store.supports,
    open: async (sessionId, options) => counted(await store.open(sessionId, options)),
    streamed: () => streamed,
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}
