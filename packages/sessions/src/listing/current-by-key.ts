import type { Host, Milliseconds } from '@varve/core';
import { becameCurrentAt } from '../generation/generations.ts';
import { walkRecords } from './walk-records.ts';

/**
 * The id of the current generation of every key, in one walk over the open records: for whoever asks about many. Keeps a
 * key, an id and a time of each in memory.
 */
export async function currentByKey(sessions: Host['sessions']): Promise<ReadonlyMap<string, string>> {
  const since = new Map<string, { readonly sessionId: string; readonly at: Milliseconds }>();
  for await (const record of walkRecords(sessions, { state: 'open' })) {
    const { key, sessionId } = record;
    const at = becameCurrentAt(record);
    if (key === null || at === null) continue;
    const other = since.get(key);
    const isLater = other === undefined || at > other.at || (at === other.at && sessionId > other.sessionId);
    if (isLater) since.set(key, { sessionId, at });
  }
  return new Map([...since].map(([key, { sessionId }]) => [key, sessionId]));
}
