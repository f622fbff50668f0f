import { z } from 'zod';
import { defaultSessions, listSessions, mostSessions } from '../../journal/session-listing.ts';
import type { SessionIndex, SessionQuery, SessionRecord } from '../../journal/session-record.ts';
import { checkOptionNames, type OptionNames } from '../known-options.ts';
import { checkShape } from '../option-checks.ts';

/** The records of all sessions: those that this host has open as they are now, all others as they are stored. */
export type SessionRecords = Pick<SessionIndex, 'get' | 'list'>;

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

/** Reads an index with the records of open sessions in the place of what is stored of them. */
export function liveRecords(index: SessionIndex, open: () => readonly SessionRecord[]): SessionRecords {
  return {
    get: async (sessionId) => {
      checkShape({ sessionId }, { schema: z.object({ sessionId: z.string() }), fix: 'Give the id as a text.' });
      return open().find((record) => record.sessionId === sessionId) ?? index.get(sessionId);
    },
    list: async (query = {}) => {
      checkShape(query, { schema: querySchema, fix: 'Give what the type SessionQuery describes.' });
      checkOptionNames(query, { what: 'sessions.list', names: queryNames });
      const live = open();
      const isLive = new Set(live.map((record) => record.sessionId));
      const stored = await storedRecords(index, { query, isLive });
      return listSessions([...live, ...stored], query);
    },
  };
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
