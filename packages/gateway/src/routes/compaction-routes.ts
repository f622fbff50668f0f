import { type CompactOutcome, isRefusal, type Plan, type Refusal } from '@varve/core';
import { z } from 'zod';
import { requestError } from '../problem/problem.ts';
import { defineRoute, type Route } from '../route/route.ts';
import { resolveSession } from '../session/resolve-session.ts';
import { lookAt, workWith } from '../session/work-with-session.ts';
import { outcomeShape } from '../shapes/entry-shapes.ts';
import { sessionPath } from '../shapes/parameters.ts';
import { shapeOf } from '../shapes/shape-of.ts';
import { promptOf } from './context-routes.ts';

const instructions = z.string().min(1).max(4_000).optional().describe('What the summary should pay attention to.');

/** What a compaction would do; `planId` carries it out. */
interface ShownPlan {
  /** `null` for a refusal. */
  readonly planId: string | null;
  readonly expiresAt: number | null;
  readonly plan: Plan | null;
  readonly refusal: Refusal | null;
}

const shownPlan = z.strictObject({
  planId: z.string().nullable().describe('Commits the plan, once. `null` for a refusal.'),
  expiresAt: z.number().nullable(),
  plan: z
    .looseObject({
      base: z.looseObject({ sessionId: z.string(), seq: z.int() }),
      trigger: z.string(),
      range: z.looseObject({}),
      actions: z.array(z.looseObject({ op: z.enum(['summarise', 'edit']), rule: z.string(), tokens: z.number() })),
      expect: z.looseObject({ tokensBefore: z.number(), tokensAfter: z.number() }),
      by: z.looseObject({ plugin: z.string() }),
    })
    .nullable(),
  refusal: z.looseObject({ refused: z.string(), why: z.string() }).nullable(),
});

const outcome = shapeOf<CompactOutcome>(outcomeShape);

/** Compactions: what one would do, doing it, and taking it back. */
export const compactionRoutes: readonly Route[] = [
  defineRoute({
    method: 'POST',
    path: '/v1/sessions/{session}/plan',
    id: 'planCompaction',
    tag: 'compaction',
    access: 'client',
    summary: 'What a compaction would do',
    description:
      'Asks no model and changes nothing. The plan is kept for ten minutes, here: a client commits it by its id.',
    params: sessionPath,
    body: z.strictObject({ instructions }),
    problems: [404, 409, 413, 415, 422],
    answer: { what: 'The plan, or why there is none.', schema: shapeOf<ShownPlan>(shownPlan) },
    handle: async ({ parts, params, body, gone }) => {
      const record = await resolveSession(parts, params.session);
      return lookAt(parts, record, async (session) => {
        const asked = promptOf(parts.sessions, session);
        const plan = await session.plan('manual', { ...asked, instructions: body.instructions, signal: gone });
        if (isRefusal(plan)) return { planId: null, expiresAt: null, plan: null, refusal: plan };
        const kept = parts.plans.put({ plan, model: asked.model, instructions: body.instructions ?? null });
        return { ...kept, plan, refusal: null };
      });
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/sessions/{session}/commit',
    id: 'commitPlan',
    tag: 'compaction',
    access: 'client',
    summary: 'Carries a plan out',
    description:
      'What came since the plan was made stays. A plan whose entries are not as they were gives the outcome `stale`.',
    params: sessionPath,
    body: z.strictObject({ planId: z.uuid() }),
    problems: [404, 409, 413, 415, 422],
    answer: { what: 'How it ended.', schema: outcome },
    handle: async ({ parts, params, body, caller }) => {
      const record = await resolveSession(parts, params.session);
      const shelved = parts.plans.take(body.planId);
      if (shelved === null || shelved.plan.base.sessionId !== record.sessionId) {
        const fix =
          'Ask for a plan again; each is kept for ten minutes by the gateway that made it, and committed once.';
        throw requestError('There is no such plan for this session.', { status: 409, fix });
      }
      const { plan, model } = shelved;
      return parts.desk.run({ keyText: record.key ?? '', tokenId: caller.tokenId }, () =>
        workWith(parts, record, (session) => session.commit(plan, { ...promptOf(parts.sessions, session), model })),
      );
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/sessions/{session}/compact',
    id: 'compact',
    tag: 'compaction',
    access: 'client',
    summary: 'Plans a compaction and carries it out',
    params: sessionPath,
    body: z.strictObject({ instructions }),
    problems: [404, 409, 413, 415, 422],
    answer: { what: 'How it ended.', schema: outcome },
    handle: async ({ parts, params, body, caller }) => {
      const record = await resolveSession(parts, params.session);
      return parts.desk.run({ keyText: record.key ?? '', tokenId: caller.tokenId }, () =>
        workWith(parts, record, (session) =>
          session.compact('manual', { ...promptOf(parts.sessions, session), instructions: body.instructions }),
        ),
      );
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/v1/sessions/{session}/undo',
    id: 'undo',
    tag: 'compaction',
    access: 'client',
    summary: 'Takes a compaction, an edit or a state back',
    description: 'Messages that came later stay.',
    params: sessionPath,
    body: z.strictObject({ entryId: z.string().min(1).max(64).describe('Id of the entry.') }),
    problems: [404, 409, 413, 415],
    answer: { what: 'It was taken back.', schema: z.strictObject({ undone: z.string() }) },
    handle: async ({ parts, params, body }) => {
      const record = await resolveSession(parts, params.session);
      await workWith(parts, record, (session) => session.undo(body.entryId));
      return { undone: body.entryId };
    },
  }),
];
