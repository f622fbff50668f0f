import { type Host, mostSessions, type SessionQuery, type SessionRecord } from '@varve/core';

/**
 * The records that a query finds, last updated first, a page in memory at a time. One that is updated meanwhile moves to
 * the front, where the walk has been already: it may be missed, and none comes twice.
 *
 * @param options.first  Records of the first page; the pages grow from there. @default as many as one may have
 */
export async function* walkRecords(
  sessions: Host['sessions'],
  query: Omit<SessionQuery, 'limit'> = {},
  { first = mostSessions }: { readonly first?: number } = {},
): AsyncGenerator<SessionRecord, void, undefined> {
  let { after } = query;
  for (let limit = Math.min(first, mostSessions); ; limit = Math.min(limit * 2, mostSessions)) {
    const page = await sessions.list({ ...query, limit, after });
    yield* page;
    after = page.at(-1);
    if (page.length < limit || after === undefined) return;
  }
}
