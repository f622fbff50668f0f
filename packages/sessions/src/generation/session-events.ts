import type { EventBase, SessionRecord } from '@varve/core';

/** What is told of the lives of sessions, on the bus of the host. Each comes when what it tells of is durable. */
export interface LifecycleEvents {
  /** A generation that was there already was opened. */
  'session-woken': EventBase;
  /** Somebody works with the session, and nobody did before. */
  'session-activated': EventBase;
  /** Nobody works with the session any more. */
  'session-rested': EventBase;
  /** The session was closed until somebody needs it; `reason` is `idle`, `room` or `asked`. */
  'session-hibernated': EventBase & { readonly reason: string };
  /** The conversation has a new generation, which is this session. */
  'session-reset': EventBase & {
    readonly previousSessionId: string | null;
    /** A word for programs: `daily`, `idle`, `command` for a trigger, or what the host gave. */
    readonly reason: string;
    /** Who asked for it; `null` where nobody did. */
    readonly by: string | null;
  };
  /** An earlier generation of the conversation, which is this session, goes on. */
  'session-restored': EventBase & { readonly previousSessionId: string | null };
  /** The session was put away. It can be read, listed and restored. */
  'session-archived': EventBase & { readonly reason: string };
  /** The session was deleted, with its journal: what is said of it here is all that is left. */
  'session-deleted': EventBase & { readonly reason: string };
  /** A conversation was begun, which is this session, with what another one holds. */
  'session-forked': EventBase & { readonly fromSessionId: string };
}

declare module '@varve/core' {
  interface LiveEvents extends LifecycleEvents {}
}

/** What every event of a session says, out of its record. */
export function eventBaseOf(record: SessionRecord): EventBase {
  const { sessionId, key, agentId, parentSessionKey, label, displayName } = record;
  return { sessionId, sessionKey: key, agentId, parentSessionKey, label, displayName };
}
