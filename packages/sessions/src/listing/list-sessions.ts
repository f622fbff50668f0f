import type { SessionRecord } from '@varve/core';
import type { Generations } from '../generation/generations.ts';
import { type FindParts, findRecords, generationOf } from './find-records.ts';
import { type ConversationKind, factsOfKey } from './key-facts.ts';
import {
  checkListQuery,
  type GenerationState,
  orderValue,
  type PageEnd,
  type SessionListQuery,
} from './session-list-query.ts';

/** A session of a list: its record, and what its key says. */
export interface ListedSession {
  readonly record: SessionRecord;
  readonly kind: ConversationKind;
  /** Whom or what the conversation is with; `null` where the kind says all. */
  readonly peer: string | null;
  /** The conversation in words, for people. */
  readonly words: string;
  readonly generation: GenerationState;
}

/** A page of a list. */
export interface SessionPage {
  readonly sessions: readonly ListedSession[];
  /** What the next page is asked for with; `null` where this is the last one. */
  readonly next: PageEnd | null;
}

const defaultLimit = 100;

/**
 * A page of the sessions that a query finds. Of a store of any size no more is in memory than a page of it: in another
 * order than that of the last update, all records are looked at, and as many are kept as the page has.
 *
 * @throws VARVE_OPTION_INVALID
 */
export async function listSessionPage(parts: FindParts, query: SessionListQuery = {}): Promise<SessionPage> {
  checkListQuery(query);
  const { sort = 'updated', reverse = false, limit = defaultLimit } = query;
  const wanted = limit + 1;
  const found = sort === 'updated' && !reverse ? await newest(parts, query, wanted) : await best(parts, query, wanted);
  const records = found.slice(0, limit);
  const last = found.length > limit ? records.at(-1) : undefined;
  const asked = { ...parts, generations: askedOnce(parts.generations) };
  const sessions: ListedSession[] = [];
  for (const record of records) sessions.push(await listed(asked, record));
  return { sessions, next: last === undefined ? null : endAt(last, sort) };
}

/** The first ones in the order of the index. */
async function newest(parts: FindParts, query: SessionListQuery, wanted: number): Promise<readonly SessionRecord[]> {
  const { after } = query;
  const records: SessionRecord[] = [];
  const place = after === undefined ? undefined : { updatedAt: after.value, sessionId: after.sessionId };
  for await (const record of findRecords(parts, query, { first: wanted, ...(place && { after: place }) })) {
    records.push(record);
    if (records.length === wanted) break;
  }
  return records;
}

/** The first ones in another order: of all that are looked at, the best are kept. */
async function best(parts: FindParts, query: SessionListQuery, wanted: number): Promise<readonly SessionRecord[]> {
  const { sort = 'updated', reverse = false, after } = query;
  const kept: { readonly record: SessionRecord; readonly end: PageEnd }[] = [];
  for await (const record of findRecords(parts, query)) {
    const end = endAt(record, sort);
    if (after !== undefined && compareEnds(after, end, reverse) >= 0) continue;
    const last = kept.at(-1);
    if (kept.length === wanted && last !== undefined && compareEnds(last.end, end, reverse) < 0) continue;
    kept.splice(placeOf(kept, end, reverse), 0, { record, end });
    if (kept.length > wanted) kept.pop();
  }
  return kept.map(({ record }) => record);
}

/** Where an end belongs among those that are in order. */
function placeOf(kept: readonly { readonly end: PageEnd }[], end: PageEnd, reverse: boolean): number {
  let [from, to] = [0, kept.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    const other = kept[middle];
    if (other !== undefined && compareEnds(other.end, end, reverse) < 0) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** The greatest first, or the least; of the same value by id, so that every machine lists alike. */
function compareEnds(a: PageEnd, b: PageEnd, reverse: boolean): number {
  if (a.value !== b.value) return reverse ? a.value - b.value : b.value - a.value;
  if (a.sessionId === b.sessionId) return 0;
  return a.sessionId < b.sessionId ? -1 : 1;
}

function endAt(record: SessionRecord, sort: NonNullable<SessionListQuery['sort']>): PageEnd {
  return { value: orderValue(record, sort), sessionId: record.sessionId };
}

/** A page may have many generations of one conversation: the index is asked about each conversation once. */
function askedOnce(generations: Generations): Generations {
  const known = new Map<string, Promise<SessionRecord | null>>();
  return {
    ...generations,
    current: (keyText) => {
      const asked = known.get(keyText) ?? generations.current(keyText);
      known.set(keyText, asked);
      return asked;
    },
  };
}

async function listed({ generations }: FindParts, record: SessionRecord): Promise<ListedSession> {
  const { kind, peer, words } = factsOfKey(record);
  return { record, kind, peer, words, generation: await generationOf(generations, record) };
}
