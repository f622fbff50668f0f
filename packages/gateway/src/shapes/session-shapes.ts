import type { SessionRecord } from '@varve/core';
import { conversationKinds, type ListedSession } from '@varve/sessions';
import { z } from 'zod';

const count = z.int().nonnegative();
const moment = z.number().describe('Milliseconds since 1970.');

/** What is known of a session without its journal. */
export const recordShape: z.ZodType<SessionRecord> = z
  .strictObject({
    sessionId: z.string(),
    rev: z.int().describe('Grows by one with each change.'),
    agentId: z.string(),
    key: z.string().nullable().describe('Key of the conversation.'),
    state: z.enum(['open', 'archived']),
    channel: z.string().nullable(),
    chatType: z.enum(['direct', 'group', 'channel']).nullable(),
    identity: z.string().nullable(),
    parentSessionKey: z.string().nullable().describe('Key of the session that began this one.'),
    label: z.string().nullable(),
    displayName: z.string().nullable(),
    currentSince: moment.nullable().describe('Since when it is the current generation of its key.'),
    previousSessionId: z.string().nullable(),
    forkedFrom: z.strictObject({ sessionId: z.string(), entryId: z.string().nullable(), seq: z.int() }).nullable(),
    lease: z.strictObject({ owner: z.string(), untilAt: z.number(), fence: z.int() }).nullable(),
    createdAt: moment,
    updatedAt: moment,
    counters: z.strictObject({
      countedSeq: count.describe('Seq of the last entry that is counted.'),
      messages: count,
      userMessages: count,
      lastUserAt: moment.nullable(),
      requests: count,
      compactions: count,
      totalTokens: count.describe('Size of the last prompt.'),
      spent: z
        .strictObject({ inputTokens: count, outputTokens: count, cacheReadTokens: count, cacheWriteTokens: count })
        .describe('Sums of what providers reported.'),
    }),
  })
  .meta({ id: 'SessionRecord' });

/** A session of a list: its record, what its key says, and what goes on in it. */
export interface SessionLine extends ListedSession {
  /** `null` for one that is asleep, and for what another process has awake. */
  readonly live: 'active' | 'idle' | 'compacting' | null;
}

/** The shape of {@link SessionLine}. */
export const sessionLineShape: z.ZodType<SessionLine> = z
  .strictObject({
    record: recordShape,
    kind: z.enum(conversationKinds),
    peer: z.string().nullable().describe('Whom or what the conversation is with.'),
    words: z.string().describe('The conversation in words.'),
    generation: z.enum(['current', 'earlier', 'none']).describe('What the session is to its conversation.'),
    live: z
      .enum(['active', 'idle', 'compacting'])
      .nullable()
      .describe('What it does in this process; `null`: it sleeps.'),
  })
  .meta({ id: 'SessionLine' });
