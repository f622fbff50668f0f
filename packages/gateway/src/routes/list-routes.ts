import {
  type ConversationKind,
  conversationKinds,
  type ListedSession,
  type PageEnd,
  type SessionListQuery,
  type SessionTree,
} from '@varve/sessions';
import { z } from 'zod';
import type { GatewayParts } from '../gateway-parts.ts';
import { requestError } from '../problem/problem.ts';
import { defineRoute, type Route } from '../route/route.ts';
import { flag, listOf, numberIn } from '../shapes/parameters.ts';
import { type SessionLine, sessionLineShape } from '../shapes/session-shapes.ts';
import { shapeOf } from '../shapes/shape-of.ts';

const text = z.string().min(1).max(700);

const filter = {
  agentId: text.optional().describe('Sessions of that agent.'),
  key: text.optional().describe('All generations of that key.'),
  channel: text.optional(),
  chatType: z.enum(['direct', 'group', 'channel']).optional(),
  state: z.enum(['open', 'archived']).optional(),
  kind: listOf(conversationKinds)
    .optional()
    .describe(`With commas: ${conversationKinds.join(', ')}.`),
  peer: text.optional().describe('Whom or what the conversation is with, letter by letter.'),
  identity: text.optional().describe('Of that person, whichever channel.'),
  label: text.optional().describe('With that label, letter by letter.'),
  parentSessionKey: text.optional().describe('Those that the session of that key began.'),
  text: text.optional().describe('Found in id, key, label or name, whatever the case.'),
  generation: z.enum(['current', 'earlier', 'none']).optional(),
  updatedAfter: numberIn({ least: 0 }).optional().describe('Milliseconds since 1970.'),
  updatedBefore: numberIn({ least: 0 }).optional().describe('Milliseconds since 1970.'),
  tokensOver: numberIn({ least: 0 }).optional().describe('Whose last prompt was larger.'),
};

const query = z.strictObject({
  ...filter,
  sort: z
    .enum(['updated', 'created', 'tokens', 'messages', 'spent'])
    .optional()
    .describe('The greatest comes first. Default: updated.'),
  reverse: flag.optional().describe('The least comes first.'),
  limit: numberIn({ least: 1, most: 1_000 }).optional().describe('Sessions of a page. Default: 100.'),
  after: z.string().max(500).optional().describe('`next` of the page before, in the same order.'),
});

/** The sessions of the store: as a list, and as a tree. */
export const listRoutes: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/sessions',
    id: 'listSessions',
    tag: 'sessions',
    access: 'viewer',
    summary: 'Sessions, filtered and in order, a page at a time',
    query,
    answer: {
      what: 'A page.',
      schema: z.strictObject({
        sessions: z.array(sessionLineShape),
        next: z.string().nullable().describe('What the next page is asked for with; `null` for the last one.'),
      }),
    },
    handle: async ({ parts, query: { after, ...rest } }) => {
      const asked = { ...rest, ...(after === undefined ? {} : { after: endOf(after) }) };
      const { sessions, next } = await parts.sessions.list(withoutGaps(asked));
      return { sessions: linesOf(parts, sessions), next: next === null ? null : endText(next) };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/tree',
    id: 'sessionTree',
    tag: 'sessions',
    access: 'viewer',
    summary: 'Sessions as a tree: agent, kind, conversation, generation',
    query: z.strictObject(filter),
    answer: {
      what: 'The tree, with sums.',
      schema: shapeOf<SessionTree>(
        z.looseObject({
          totals: z.looseObject({ sessions: z.int() }),
          agents: z.array(z.looseObject({ agentId: z.string() })),
        }),
      ),
    },
    handle: async ({ parts, query: asked }) => parts.sessions.tree(withoutGaps(asked)),
  }),
];

/** Lines of a list, with what goes on in each session. */
function linesOf({ sessions }: Pick<GatewayParts, 'sessions'>, listed: readonly ListedSession[]): SessionLine[] {
  const states = new Map(sessions.states().map(({ sessionId, state }) => [sessionId, state]));
  return listed.map((session) => ({ ...session, live: states.get(session.record.sessionId) ?? null }));
}

type Asked = Omit<SessionListQuery, 'kind'> & { readonly kind?: readonly ConversationKind[] | undefined };

/** What is not asked is left out. */
function withoutGaps(asked: Asked): SessionListQuery {
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
}

function endText({ value, sessionId }: PageEnd): string {
  return `${value}:${sessionId}`;
}

function endOf(text: string): PageEnd {
  const match = /^(\d{1,15}):(.+)$/s.exec(text);
  if (match !== null) return { value: Number(match[1]), sessionId: match[2] ?? '' };
  throw requestError('`after` is not what a page ended with.', { fix: 'Give `next` of the page before.' });
}
