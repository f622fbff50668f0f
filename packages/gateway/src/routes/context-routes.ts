import type { Explanation, JsonValue, ModelRef, Prompt, Session } from '@varve/core';
import type { Sessions } from '@varve/sessions';
import { z } from 'zod';
import { requestError } from '../problem/problem.ts';
import { defineRoute, type Route } from '../route/route.ts';
import { diffRequests, type RequestDiff } from '../session/diff-requests.ts';
import { resolveSession } from '../session/resolve-session.ts';
import { lookAt } from '../session/work-with-session.ts';
import { verdictShape } from '../shapes/entry-shapes.ts';
import { numberIn, sessionPath } from '../shapes/parameters.ts';
import { shapeOf } from '../shapes/shape-of.ts';

const layer = z.looseObject({ id: z.string(), tokens: z.number() });

/** An explanation, a page of its entries. */
interface ExplanationPage extends Explanation {
  readonly sessionId: string;
  readonly next: number | null;
}

const explanation = z.looseObject({
  sessionId: z.string(),
  request: z.int(),
  seq: z.int(),
  at: z.number(),
  model: z.string(),
  budget: z.number().nullable(),
  tokens: z.number(),
  firstChangedByte: z.number().nullable(),
  layers: z.array(layer),
  entries: z.array(
    z.looseObject({
      seq: z.int(),
      role: z.string(),
      preview: z.string().describe('First 80 characters, without control characters.'),
      tokens: z.number(),
      verdict: verdictShape,
      recalledBy: z.array(z.string()).optional().describe('Plugins that quoted it in a note or a layer.'),
    }),
  ),
  next: z.int().nullable().describe('`after` of the next page of entries; `null` for the last one.'),
});

const diff = z.looseObject({
  earlier: z.int(),
  later: z.int(),
  tokens: z.looseObject({ earlier: z.number(), later: z.number() }),
  entries: z.array(z.looseObject({ seq: z.int(), earlier: verdictShape, later: verdictShape })),
  arrived: z.array(z.looseObject({ seq: z.int() })),
  layers: z.array(z.looseObject({ id: z.string(), earlier: z.number(), later: z.number() })),
  firstChange: z
    .looseObject({ request: z.int(), byte: z.number() })
    .nullable()
    .describe('The smallest byte that changed from one request to the next, and in which; `null`: each only grew.'),
});

const prompt = z.looseObject({
  sessionId: z.string(),
  model: z.string(),
  tokens: z.number(),
  system: z.array(z.looseObject({ layer: z.string(), text: z.string() })),
  messages: z.array(z.looseObject({ role: z.string() })),
  marks: z.looseObject({ afterSystem: z.int(), afterStable: z.int() }),
  manifest: z.looseObject({ entries: z.array(z.looseObject({ seq: z.int() })) }).describe('One verdict an entry.'),
});

const mostEntries = 2_000;

/** What is sent, and why. */
export const contextRoutes: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/sessions/{session}/context',
    id: 'nextPrompt',
    tag: 'context',
    access: 'viewer',
    summary: 'The prompt that a turn would send now, with its manifest',
    description: 'A dry run: it asks no model and stores nothing.',
    params: sessionPath,
    query: z.strictObject({ query: z.string().max(10_000).optional().describe('What the prompt is to answer.') }),
    problems: [404, 422],
    answer: {
      what: 'The prompt.',
      schema: shapeOf<Prompt & { readonly sessionId: string; readonly model: string }>(prompt),
    },
    handle: async ({ parts, params, query, gone }) => {
      const record = await resolveSession(parts, params.session);
      return lookAt(parts, record, async (session) => {
        const { model, tools } = promptOf(parts.sessions, session);
        const made = await session.assemble({ model, tools, query: query.query, dryRun: true, signal: gone });
        return { ...made, sessionId: session.sessionId, model: `${model.provider}/${model.model}` };
      });
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/sessions/{session}/explain',
    id: 'explain',
    tag: 'context',
    access: 'viewer',
    summary: 'Why entries were, or were not, in a request',
    description: 'As it was recorded when the request was made. The last request, unless another is named.',
    params: sessionPath,
    query: z.strictObject({
      request: numberIn({ least: 1 }).optional().describe('Number of the request. Default: the last one.'),
      seq: numberIn({ least: 1 }).optional().describe('This entry alone.'),
      after: numberIn({ least: 0 }).optional().describe('Seq: entries behind it.'),
      limit: numberIn({ least: 1, most: mostEntries })
        .optional()
        .describe(`Entries of a page. Default: ${mostEntries}.`),
    }),
    problems: [404],
    answer: { what: 'One verdict an entry.', schema: shapeOf<ExplanationPage>(explanation) },
    handle: async ({ parts, params, query: { request, seq, after = 0, limit = mostEntries } }) => {
      const record = await resolveSession(parts, params.session);
      const found = await lookAt(parts, record, (session) => session.explain({ request, seq }));
      const rest = found.entries.filter((entry) => entry.seq > after);
      const page = rest.slice(0, limit);
      return {
        ...found,
        sessionId: record.sessionId,
        entries: page,
        next: rest.length > page.length ? (page.at(-1)?.seq ?? null) : null,
      };
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/sessions/{session}/diff',
    id: 'diff',
    tag: 'context',
    access: 'viewer',
    summary: 'What differs between two requests, and the first byte that changed',
    params: sessionPath,
    query: z.strictObject({
      earlier: numberIn({ least: 1 }).describe('Number of a request.'),
      later: numberIn({ least: 1 }).describe('Number of a later one.'),
    }),
    problems: [404],
    answer: { what: 'The difference.', schema: shapeOf<RequestDiff>(diff) },
    handle: async ({ parts, params, query: { earlier, later } }) => {
      if (earlier >= later) throw requestError('`earlier` is not the number of an earlier request than `later`.');
      const record = await resolveSession(parts, params.session);
      return lookAt(parts, record, async (session) => {
        const [one, other] = [await session.explain({ request: earlier }), await session.explain({ request: later })];
        const between = (await parts.requests.of(record.sessionId)).slice(earlier, later);
        return diffRequests(one, other, { between });
      });
    },
  }),
];

/** What a turn of a session would be asked with. @throws VARVE_REQUEST_INVALID  where nobody answers. */
export function promptOf(
  sessions: Pick<Sessions, 'modelOf'>,
  session: Session,
): { readonly model: ModelRef; readonly tools: readonly JsonValue[] } {
  const model = sessions.modelOf(session);
  if (model === null)
    throw requestError('This gateway has no models: nobody answers in its sessions.', { status: 409 });
  const tools = session.tools().map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  return { model, tools: tools as unknown as readonly JsonValue[] };
}
