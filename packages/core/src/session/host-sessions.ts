import { runtimeOfSession } from './ask/runtime-of-session.ts';
import { existsError, type ForkMeans, writeFork } from './fork/fork.ts';
import type { Host } from './host.ts';
import { checkSessionId } from './host-option-checks.ts';
import { type CheckedOpening, checkFork, checkOpen } from './open-options.ts';
import type { OpenSessionOptions } from './open-session.ts';
import type { OpenSessions } from './open-sessions.ts';
import { liveRecords } from './record/live-records.ts';
import type { Session } from './session.ts';

/** What a host opens its sessions with. */
interface HostSessionsOptions extends Omit<ForkMeans, 'source'> {
  readonly sessions: OpenSessions;
  /** @throws VARVE_SESSION_CLOSED  when the host has been closed. */
  refuseClosed(): void;
  begin(sessionId: string, how: CheckedOpening & Pick<OpenSessionOptions, 'onClose' | 'isBegun'>): Promise<Session>;
}

/** The part of a host that is about its sessions. */
export function hostSessions(options: HostSessionsOptions): Pick<Host, 'sessions' | 'open' | 'fork'> {
  const { sessions, store, clock, refuseClosed, begin } = options;
  return {
    sessions: liveRecords({
      index: store.sessions,
      clock,
      open: sessions,
      keeperOf: async (sessionId) => {
        const session = await sessions.whenOpen(sessionId);
        return session === null ? null : runtimeOfSession(session).record;
      },
    }),
    open: async (sessionId, given = {}) => {
      checkSessionId(sessionId);
      const opening = checkOpen(given);
      const { readOnly, names } = opening;
      const again = (session: Session): void => {
        if (!readOnly) runtimeOfSession(session).record.narrow(names);
      };
      const how = {
        begin: (onClose: OpenSessionOptions['onClose']) => begin(sessionId, { ...opening, onClose }),
        again,
      };
      return sessions.open({ sessionId, readOnly }, how);
    },
    fork: async (sessionId, given) => {
      checkSessionId(sessionId);
      const fork = checkFork(given);
      const { newSessionId } = fork;
      const source = await sessions.whenOpen(sessionId);
      const again = (): never => {
        throw existsError(newSessionId);
      };
      const beginFork = async (onClose: OpenSessionOptions['onClose']): Promise<Session> => {
        refuseClosed();
        await writeFork(sessionId, fork, { ...options, source });
        return begin(newSessionId, { ...fork, beginning: [], isBegun: true, onClose });
      };
      return sessions.open({ sessionId: newSessionId, readOnly: false }, { begin: beginFork, again });
    },
  };
}
