// What `varve plugin check` and the tests hold against the contract of stores.
import type { StoreSubject } from '@varve/testkit';
import { templateStore } from './index.ts';

/** A fresh, empty store each time. */
export function openSubject(): StoreSubject {
  const store = templateStore();
  return {
    store,
    // What comes back to the data as a new process would. This store keeps nothing beyond its process: it is itself.
    reopen: async () => store,
    close: () => store[Symbol.asyncDispose](),
  };
}
