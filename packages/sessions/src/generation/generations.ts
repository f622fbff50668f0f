import { type Host, type Milliseconds, mostSessions, type SessionRecord } from '@varve/core';

/** Finds the generations of conversations: the sessions that bore one key, one after the other. */
export interface Generations {
  /** The one that goes on: open, and made current last. `null` where there is none. */
  current(keyText: string): Promise<SessionRecord | null>;
  /** All of a key, current since last first; those that never were come last. */
  all(keyText: string): Promise<readonly SessionRecord[]>;
}

/** Reads generations out of a host's records. Nothing is remembered: another process may have begun one. */
export function createGenerations(host: Pick<Host, 'sessions'>): Generations {
  const all = async (keyText: string): Promise<readonly SessionRecord[]> => {
    const found: SessionRecord[] = [];
    let after: SessionRecord | undefined;
    do {
      const page: readonly SessionRecord[] = await host.sessions.list({ key: keyText, limit: mostSessions, after });
      found.push(...page);
      after = page.length < mostSessions ? undefined : page.at(-1);
    } while (after !== undefined);
    return found.sort(byCurrency);
  };
  return { all, current: async (keyText) => currentOf(await all(keyText)) };
}

/** The one of a key's generations that goes on; they stand in the order of {@link Generations.all}. */
export function currentOf(generations: readonly SessionRecord[]): SessionRecord | null {
  return generations.find((record) => record.state === 'open' && becameCurrentAt(record) !== null) ?? null;
}

/** The one of a key's generations that was current last, whether or not it still is; in that order, too. */
export function lastCurrentOf(generations: readonly SessionRecord[]): SessionRecord | null {
  return generations.find((record) => becameCurrentAt(record) !== null) ?? null;
}

/**
 * Since when a generation has been, or was, the current one of its key; `null` for one that never was: its beginning was
 * cut short before anything was said in it. Of a record that was made anew from the journal, and of a session that was
 * begun without generations, it is when it was begun.
 */
export function becameCurrentAt({ currentSince, counters, createdAt, forkedFrom }: SessionRecord): Milliseconds | null {
  if (currentSince !== null) return currentSince;
  const isWhole = forkedFrom === null || counters.countedSeq >= forkedFrom.seq;
  return isWhole && counters.messages > 0 ? createdAt : null;
}

/** The newest first. Two of the same moment have an order too, so that every process takes the same one. */
function byCurrency(a: SessionRecord, b: SessionRecord): number {
  const [left, right] = [becameCurrentAt(a) ?? -1, becameCurrentAt(b) ?? -1];
  if (left !== right) return right - left;
  return a.sessionId < b.sessionId ? 1 : -1;
}
