import type { Clock, Host, Milliseconds, SessionRecord } from '@varve/core';
import { keysOfSession } from '@varve/core/host';
import { LRUCache } from 'lru-cache';
import { becameCurrentAt } from '../generation/generations.ts';
import { keyThatBegan } from './begun-by.ts';
import { handledIn } from './handled-commands.ts';

/** So long after a reset a message of before it is recognised. Channels give up on a delivery long before. */
const recognisedMs: Milliseconds = 24 * 3_600_000;

/** So many resets of that time are looked behind. */
const mostGenerations = 8;

/** Characters of keys that are held for all conversations together. */
const mostCharacters = 8_000_000;

/** What earlier generations of conversations were told already. */
export interface EarlierGenerations {
  /** Id of the earlier generation that knows a message or command; `null` when none does. */
  knowing(current: SessionRecord, key: string): Promise<string | null>;
}

/** Reads what they know from their journals, once each: nothing is said in them any more. */
export function createEarlierGenerations(host: Host, clock: Clock): EarlierGenerations {
  const known = new LRUCache<string, ReadonlySet<string>>({
    maxSize: mostCharacters,
    sizeCalculation: (keys) => [...keys].reduce((sum, key) => sum + key.length, 1),
  });
  const keysOf = async (sessionId: string): Promise<ReadonlySet<string>> => {
    const held = known.get(sessionId);
    if (held !== undefined) return held;
    const session = await host.open(sessionId, { readOnly: true });
    try {
      const began = keyThatBegan(session.view);
      const keys = new Set([...keysOfSession(session), ...handledIn(session.view), ...(began === null ? [] : [began])]);
      known.set(sessionId, keys);
      return keys;
    } finally {
      await session.close();
    }
  };
  return {
    knowing: async (current, key) => {
      let record: SessionRecord | null = current;
      for (let looked = 0; looked < mostGenerations && record !== null; looked += 1) {
        const { previousSessionId }: SessionRecord = record;
        const since = becameCurrentAt(record) ?? record.createdAt;
        if (previousSessionId === null || clock.now() - since > recognisedMs) return null;
        const keys = await keysOf(previousSessionId);
        if (keys.has(key)) return previousSessionId;
        record = await host.sessions.get(previousSessionId);
      }
      return null;
    },
  };
}
