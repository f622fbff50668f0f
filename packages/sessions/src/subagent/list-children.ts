import type { Milliseconds } from '@varve/core';
import { readJournal } from '../child-journal/find-journal.ts';
import { walkRecords } from '../listing/walk-records.ts';
import type { ChildEnd } from './spawn-options.ts';
import type { SubagentWorld } from './subagent-parts.ts';

/** A sub-agent of a conversation. */
export interface ChildFacts {
  readonly childKey: string;
  readonly sessionId: string;
  readonly label: string;
  readonly task: string;
  readonly since: Milliseconds;
  /** `null` while it is at work, or waits for somebody to go on with it. */
  readonly end: ChildEnd | null;
  /** Whether its end is with its parent. */
  readonly isDelivered: boolean;
  readonly isArchived: boolean;
}

/** The sub-agents of a conversation, also those that have ended, the last updated first. Takes no lock. */
export async function listChildren(world: SubagentWorld, parentKey: string): Promise<readonly ChildFacts[]> {
  const facts: ChildFacts[] = [];
  for await (const record of walkRecords(world.host.sessions, { parentSessionKey: parentKey })) {
    const { spawned, ended, isDelivered } = await readJournal(world, record.sessionId);
    if (spawned === null) continue;
    const { childKey, label, task, at } = spawned;
    const own = { childKey, sessionId: record.sessionId, label, task, since: at };
    facts.push({ ...own, end: ended, isDelivered, isArchived: record.state === 'archived' });
  }
  return facts;
}
