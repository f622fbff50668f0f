import {
  type CompactionEntry,
  describeKey,
  type Entry,
  type JsonValue,
  nameOfModel,
  type PartsHealth,
  parseKey,
  type SessionPressure,
  type SessionRecord,
  VarveError,
} from '@varve/core';
import type { ChildFacts, GenerationState, LiveState } from '@varve/sessions';
import { z } from 'zod';
import type { GatewayParts } from '../gateway-parts.ts';
import { readEntries } from '../journal/read-entries.ts';
import { requestError } from '../problem/problem.ts';
import { defineRoute, type Route } from '../route/route.ts';
import type { RequestSummary } from '../session/request-index.ts';
import { resolveSession } from '../session/resolve-session.ts';
import { lookAt } from '../session/work-with-session.ts';
import { type EntryShape, entryShape } from '../shapes/entry-shapes.ts';
import { numberIn, sessionPath, sessionPathWith } from '../shapes/parameters.ts';
import { recordShape } from '../shapes/session-shapes.ts';
import { shapeOf } from '../shapes/shape-of.ts';

const finding = z.looseObject({
  name: z.string().describe('Plugin or engine.'),
  where: z.string(),
  isFailing: z.boolean(),
  failures: z.int(),
  lastError: z.string(),
});

/** All that is known of a session. */
interface ShownSession {
  readonly record: SessionRecord;
  readonly words: string;
  readonly generation: GenerationState;
  readonly generations: readonly string[];
  readonly live: LiveState['state'] | null;
  readonly model: string | null;
  readonly settings: Readonly<Record<string, JsonValue>>;
  readonly compaction: CompactionEntry | null;
  readonly pressure: SessionPressure | null;
  readonly health: PartsHealth;
  readonly children: readonly ChildFacts[];
}

const shown = z.strictObject({
  record: recordShape,
  words: z.string().describe('The conversation in words.'),
  generation: z.enum(['current', 'earlier', 'none']),
  generations: z.array(z.string()).describe('Ids of all generations of its conversation, current since last first.'),
  live: z.enum(['active', 'idle', 'compacting']).nullable(),
  model: z.string().nullable().describe('The model that would answer, as `provider/model`.'),
  settings: z.record(z.string(), z.unknown()),
  compaction: entryShape.nullable().describe('The compaction whose summary is shown.'),
  pressure: z
    .looseObject({ tokens: z.number(), level: z.string(), budget: z.looseObject({}) })
    .nullable()
    .describe('How large the next prompt would be.'),
  health: z.looseObject({ ok: z.boolean(), findings: z.array(finding) }),
  children: z.array(z.looseObject({})).describe('Its sub-agents.'),
});

const entriesQuery = z.strictObject({
  after: numberIn({ least: 0 }).optional().describe('Seq: entries behind it, or before it with `order=desc`.'),
  limit: numberIn({ least: 1, most: 1_000 }).optional().describe('Default: 100.'),
  types: z.string().max(500).optional().describe('With commas: `message,compaction`. Default: all.'),
  order: z.enum(['asc', 'desc']).optional().describe('Default: asc, the oldest first.'),
});

const summary = z.looseObject({
  request: z.int().describe('Its number, from 1.'),
  seq: z.int(),
  at: z.number(),
  turnId: z.string(),
  model: z.string(),
  budget: z.number().nullable(),
  tokens: z.number(),
  reserved: z.number(),
  firstChangedByte: z.number().nullable(),
  layers: z.array(z.strictObject({ id: z.string(), place: z.string(), tokens: z.number() })).readonly(),
  noteTokens: z.number(),
  changes: z.record(z.string(), z.number()).describe('How many entries got each verdict with it.').readonly(),
  marks: z
    .array(z.strictObject({ type: z.enum(['compaction', 'revoke', 'head']), seq: z.int() }))
    .describe('What happened since the request before.')
    .readonly(),
  usage: z.looseObject({}).nullable().describe('What the provider reported for its answer.'),
});

