import { readFileSync, writeFileSync } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { keyOf, openClawEntryOf } from '../data/session-records.ts';

type OpenClawEntries = Record<string, Record<string, unknown>>;

/** What OpenClaw does with its file of sessions, step by step. */
export interface OpenClawStore {
  /** Changes one entry. */
  update(at: number, totalTokens: number): Promise<void>;
  /** All entries, from the file. */
  load(): OpenClawEntries;
  /** All entries, from the cache of the last load. */
  loadCached(): OpenClawEntries;
}

/**
 * The store of OpenClaw, re-created: its package does not install here. An update is read + parse + structuredClone +
 * stringify(null, 2) + temporary file + rename + structuredClone, as in its own code, without the lock that it takes and
 * without `fsync`, which it does not call.
 */
export function createOpenClawStore(path: string, count: number): OpenClawStore {
  const entries = Object.fromEntries(Array.from({ length: count }, (_, at) => [keyOf(at), openClawEntryOf(at)]));
  writeFileSync(path, JSON.stringify(entries, null, 2));
  let cached: OpenClawEntries = structuredClone(entries);
  return {
    update: async (at, totalTokens) => {
      const store: OpenClawEntries = structuredClone(JSON.parse(await readFile(path, 'utf8')));
      const key = keyOf(at);
      store[key] = { ...store[key], updatedAt: Date.now(), totalTokens };
      await writeFile(`${path}.tmp`, JSON.stringify(store, null, 2));
      await rename(`${path}.tmp`, path);
      cached = structuredClone(store);
    },
    load: () => {
      const store: OpenClawEntries = JSON.parse(readFileSync(path, 'utf8'));
      cached = structuredClone(store);
      return store;
    },
    loadCached: () => structuredClone(cached),
  };
}
