import { type Entry, type Store, VarveError } from '@varve/core';
import { type JsonlStoreOptions, jsonlStore } from '@varve/stores/jsonl';
import type { SeenSession } from '../oracle/judge-stop.ts';

/** What is looked at after a stop. */
export interface Scope {
  readonly sessionIds: ReadonlySet<string>;
  readonly looksAt: 'journals' | 'records' | 'both';
}

/** Opens a store as the next process does, and reads sessions of it as their writer. */
export async function recover(
  place: Pick<JsonlStoreOptions, 'root' | 'fileSystem' | 'onRepair'>,
  { sessionIds, looksAt }: Scope,
): Promise<ReadonlyMap<string, SeenSession>> {
  await using store = jsonlStore({ ...place, durability: 'fsync' });
  const seen = new Map<string, SeenSession>();
  for (const sessionId of sessionIds) {
    const entries = looksAt === 'records' ? undefined : await entriesOf(store, sessionId);
    seen.set(sessionId, { entries });
  }
  if (looksAt === 'journals') return seen;
  for (const sessionId of sessionIds) {
    const record = await store.sessions.get(sessionId);
    const text = record === null ? null : JSON.stringify(record);
    seen.set(sessionId, { ...seen.get(sessionId), record: text });
  }
  return seen;
}

/** None where there is no journal. */
async function entriesOf(store: Store, sessionId: string): Promise<readonly string[]> {
  try {
    const journal = await store.open(sessionId);
    const texts: string[] = [];
    for await (const entry of journal.read()) texts.push(JSON.stringify(entry satisfies Entry));
    await journal.close();
    return texts;
  } catch (error) {
    if (VarveError.is(error, 'VARVE_STORE_MISSING')) return [];
    throw error;
  }
}
