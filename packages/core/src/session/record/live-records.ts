import { z } from 'zod';
import type { Clock } from '../../clock.ts';
import { VarveError } from '../../errors.ts';
import { defaultSessions, listSessions, mostSessions } from '../../journal/session-listing.ts';
import type { SessionIndex, SessionQuery, SessionRecord } from '../../journal/session-record.ts';
import { checkOptionNames, type OptionNames } from '../known-options.ts';
import type { OpenSessions } from '../open-sessions.ts';
import { checkShape } from '../option-checks.ts';
import type { PatchableRecord, SessionRecordKeeper } from './session-record-keeper.ts';

/** The records of all sessions: those that this host has open as they are now, all others as they are stored. */
export interface SessionRecords extends Pick<SessionIndex, 'get' | 'list'> {
  /**
   * Changes a record, whether or not its session is open here, on top of whatever others change at the same time; durable
   * as far as the store promises it when it resolves to the record as it is then. To archive an open session neither
   * closes it nor keeps anybody from opening it: that is the caller's.
   *
   * @throws VARVE_STORE_MISSING  for a session without a record; VARVE_STORE_CONFLICT, VARVE_STORE_IO,
   *   VARVE_OPTION_INVALID
   */
  patch(sessionId: string, patch: PatchableRecord): Promise<SessionRecord>;
}

/** What records are read and changed with. */
export interface LiveRecordsOptions {
  readonly index: SessionIndex;
  readonly clock: Clock;
  /** The sessions that are open for writing. */
  readonly open: Pick<OpenSessions, 'ids' | 'record' | 'records'>;
  /** Who keeps the record of a session that is open for writing, or is being opened; `null` when there is nobody. */
  keeperOf(sessionId: string): Promise<SessionRecordKeeper | null>;
}

/** How often a change that lost a race is made again. */
const retries = 32;

const queryNames: OptionNames<SessionQuery> = {
  agentId: true,
  key: true,
  channel: true,
  chatType: true,
  state: true,
  parentSessionKey: true,
  text: true,
  limit: true,
  after: true,
};

const patchNames: OptionNames<PatchableRecord> = { state: true, label: true, displayName: true, currentSince: true };

const isLimit = (value: unknown): boolean => typeof value === 'number' && value >= 0;

const querySchema: z.ZodType = z.object({
  agentId: z.string().optional(),
  key: z.string().optional(),
  channel: z.string().optional(),
  chatType: z.enum(['direct', 'group', 'channel']).nullish(),
  state: z.enum(['open', 'archived']).optional(),
  parentSessionKey: z.string().optional(),
  text: z.string().optional(),
  limit: z.custom(isLimit, { error: 'it must be a number from 0' }).optional(),
  after: z.looseObject({ updatedAt: z.number(), sessionId: z.string() }).optional(),
} satisfies Record<keyof SessionQuery, z.ZodType>);

const patchSchema: z.ZodType = z.object({
  state: z.enum(['open', 'archived']).optional(),
  label: z.string().nullish(),
  displayName: z.string().nullish(),
  currentSince: z.number().nullish(),
} satisfies Record<keyof PatchableRecord, z.ZodType>);

const idSchema: z.ZodType = z.object({ sessionId: z.string() });

/** Reads and changes an index, with the records of open sessions in the place of what is stored of them. */
export function liveRecords(options: LiveRecordsOptions): SessionRecords {
  const { index, open, keeperOf } = options;
  return {
    get: async (sessionId) => {
      checkShape({ sessionId }, { schema: idSchema, fix: 'Give the id as a text.' });
      return open.record(sessionId) ?? index.get(sessionId);
    },
    list: async (query = {}) => {
      checkShape(query, { schema: querySchema, fix: 'Give what the type SessionQuery describes.' });
      checkOptionNames(query, { what: 'sessions.list', names: queryNames });
      const live = open.records(query.key);
      const stored = await storedRecords(index, { query, isLive: open.ids() });
      return listSessions([...live, ...stored], query);
    },
    patch: async (sessionId, given) => {
      checkShape({ sessionId }, { schema: idSchema, fix: 'Give the id as a text.' });
      checkShape(given, {
        schema: patchSchema,
        fix: 'Give { state, label, displayName, currentSince }, or some of them.',
      });
      checkOptionNames(given, { what: 'sessions.patch', names: patchNames });
      const patch = { ...given };
      const keeper = await keeperOf(sessionId);
      return keeper === null ? patchStored(options, sessionId, patch) : keeper.patch(patch);
    },
  };
}

/** Changes the record of a session that is not open here. Somebody else's change that came first is kept. */
async function patchStored(
  { index, clock }: LiveRecordsOptions,
  sessionId: string,
  patch: PatchableRecord,
): Promise<SessionRecord> {
  for (let tried = 0; ; tried += 1) {
    const known = await index.get(sessionId);
    if (known === null) throw missingError(sessionId);
    const { rev: expectedRev } = known;
    const updatedAt = Math.max(known.updatedAt, clock.now());
    try {
      return await index.put(sessionId, { ...patch, updatedAt }, { expectedRev });
    } catch (error) {
      if (!VarveError.is(error, 'VARVE_STORE_CONFLICT') || tried >= retries) throw error;
    }
  }
}

function missingError(sessionId: string): VarveError {
  return new VarveError('VARVE_STORE_MISSING', `There is no record of session "${sessionId}".`, {
    fix: 'Check the session id, or open the session: that begins it, and makes its record.',
    details: { sessionId },
  });
}

/** As many records of other sessions as the page can hold: an open session may stand elsewhere than the store thinks. */
async function storedRecords(
  index: SessionIndex,
  { query, isLive }: { readonly query: SessionQuery; readonly isLive: ReadonlySet<string> },
): Promise<readonly SessionRecord[]> {
  const { limit = defaultSessions } = query;
  const wanted = Math.min(limit, mostSessions);
  const pageSize = Math.min(wanted + isLive.size, mostSessions);
  const stored: SessionRecord[] = [];
  let { after } = query;
  while (stored.length < wanted) {
    const page = await index.list({ ...query, limit: pageSize, after });
    stored.push(...page.filter((record) => !isLive.has(record.sessionId)));
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) break;
    after = last;
  }
  return stored;
}
