import type { SessionRecord } from '@varve/core';
import { askReset } from '@varve/core/host';
import type { ResetResult } from '@varve/sessions';
import { z } from 'zod';
import { defineRoute, type Route } from '../route/route.ts';
import { resolveKey, resolveSession } from '../session/resolve-session.ts';
import { keyOf, lookAt } from '../session/work-with-session.ts';
import { lineOf, sessionPath } from '../shapes/parameters.ts';
import { shapeOf } from '../shapes/shape-of.ts';

const resetResult = z.strictObject({
  sessionId: z.string().describe('The current generation from now on.'),
  previousSessionId: z.string().nullable(),
  isReset: z.boolean(),
});

const moved = z.strictObject({ sessionId: z.string(), previousSessionId: z.string().nullable() });

/** How conversations begin anew, are put away, come back, and branch. */
export const lifecycleRoutes: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/sessions/{session}/reset',
    id: 'previewReset',
    tag: 'lifecycle',
    access: 'viewer',
    summary: 'Whether the policies would begin the conversation anew before a message that came now',
    params: sessionPath,
    problems: [404],
    answer: {
      what: 'Whether, and why.',
      schema: z.strictObject({ isDue: z.boolean(), reason: z.string().nullable(), text: z.string().nullable() }),
    },
    handle: async ({ parts, params, gone }) => {
      const record = await resolveSession(parts, params.session);
      const answer = await lookAt(parts, record, (session) => askReset(session, { signal: gone }));
      // In a conversation in which nothing was said, there is nothing to end.
      const isDue = answer !== null && record.counters.messages > 0;
      return { isDue, reason: isDue ? answer.reason : null, text: isDue ? (answer.text ?? answer.reason) : null };
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/sessions/{session}/reset',
    id: 'reset',
    tag: 'lifecycle',
    access: 'client',
    summary: 'Begins the conversation anew',
    description: 'The generation before is kept, and can be restored. Turns that run are aborted.',
    params: sessionPath,
    body: z.strictObject({ reason: lineOf(100).optional().describe('For the event. Default: asked.') }),
    problems: [404, 409, 413, 415],
    answer: { what: 'The new generation.', schema: shapeOf<ResetResult>(resetResult) },
    handle: async ({ parts, params, body, caller }) => {
      const key = await resolveKey(parts, params.session);
      // One that has not begun has nothing to begin anew.
      await resolveSession(parts, key);
      return parts.sessions.reset(key, { reason: body.reason ?? 'asked', by: caller.name });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/sessions/{session}/archive',
    id: 'archive',
    tag: 'lifecycle',
    access: 'owner',
    summary: 'Puts a session away',
    description: 'It can be read, listed and restored. What is said next begins a new generation.',
    params: sessionPath,
    body: z.strictObject({
      abort: z.boolean().optional().describe('Aborts turns that run; they are waited for otherwise.'),
      cascade: z.boolean().optional().describe('Stops sub-agents that work for it; it is not archived otherwise.'),
    }),
    problems: [404, 409, 413, 415],
    answer: { what: 'Which one it was.', schema: z.strictObject({ sessionId: z.string().nullable() }) },
    handle: async ({ parts, params, body }) => {
      const record = await resolveSession(parts, params.session);
      return parts.sessions.archive(keyOf(record), { ...body, sessionId: record.sessionId });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/sessions/{session}/restore',
    id: 'restore',
    tag: 'lifecycle',
    access: 'owner',
    summary: 'Lets an earlier generation go on',
    params: sessionPath,
    body: z.strictObject({ sessionId: z.string().min(1).max(200).describe('A generation of the conversation.') }),
    problems: [404, 409, 413, 415],
    answer: {
      what: 'The generation that goes on.',
      schema: shapeOf<Pick<ResetResult, 'sessionId' | 'previousSessionId'>>(moved),
    },
    handle: async ({ parts, params, body }) =>
      parts.sessions.restore(await resolveKey(parts, params.session), body.sessionId),
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/sessions/{session}/fork',
    id: 'fork',
    tag: 'lifecycle',
    access: 'client',
    summary: 'Begins another conversation with what this one holds',
    params: sessionPath,
    body: z.strictObject({
      newKey: z.string().min(1).max(700).describe('Key of the new conversation.'),
      at: z.string().min(1).max(64).optional().describe('Id of the last entry that both share. Default: the last one.'),
      label: lineOf(200).optional(),
    }),
    problems: [404, 409, 413, 415, 422],
    answer: { what: 'The new one.', schema: z.strictObject({ sessionId: z.string(), keyText: z.string() }) },
    handle: async ({ parts, params, body }) => {
      const record: SessionRecord = await resolveSession(parts, params.session);
      const newKey = await resolveKey(parts, body.newKey);
      return parts.sessions.fork(keyOf(record), { ...body, newKey });
    },
  }),
];
