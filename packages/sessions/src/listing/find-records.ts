import { type Host, listSessions, type SessionQuery, type SessionRecord } from '@varve/core';
import { becameCurrentAt, type Generations } from '../generation/generations.ts';
import { currentByKey } from './current-by-key.ts';
import { factsOfKey } from './key-facts.ts';
import type { GenerationState, SessionFilter } from './session-list-query.ts';
import { walkRecords } from './walk-records.ts';

/** What records are looked for with. */
export interface FindParts {
  readonly host: Pick<Host, 'sessions'>;
  readonly generations: Generations;
}

/** The records that a filter lets through, last updated first, with a page of the index in memory at a time. */
export async function* findRecords(
  parts: FindParts,
  filter: SessionFilter,
  options: { readonly first?: number; readonly after?: SessionQuery['after'] } = {},
): AsyncGenerator<SessionRecord, void, undefined> {
  const { agentId, key, channel, chatType, state, parentSessionKey, text, updatedAfter, updatedBefore } = filter;
  const before = updatedBefore === undefined ? undefined : { updatedAt: updatedBefore, sessionId: '' };
  const after = earliest(before, options.after);
  const query = { agentId, key, channel, chatType, state, parentSessionKey, text, after };
  const { sessionIds } = filter;
  const records =
    sessionIds === undefined
      ? walkRecords(parts.host.sessions, query, options)
      : namedRecords(parts.host.sessions, sessionIds, query);
  const { generation } = filter;
  // Asked for each key alone, an index would be looked at as often as there are sessions.
  const current = generation === undefined ? null : await currentByKey(parts.host.sessions);
  for await (const record of records) {
    // They come in the order of that moment: all others are older still.
    if (updatedAfter !== undefined && record.updatedAt < updatedAfter) return;
    if (!matchesOwn(record, filter)) continue;
    if (current === null || stateAmong(current, record) === generation) yield record;
  }
}

/** The records of some ids that a query finds, in the order of an index. */
async function* namedRecords(
  sessions: Host['sessions'],
  ids: readonly string[],
  query: SessionQuery,
): AsyncGenerator<SessionRecord, void, undefined> {
  const found: SessionRecord[] = [];
  for (const sessionId of new Set(ids)) {
    const record = await sessions.get(sessionId);
    if (record !== null) found.push(...listSessions([record], query));
  }
  yield* found.sort((a, b) => b.updatedAt - a.updatedAt || (a.sessionId < b.sessionId ? -1 : 1));
}

/** What a session is to its conversation. Asks the index only where the record itself does not say. */
export async function generationOf(generations: Generations, record: SessionRecord): Promise<GenerationState> {
  const { key, state } = record;
  if (key === null || state === 'archived') return stateAmong(new Map(), record);
  const current = await generations.current(key);
  return stateAmong(current === null ? new Map() : new Map([[key, current.sessionId]]), record);
}

/** The same where the current generations of all keys are known. */
function stateAmong(current: ReadonlyMap<string, string>, record: SessionRecord): GenerationState {
  const { key, sessionId } = record;
  if (key === null || becameCurrentAt(record) === null) return 'none';
  return current.get(key) === sessionId ? 'current' : 'earlier';
}

/** What the index itself knows nothing of. */
function matchesOwn(record: SessionRecord, filter: SessionFilter): boolean {
  const { kind, peer, identity, label, updatedBefore, tokensOver } = filter;
  if (identity !== undefined && record.identity !== identity) return false;
  if (label !== undefined && record.label !== label) return false;
  if (updatedBefore !== undefined && record.updatedAt >= updatedBefore) return false;
  if (tokensOver !== undefined && record.counters.totalTokens <= tokensOver) return false;
  if (kind === undefined && peer === undefined) return true;
  const facts = factsOfKey(record);
  if (peer !== undefined && facts.peer !== peer) return false;
  return kind === undefined || (typeof kind === 'string' ? facts.kind === kind : kind.includes(facts.kind));
}

/** Of two places in the list, the one that is further back. */
function earliest(a: SessionQuery['after'], b: SessionQuery['after']): SessionQuery['after'] {
  if (a === undefined || b === undefined) return a ?? b;
  return b.updatedAt <= a.updatedAt ? b : a;
}
