import { z } from 'zod';
import type { OpenApiDocument } from '../document/open-api-document.ts';
import { defineRoute, type Route } from '../route/route.ts';
import { shapeOf } from '../shapes/shape-of.ts';

const counters = z.strictObject({
  since: z.number().describe('When the gateway was started.'),
  awake: z.int().describe('Conversations that are awake.'),
  turns: z.int().describe('Turns that run for callers.'),
  streams: z.int().describe('Streams of events that are open.'),
  sums: z.record(z.string(), z.number()).describe('What happened since the start, added up.'),
});

const pluginHealth = z.strictObject({
  name: z.string(),
  version: z.string(),
  failures: z.int().describe('Since the start.'),
  lastError: z.string().nullable(),
  lastAt: z.number().nullable(),
});

/** What is asked of the process itself. */
export const processRoutes: readonly Route[] = [
  defineRoute({
    method: 'GET',
    path: '/health',
    id: 'health',
    tag: 'process',
    access: 'open',
    summary: 'Whether the gateway takes requests',
    answer: { what: 'It does.', schema: z.strictObject({ status: z.literal('ok'), version: z.string() }) },
    handle: async ({ parts }) => ({ status: 'ok', version: parts.version }),
  }),
  defineRoute({
    method: 'GET',
    path: '/openapi.json',
    id: 'openapi',
    tag: 'process',
    access: 'open',
    summary: 'This document',
    answer: { what: 'OpenAPI 3.1.', schema: shapeOf<OpenApiDocument>(z.looseObject({ openapi: z.string() })) },
    handle: async ({ parts }) => parts.document(),
  }),
  defineRoute({
    method: 'GET',
    path: '/metrics',
    id: 'metrics',
    tag: 'process',
    access: 'viewer',
    summary: 'Counters in the format of Prometheus',
    description: 'No label has a key, an id or a name of anybody.',
    answer: { what: 'Text.', type: 'text/plain', schema: z.string() },
    handle: async ({ parts, reply }) => {
      reply.type('text/plain; version=0.0.4; charset=utf-8');
      return parts.metrics.text();
    },
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/me',
    id: 'me',
    tag: 'process',
    access: 'viewer',
    summary: 'What the token may do',
    answer: {
      what: 'Its name and role.',
      schema: z.strictObject({
        name: z.string(),
        role: z.enum(['viewer', 'client', 'owner']),
        expiresAt: z.number().nullable(),
      }),
    },
    handle: async ({ caller: { name, role, expiresAt } }) => ({ name, role, expiresAt }),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/counters',
    id: 'counters',
    tag: 'process',
    access: 'viewer',
    summary: 'What goes on, and what happened since the start',
    answer: { what: 'Numbers.', schema: counters },
    handle: async ({ parts: { sessions, desk, metrics, startedAt, streams } }) => ({
      since: startedAt,
      awake: sessions.states().length,
      turns: desk.running(),
      streams: streams.total(),
      sums: metrics.sums(),
    }),
  }),
  defineRoute({
    method: 'GET',
    path: '/v1/plugins',
    id: 'plugins',
    tag: 'process',
    access: 'viewer',
    summary: 'Plugins in the order in which they run, and how they are doing',
    answer: { what: 'One each.', schema: z.strictObject({ plugins: z.array(pluginHealth) }) },
    handle: async ({ parts: { host, failures } }) => ({
      plugins: host.plugins.map(({ name, version }) => ({ name, version, ...failures.of(name) })),
    }),
  }),
];
