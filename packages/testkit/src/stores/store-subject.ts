import type { Journal, Store } from '@varve/core';
import { assertEqual } from '../assert.ts';
import type { Case, Closable } from '../case.ts';
import { beginJournal, collectEntries } from '../journal-entries.ts';

/** A fresh, empty store, and a way to come back to what it holds. */
export interface StoreSubject extends Closable {
  readonly store: Store;
  /**
   * Opens the store again, as a new process would that finds what this one left; the store before is not used any more.
   * A store that keeps nothing beyond its process gives itself. @default cases that need it are skipped
   */
  readonly reopen?: (() => Promise<Store>) | undefined;
}

/** One demand on every store. */
export type StoreCase = Case<StoreSubject>;

/** What a case on a store works with. */
export interface StoreTrial {
  readonly store: Store;
  reopen(): Promise<Store>;
}

/** Makes a case that needs nothing but a store. */
export function onStore(name: string, why: string, prove: (store: Store) => Promise<void>): StoreCase {
  return { name, why, run: async (open) => prove((await open()).store) };
}

/** Makes a case that comes back to what a store holds. */
export function acrossRestart(name: string, why: string, prove: (trial: StoreTrial) => Promise<void>): StoreCase {
  return {
    name,
    why,
    needs: ({ reopen }) => reopen !== undefined,
    unless: 'nobody said how to open the store again: give `reopen`',
    run: async (open) => {
      const { store, reopen } = await open();
      if (reopen !== undefined) await prove({ store, reopen });
    },
  };
}

/** Checks everything that a journal gives when it is read from its first entry. */
export async function assertReads(journal: Journal, expected: readonly unknown[], what = 'all entries'): Promise<void> {
  assertEqual(await collectEntries(journal.read()), expected, what);
}

/** Opens the session `one`, beginning it where it is not there, and checks what is in it. */
export async function assertHolds(store: Store, expected: readonly unknown[], what?: string): Promise<void> {
  await assertReads(await beginJournal(store), expected, what);
}
