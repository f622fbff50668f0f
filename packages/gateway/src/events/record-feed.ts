import type { Host, Milliseconds, SessionRecord } from '@varve/core';

/** Tells of sessions whose records have changed, whoever changed them. */
export interface RecordFeed {
  /** Calls back with each record that has changed, the last updated last, and at first with some that have not. Gives what ends it. */
  listen(listener: (record: SessionRecord) => void): () => void;
  /** The records that were updated after a moment, the last updated last; `null` for more than are told one by one. */
  since(moment: Milliseconds): Promise<readonly SessionRecord[] | null>;
  /** Listens no longer. */
  close(): void;
}

/** What records are followed with. */
export interface RecordFeedParts {
  readonly host: Host;
  readonly pollMs: Milliseconds;
}

/** Records that are read at a time, and that are told one by one to somebody who comes back. */
const pageRecords = 200;
const mostRecords = 2_000;

/** Clocks of machines differ: so far back it is looked whether something was missed. */
const skewMs = 5_000;

/** What happens at once is told at once, but not more often. */
const leastGapMs = 200;

/** Makes it. It looks while anybody listens: at once when something happens in this process, and now and then. */
export function createRecordFeed({ host, pollMs }: RecordFeedParts): RecordFeed {
  const listeners = new Set<(record: SessionRecord) => void>();
  const changes = createRecordChanges(host);
  let timer: NodeJS.Timeout | null = null;
  let isSoon = false;
  let isLooking = false;
  const look = async (): Promise<void> => {
    if (isLooking) return;
    isLooking = true;
    try {
      for (const record of await changes.next()) for (const listener of listeners) listener(record);
    } catch {
      // What cannot be read now is looked at again.
    } finally {
      isLooking = false;
      plan(pollMs);
    }
  };
  const plan = (ms: Milliseconds): void => {
    if (timer !== null) clearTimeout(timer);
    if (listeners.size === 0) return;
    timer = setTimeout(() => {
      isSoon = false;
      void look();
    }, ms);
    timer.unref();
  };
  const soon = (): void => {
    if (isSoon || listeners.size === 0) return;
    isSoon = true;
    plan(leastGapMs);
  };
  const subscriptions = told.map((name) => host.events.on(name, soon));
  return {
    listen: (listener) => {
      listeners.add(listener);
      if (listeners.size === 1) plan(0);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) changes.forget();
      };
    },
    since: (moment) => recordsSince(host, moment - skewMs),
    close: () => {
      listeners.clear();
      if (timer !== null) clearTimeout(timer);
      for (const unsubscribe of subscriptions) unsubscribe();
    },
  };
}

/** What happens in this process that changes a record. */
const told = [
  'entry-appended',
  'session-created',
  'session-reset',
  'session-restored',
  'session-archived',
  'session-forked',
] as const;

interface RecordChanges {
  /** The records that have changed since the last time, the last updated last. */
  next(): Promise<readonly SessionRecord[]>;
  /** Begins anew. */
  forget(): void;
}

function createRecordChanges(host: Host): RecordChanges {
  const known = new Map<string, { readonly print: string; readonly updatedAt: Milliseconds }>();
  let lookedAt: Milliseconds | null = null;
  return {
    next: async () => {
      const from: Milliseconds = (lookedAt ?? host.clock.now()) - skewMs;
      const found = (await recordsSince(host, from)) ?? [];
      const changed = found.filter((record) => known.get(record.sessionId)?.print !== printOf(record));
      for (const record of changed)
        known.set(record.sessionId, { print: printOf(record), updatedAt: record.updatedAt });
      const last = Math.max(from, found.at(-1)?.updatedAt ?? 0);
      lookedAt = last;
      for (const [sessionId, { updatedAt }] of known) if (updatedAt < last - skewMs) known.delete(sessionId);
      return changed;
    },
    forget: () => {
      lookedAt = null;
      known.clear();
    },
  };
}

/** `null` for more than are told one by one. */
async function recordsSince(host: Host, moment: Milliseconds): Promise<readonly SessionRecord[] | null> {
  const found: SessionRecord[] = [];
  for (;;) {
    const after = found.at(-1);
    const page = await host.sessions.list({ limit: pageRecords, ...(after && { after }) });
    const fresh = page.filter(({ updatedAt }) => updatedAt > moment);
    found.push(...fresh);
    if (fresh.length < page.length || page.length < pageRecords) return found.reverse();
    if (found.length >= mostRecords) return null;
  }
}

/** Changes with everything that is shown of a record. */
function printOf({ rev, state, updatedAt, counters }: SessionRecord): string {
  return `${rev}:${state}:${updatedAt}:${counters.countedSeq}`;
}