const defaultPage = 100;

/** Each stretch that is looked through is so many times as long as the one behind it. */
const stretchGrowth = 4;

/** One session: what is known of it, its journal, its requests. */
export const sessionRoutes: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/sessions/{session}',
    id: 'showSession',
    tag: 'sessions',
    access: 'viewer',
    summary: 'All that is known of a session',
    params: sessionPath,
    problems: [404],
    answer: { what: 'The session.', schema: shapeOf<ShownSession>(shown) },
    handle: async ({ parts, params }) => showSession(parts, await resolveSession(parts, params.session)),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/sessions/{session}/entries',
    id: 'entries',
    tag: 'sessions',
    access: 'viewer',
    summary: 'Entries of the journal, a page at a time',
    description:
      'Of a journal with few entries of the types, a page may have less than `limit`, or none, and still a `next`.',
    params: sessionPath,
    query: entriesQuery,
    problems: [404],
    answer: {
      what: 'A page.',
      schema: z.strictObject({
        sessionId: z.string(),
        entries: z.array(entryShape),
        next: z.int().nullable().describe('`after` of the next page; `null` where there is none by now.'),
      }),
    },
    handle: async ({ parts, params, query }) => entriesPage(parts, await resolveSession(parts, params.session), query),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/sessions/{session}/requests',
    id: 'requests',
    tag: 'context',
    access: 'viewer',
    summary: 'The requests of a session in short: a column each',
    params: sessionPath,
    query: z.strictObject({
      after: numberIn({ least: 0 }).optional().describe('Number of a request. Default: the last `limit` ones.'),
      limit: numberIn({ least: 1, most: 2_000 }).optional().describe('Default: 200.'),
    }),
    problems: [404],
    answer: {
      what: 'A page, the oldest first.',
      schema: z.strictObject({
        sessionId: z.string(),
        total: z.int(),
        requests: z.array(shapeOf<RequestSummary>(summary)).readonly(),
      }),
    },
    handle: async ({ parts, params, query: { after, limit = 200 } }) => {
      const { sessionId } = await resolveSession(parts, params.session);
      const all = await parts.requests.of(sessionId);
      const from = after ?? Math.max(0, all.length - limit);
      return { sessionId, total: all.length, requests: all.slice(from, from + limit) };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/sessions/{session}/compactions/{compaction}',
    id: 'expand',
    tag: 'sessions',
    access: 'viewer',
    summary: 'The entries that a compaction covers, whole',
    params: sessionPathWith('compaction', 'Id of the compaction.'),
    query: z.strictObject({
      after: numberIn({ least: 0 }).optional().describe('Seq: entries behind it.'),
      limit: numberIn({ least: 1, most: 1_000 }).optional().describe('Default: 100.'),
    }),
    problems: [404],
    answer: {
      what: 'A page.',
      schema: z.strictObject({ entries: z.array(entryShape), next: z.int().nullable() }),
    },
    handle: async ({ parts, params, query: { after = 0, limit = 100 } }) =>
      lookAt(parts, await resolveSession(parts, params.session), async (session) => {
        const entries: Entry[] = [];
        for await (const entry of session.expand(params.compaction)) {
          if (entry.seq <= after) continue;
          if (entries.length === limit) return { entries, next: entries.at(-1)?.seq ?? null };
          entries.push(entry);
        }
        return { entries, next: null };
      }),
  }),
];

