import type { ForkOrigin } from '../journal/session-record.ts';
import type { JournalHeader } from '../journal/store.ts';
import type { Milliseconds } from '../units.ts';
import type { SessionNames } from './record/session-record-keeper.ts';

/** The header of a journal that is begun. */
export function newHeader(
  sessionId: string,
  about: {
    readonly names: SessionNames;
    readonly previousSessionId: string | undefined;
    readonly forkedFrom?: ForkOrigin | undefined;
    readonly now: Milliseconds;
  },
): JournalHeader {
  const { names, previousSessionId, forkedFrom, now } = about;
  const { key, agentId } = names;
  return {
    v: 1,
    sessionId,
    createdAt: now,
    ...(agentId === undefined ? {} : { agentId }),
    ...(key === undefined ? {} : { key }),
    ...(previousSessionId === undefined ? {} : { previousSessionId }),
    ...(forkedFrom === undefined ? {} : { forkedFrom }),
  };
}
