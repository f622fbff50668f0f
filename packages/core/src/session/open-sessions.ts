import type { SessionRecord } from '../journal/session-record.ts';
import type { Session } from './session.ts';

/** Which session, and whether it is one that is only looked at: that is another one each time, beside all others. */
interface SessionPlace {
  readonly sessionId: string;
  readonly readOnly: boolean;
}

/** The sessions that a host has open. */
export interface OpenSessions {
  /**
   * The session that is open there for writing, which `again` is told, or a new one. `begin` is told to call back when its session is
   * being closed; it is not called before a close that is under way has ended.
   */
  open(
    place: SessionPlace,
    how: {
      begin(onClose: (closing: Promise<void>) => void): Promise<Session>;
      again(session: Session): void;
    },
  ): Promise<Session>;
  /** The session that is open there for writing, when it is open; `null` when none is, or is being closed any more. */
  whenOpen(sessionId: string): Promise<Session | null>;
  /** Ids of those that are open for writing. */
  ids(): ReadonlySet<string>;
  /** The record of one that is open for writing, as it is now; `null` where it is not open. */
  record(sessionId: string): SessionRecord | null;
  /** The records of those that are open for writing, as they are now. @param key  Of those that may have that key. */
  records(key?: string): readonly SessionRecord[];
  /** Closes all of them, and says how that went. */
  closeAll(): Promise<readonly PromiseSettledResult<void>[]>;
}

/** One session, from when it is asked for until it is closed. */
interface Opened {
  readonly opening: Promise<Session>;
  /** `null` until it is open. */
  session: Session | null;
  /** `null` until it is being closed; settles when that is over, and never rejects. */
  closing: Promise<void> | null;
}

type Begin = (onClose: (closing: Promise<void>) => void) => Promise<Session>;

/** Where a session is kept while it is open. */
interface Place {
  enter(opened: Opened): void;
  leave(opened: Opened): void;
}

/** Makes the sessions of a host that has none open. */
export function createOpenSessions(): OpenSessions {
  const writing = new Map<string, Opened>();
  const reading = new Set<Opened>();
  const beginIn = (begin: Begin, { enter, leave }: Place): Promise<Session> => {
    const left = (): void => leave(opened);
    const opening = begin((closing) => {
      opened.closing ??= closing.then(left, left);
    });
    const opened: Opened = { opening, session: null, closing: null };
    enter(opened);
    opening.then((session) => {
      opened.session = session;
    }, left);
    return opening;
  };
  return {
    open: async ({ sessionId, readOnly }, { begin, again }) => {
      if (readOnly) {
        return beginIn(begin, { enter: (opened) => reading.add(opened), leave: (opened) => reading.delete(opened) });
      }
      let known = writing.get(sessionId);
      while (known !== undefined && known.closing !== null) {
        await known.closing;
        known = writing.get(sessionId);
      }
      if (known !== undefined) {
        const session = await known.opening;
        again(session);
        return session;
      }
      return beginIn(begin, {
        enter: (opened) => writing.set(sessionId, opened),
        leave: (opened) => {
          if (writing.get(sessionId) === opened) writing.delete(sessionId);
        },
      });
    },
    whenOpen: async (sessionId) => {
      let known = writing.get(sessionId);
      while (known !== undefined && known.closing !== null) {
        await known.closing;
        known = writing.get(sessionId);
      }
      return (await known?.opening.catch(() => null)) ?? null;
    },
    ids: () => idsOf(writing),
    record: (sessionId) => writing.get(sessionId)?.session?.info() ?? null,
    records: (key) => recordsOf(writing.values(), key),
    closeAll: async () => {
      const all = [...writing.values(), ...reading.values()];
      const opened = await Promise.allSettled(all.map(({ opening }) => opening));
      const closed = opened.flatMap((result) => (result.status === 'fulfilled' ? [result.value.close()] : []));
      return Promise.allSettled(closed);
    },
  };
}

function idsOf(sessions: ReadonlyMap<string, Opened>): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const [sessionId, { session }] of sessions) if (session !== null) ids.add(sessionId);
  return ids;
}

function recordsOf(opened: Iterable<Opened>, key: string | undefined): readonly SessionRecord[] {
  const records: SessionRecord[] = [];
  for (const { session } of opened) {
    // A record is made anew each time: of a key there are few, and of all there may be hundreds.
    // One that was begun without a key may have one in its record alone.
    const isAsked = session !== null && (key === undefined || session.view.key === key || session.view.key === null);
    if (isAsked) records.push(session.info());
  }
  return records;
}