async function showSession(parts: GatewayParts, record: SessionRecord): Promise<ShownSession> {
  const { sessions } = parts;
  const { key, sessionId } = record;
  const generations = key === null ? [] : await sessions.generations(key);
  const states = sessions.states();
  const state = states.find((one) => one.sessionId === sessionId)?.state ?? null;
  const known = {
    words: key === null ? '' : describeKey(parseKey(key)),
    generation: await generationOf(parts, record),
    generations: generations.map((one) => one.sessionId),
    live: state,
    children: key === null ? [] : await sessions.children(key),
  };
  try {
    const looked = await lookAt(parts, record, async (session) => {
      const model = sessions.modelOf(session);
      return {
        record: session.info(),
        model: model === null ? null : nameOfModel(model),
        settings: session.view.settings,
        compaction: session.view.compaction(),
        pressure: model === null ? null : session.pressure({ model }),
        health: session.health(),
      };
    });
    const own = state === null || key === null ? null : await sessions.join(key, async (session) => session.health());
    return { ...known, ...looked, ...(own === null ? {} : { health: own }) };
  } catch (error) {
    if (!VarveError.is(error, 'VARVE_STORE_MISSING')) throw error;
    const health = { ok: true, findings: [] };
    return { ...known, record, model: null, settings: {}, compaction: null, pressure: null, health };
  }
}

async function generationOf({ sessions }: GatewayParts, record: SessionRecord): Promise<GenerationState> {
  const { key, sessionId, currentSince } = record;
  if (key === null) return 'none';
  if ((await sessions.current(key))?.sessionId === sessionId) return 'current';
  return currentSince === null ? 'none' : 'earlier';
}

type EntriesQuery = z.infer<typeof entriesQuery>;

interface EntriesPage {
  readonly sessionId: string;
  readonly entries: EntryShape[];
  readonly next: number | null;
}

async function entriesPage(parts: GatewayParts, record: SessionRecord, query: EntriesQuery): Promise<EntriesPage> {
  const { types, order = 'asc' } = query;
  const wanted = types === undefined ? null : typesIn(types);
  const isWanted = ({ type }: Entry): boolean => wanted === null || wanted.has(type);
  return order === 'asc'
    ? firstEntries(parts, record, { query, isWanted })
    : lastEntries(parts, record, { query, isWanted });
}

interface Paging {
  readonly query: EntriesQuery;
  isWanted(entry: Entry): boolean;
}

async function firstEntries(
  { store, limits }: GatewayParts,
  { sessionId }: SessionRecord,
  { query: { after = 0, limit = defaultPage }, isWanted }: Paging,
): Promise<EntriesPage> {
  const entries: Entry[] = [];
  let looked = 0;
  for await (const entry of readEntries(store, sessionId, { fromSeq: after + 1 })) {
    if (isWanted(entry)) entries.push(entry);
    looked += 1;
    if (entries.length === limit || looked === limits.scannedEntries) return { sessionId, entries, next: entry.seq };
  }
  return { sessionId, entries, next: null };
}

/** From the end on, stretch by stretch: what lies before costs nothing. */
async function lastEntries(
  { store, limits }: GatewayParts,
  { sessionId, counters }: SessionRecord,
  { query: { after, limit = defaultPage }, isWanted }: Paging,
): Promise<EntriesPage> {
  let end = after === undefined ? counters.countedSeq : after - 1;
  if (after === undefined) {
    for await (const { seq } of readEntries(store, sessionId, { fromSeq: end + 1 })) end = seq;
  }
  const least = Math.max(0, end - limits.scannedEntries);
  let found: Entry[] = [];
  let from = end + 1;
  for (let length = limit; found.length < limit && from > least + 1; length *= stretchGrowth) {
    const toSeq = from - 1;
    from = Math.max(1, least + 1, toSeq - length + 1);
    const stretch: Entry[] = [];
    for await (const entry of readEntries(store, sessionId, { fromSeq: from, toSeq })) {
      if (isWanted(entry)) stretch.push(entry);
    }
    found = [...stretch, ...found];
  }
  const entries = found.slice(-limit).reverse();
  const last = found.length >= limit ? (entries.at(-1)?.seq ?? 0) : from;
  return { sessionId, entries, next: last > 1 ? last : null };
}

function typesIn(text: string): ReadonlySet<string> {
  const types = text.split(',');
  if (types.every((type) => /^[\w:@/.-]{1,100}$/.test(type))) return new Set(types);
  throw requestError('`types` is no list of types of entries.');
}
