import { type Host, type SessionRecord, VarveError } from '@varve/core';
import { stateOfSession } from '@varve/core/host';
import { z } from 'zod';
import { factsOfKey } from './key-facts.ts';
import { walkRecords } from './walk-records.ts';

/** What a sub-agent's journal says of itself when it begins, and when its end is with its parent. */
const began = 'sessions:spawned';
const wasDelivered = 'sessions:delivered';

const ofChild = z.object({ childKey: z.string() });

/** Keys of the sub-agents of a conversation that work, or whose end it does not know yet. */
export async function childrenAtWork(host: Host, keyText: string): Promise<readonly string[]> {
  const atWork: string[] = [];
  for await (const record of walkRecords(host.sessions, { parentSessionKey: keyText, state: 'open' })) {
    if (record.key !== keyText && (await isChildAtWork(host, record))) atWork.push(record.key ?? record.sessionId);
  }
  return atWork;
}

/** Whether a session is a sub-agent whose end is not with its parent, as its journal says. Takes no lock. */
export async function isChildAtWork(host: Host, record: SessionRecord): Promise<boolean> {
  if (record.state !== 'open' || factsOfKey(record).kind !== 'subagent') return false;
  try {
    await using session = await host.open(record.sessionId, { readOnly: true });
    const { records } = stateOfSession(session);
    // What a fork has copied of another sub-agent is not its own.
    const says = (type: string): boolean => ofChild.safeParse(records[type]).data?.childKey === record.key;
    return says(began) && !says(wasDelivered);
  } catch (error) {
    // A record without a journal: nothing can be at work there.
    if (VarveError.is(error, 'VARVE_STORE_MISSING')) return false;
    throw error;
  }
}
