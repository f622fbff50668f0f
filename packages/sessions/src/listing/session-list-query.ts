import type { Milliseconds, SessionQuery, SessionRecord, Tokens } from '@varve/core';
import { z } from 'zod';
import { checkOptions } from './check-options.ts';
import { type ConversationKind, conversationKinds } from './key-facts.ts';

/**
 * What a session is to its conversation: the generation that goes on, an earlier one, or one that never was the current
 * one. A session that belongs to no conversation is `none`, too.
 */
export type GenerationState = 'current' | 'earlier' | 'none';

/** Which sessions are meant. All that are given must hold; without any, all sessions are. */
export interface SessionFilter extends Omit<SessionQuery, 'limit' | 'after'> {
  /** Only these, by their ids. */
  readonly sessionIds?: readonly string[] | undefined;
  readonly kind?: ConversationKind | readonly ConversationKind[] | undefined;
  /** Whom or what the conversation is with, letter by letter: peer, person, job, hook or sub-agent. */
  readonly peer?: string | undefined;
  /** `null` finds sessions of nobody in particular. */
  readonly identity?: string | null | undefined;
  /** The whole label, letter by letter. */
  readonly label?: string | null | undefined;
  readonly generation?: GenerationState | undefined;
  /** Updated at that moment or later. */
  readonly updatedAfter?: Milliseconds | undefined;
  /** Updated before that moment. */
  readonly updatedBefore?: Milliseconds | undefined;
  /** Whose last prompt was larger. */
  readonly tokensOver?: Tokens | undefined;
}

/** What sessions are put in order by; the greatest comes first. `spent` is the sum of all tokens that providers reported. */
export type SessionOrder = 'updated' | 'created' | 'tokens' | 'messages' | 'spent';

/** Where a page ends: what its last session is ordered by, and which session it is. JSON. */
export interface PageEnd {
  readonly value: number;
  readonly sessionId: string;
}

/** A page of sessions. */
export interface SessionListQuery extends SessionFilter {
  /** @default 'updated' */
  readonly sort?: SessionOrder | undefined;
  /** The least comes first. @default false */
  readonly reverse?: boolean | undefined;
  /** Most sessions of the page. @default 100, at most 1 000 */
  readonly limit?: number | undefined;
  /** `next` of the page before, asked for in the same order. @default the first page */
  readonly after?: PageEnd | undefined;
}

const filterShape = {
  sessionIds: z.array(z.string()).readonly().optional(),
  agentId: z.string().optional(),
  key: z.string().optional(),
  channel: z.string().optional(),
  chatType: z.enum(['direct', 'group', 'channel']).nullish(),
  state: z.enum(['open', 'archived']).optional(),
  parentSessionKey: z.string().optional(),
  text: z.string().optional(),
  kind: z.union([z.enum(conversationKinds), z.array(z.enum(conversationKinds)).readonly()]).optional(),
  peer: z.string().optional(),
  identity: z.string().nullish(),
  label: z.string().nullish(),
  generation: z.enum(['current', 'earlier', 'none']).optional(),
  updatedAfter: z.number().optional(),
  updatedBefore: z.number().optional(),
  tokensOver: z.number().nonnegative().optional(),
} satisfies Record<keyof SessionFilter, z.ZodType>;

const filterSchema = z.strictObject(filterShape);

const querySchema = z.strictObject({
  ...filterShape,
  sort: z.enum(['updated', 'created', 'tokens', 'messages', 'spent']).optional(),
  reverse: z.boolean().optional(),
  limit: z.number().int().min(1).max(1_000).optional(),
  after: z.strictObject({ value: z.number(), sessionId: z.string() }).optional(),
} satisfies Record<keyof SessionListQuery, z.ZodType>);

/** Checks a query, which may come from plain JavaScript. @throws VARVE_OPTION_INVALID */
export function checkListQuery(query: SessionListQuery): void {
  checkOptions(query, { schema: querySchema, what: 'sessions.list' });
}

/** Checks a filter, which may come from plain JavaScript. @throws VARVE_OPTION_INVALID */
export function checkFilter(filter: SessionFilter, what: string): void {
  checkOptions(filter, { schema: filterSchema, what });
}

/** What a record is ordered by. */
export function orderValue({ updatedAt, createdAt, counters }: SessionRecord, order: SessionOrder): number {
  const { totalTokens, messages, spent } = counters;
  switch (order) {
    case 'updated':
      return updatedAt;
    case 'created':
      return createdAt;
    case 'tokens':
      return totalTokens;
    case 'messages':
      return messages;
    case 'spent':
      return spent.inputTokens + spent.outputTokens + spent.cacheReadTokens + spent.cacheWriteTokens;
  }
}
