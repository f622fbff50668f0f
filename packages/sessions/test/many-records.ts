import { createHost, type Host, memoryStore, type SessionPatch, type Store } from '@varve/core';
import { createSessions, type Sessions } from '@varve/sessions';
import { type ManualClock, manualClock } from '@varve/testkit';

/** Conversations over a store in memory, with a clock that stands still. */
export interface Conversations extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly store: Store;
  readonly host: Host;
  readonly sessions: Sessions;
  /** Puts a record into the index, with no journal behind it. */
  put(sessionId: string, patch: SessionPatch): Promise<unknown>;
}

/** Makes them. Session ids count up, in the form of UUIDs. */
export async function conversations(): Promise<Conversations> {
  const clock = manualClock();
  const store = memoryStore();
  const host = await createHost({ store, clock });
  let ids = 0;
  const sessions = createSessions({ host, randomId: () => idOf(++ids) });
  return {
    clock,
    store,
    host,
    sessions,
    put: (sessionId, patch) => store.sessions.put(sessionId, patch, { expectedRev: 0 }),
    [Symbol.asyncDispose]: async () => {
      await sessions.close();
      await host.close();
    },
  };
}

/** The UUID with a number. */
export function idOf(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}
