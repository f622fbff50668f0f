import type { Host, SessionRecord } from '@varve/core';
import { walkRecords } from './walk-records.ts';

/** Open sessions that were begun for a conversation, by the key of that one. */
export type OpenChildren = ReadonlyMap<string, readonly SessionRecord[]>;

/** Those of all conversations, in one walk: for whoever asks about many. Keeps the record of each in memory. */
export async function openChildren(sessions: Host['sessions']): Promise<OpenChildren> {
  const children = new Map<string, SessionRecord[]>();
  for await (const record of walkRecords(sessions, { state: 'open' })) addChild(children, record);
  return children;
}

/** Notes a record that somebody walks over. */
export function addChild(children: Map<string, SessionRecord[]>, record: SessionRecord): void {
  const { parentSessionKey } = record;
  if (parentSessionKey === null) return;
  const others = children.get(parentSessionKey);
  if (others === undefined) children.set(parentSessionKey, [record]);
  else others.push(record);
}
