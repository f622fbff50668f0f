import { type Clock, type Host, type SessionRecord, VarveError } from '@varve/core';
import { readChild } from './child-records.ts';
import { type FindParts, findJournal } from './find-journal.ts';
import { beginningMs, type RunningChild, runningChildren } from './running-slot.ts';

/** What is known of the sub-agents of a conversation, before their journals are asked. */
export interface ParentFacts {
  readonly keyText: string;
  /** What its slot says. It names each sub-agent before that begins, and may name some of before a restart or a fork. */
  readonly slot: readonly RunningChild[];
  /** Records of open sessions that it began. */
  readonly begun: Iterable<SessionRecord> | AsyncIterable<SessionRecord>;
}

/** Keys of the sub-agents of a conversation that work, or whose end it does not know yet. Takes no lock. */
export async function childrenAtWork(
  parts: FindParts & { readonly clock: Clock },
  { keyText, slot, begun }: ParentFacts,
): Promise<readonly string[]> {
  const atWork = new Set<string>();
  for await (const record of begun) {
    if (record.key !== null && record.key !== keyText && (await isChildAtWork(parts.host, record))) {
      atWork.add(record.key);
    }
  }
  for (const { key, since } of slot) {
    if (atWork.has(key)) continue;
    const found = await findJournal(parts, key);
    const isBeginning = found === null && parts.clock.now() - since <= beginningMs;
    if (isBeginning || (found?.spawned.parentKey === keyText && !found.isDelivered)) atWork.add(key);
  }
  return [...atWork];
}

/** Whether an open session is a sub-agent whose end is not with its parent, as its journal says. Takes no lock. */
export async function isChildAtWork(host: Host, record: SessionRecord): Promise<boolean> {
  // Every sub-agent has a parent: of all others the journal need not be opened.
  if (record.state !== 'open' || record.parentSessionKey === null) return false;
  try {
    await using session = await host.open(record.sessionId, { readOnly: true });
    const { spawned, isDelivered } = readChild(session);
    return spawned !== null && !isDelivered;
  } catch (error) {
    // A record without a journal: nothing can be at work there.
    if (VarveError.is(error, 'VARVE_STORE_MISSING')) return false;
    throw error;
  }
}

/** What the slot of a session says that need not be open; nothing where there is no journal. Takes no lock. */
export async function slotOf(host: Host, sessionId: string): Promise<readonly RunningChild[]> {
  try {
    await using session = await host.open(sessionId, { readOnly: true });
    return runningChildren(session);
  } catch (error) {
    if (VarveError.is(error, 'VARVE_STORE_MISSING')) return [];
    throw error;
  }
}
