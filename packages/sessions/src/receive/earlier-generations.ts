import { type Clock, type Host, type Milliseconds, type SessionRecord, VarveError } from '@varve/core';
import { keysOfSession } from '@varve/core/host';
import { LRUCache } from 'lru-cache';
import { becameCurrentAt, type Generations } from '../generation/generations.ts';
import { keyThatBegan } from './begun-by.ts';
import { handledIn } from './handled-commands.ts';

/** So long after a reset a message of before it is recognised. Channels give up on a delivery long before. */
const recognisedMs: Milliseconds = 24 * 3_600_000;

/** So many generations of that time are looked into. */
const mostGenerations = 8;

/** Characters of keys that are held for all conversations together. */
const mostCharacters = 8_000_000;

/** Conversations of which it is held what came before their current generation. */
const mostConversations = 10_000;

/** What the earlier generations are looked up with. */
export interface EarlierParts {
  readonly host: Host;
  readonly clock: Clock;
  readonly generations: Generations;
}

/** What earlier generations of conversations were told already. */
export interface EarlierGenerations {
  /** Id of the earlier generation that knows a message or command; `null` when none does. */
  knowing(current: SessionRecord, key: string): Promise<string | null>;
}

/** A time in which a generation was the current one. What was said in it by its end stays as it is. */
interface Reign {
  readonly sessionId: string;
  readonly since: Milliseconds;
  readonly until: Milliseconds;
}

/** Reads what they know from their journals, once for each time that they were current. */
export function createEarlierGenerations({ host, clock, generations }: EarlierParts): EarlierGenerations {
  const known = new LRUCache<string, ReadonlySet<string>>({
    maxSize: mostCharacters,
    sizeCalculation: (keys) => [...keys].reduce((sum, key) => sum + key.length, 1),
  });
  const reigns = new LRUCache<string, readonly Reign[]>({ max: mostConversations });
  const reignsBefore = (current: SessionRecord): Promise<readonly Reign[]> =>
    heldOr(reigns, nameOf({ sessionId: current.sessionId, since: sinceOf(current) }), async () => {
      // Not by the one that came before: a generation that was restored has had one after it, too.
      const all = current.key === null ? [] : await generations.all(current.key);
      return reignsOf(all, current);
    });
  const keysIn = (reign: Reign): Promise<ReadonlySet<string>> =>
    heldOr(known, nameOf(reign), () => keysOf(host, reign.sessionId));
  return {
    knowing: async (current, key) => {
      const isRecent = (until: Milliseconds): boolean => clock.now() - until <= recognisedMs;
      if (!isRecent(sinceOf(current))) return null;
      for (const reign of await reignsBefore(current)) {
        if (!isRecent(reign.until)) return null;
        if ((await keysIn(reign)).has(key)) return reign.sessionId;
      }
      return null;
    },
  };
}

async function heldOr<Value extends object>(
  held: LRUCache<string, Value>,
  name: string,
  make: () => Promise<Value>,
): Promise<Value> {
  const value = held.get(name) ?? (await make());
  held.set(name, value);
  return value;
}

function nameOf({ sessionId, since }: Pick<Reign, 'sessionId' | 'since'>): string {
  return `${since} ${sessionId}`;
}

function sinceOf(record: SessionRecord): Milliseconds {
  return becameCurrentAt(record) ?? record.createdAt;
}

/** The last times before the current one, the newest first. */
function reignsOf(all: readonly SessionRecord[], current: SessionRecord): readonly Reign[] {
  let until = sinceOf(current);
  const reigns: Reign[] = [];
  for (const record of all) {
    const since = becameCurrentAt(record);
    if (since === null || record.sessionId === current.sessionId) continue;
    reigns.push({ sessionId: record.sessionId, since, until });
    until = since;
  }
  return reigns.slice(0, mostGenerations);
}

/** What a generation was told; nothing where somebody has taken its journal away. */
async function keysOf(host: Host, sessionId: string): Promise<ReadonlySet<string>> {
  try {
    await using session = await host.open(sessionId, { readOnly: true });
    const began = keyThatBegan(session.view);
    return new Set([...keysOfSession(session), ...handledIn(session.view), ...(began === null ? [] : [began])]);
  } catch (error) {
    if (VarveError.is(error, 'VARVE_STORE_MISSING')) return new Set();
    throw error;
  }
}
