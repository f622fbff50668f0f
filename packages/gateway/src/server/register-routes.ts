import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { GatewayParts } from '../gateway-parts.ts';
import { requestError } from '../problem/problem.ts';
import { type Access, type Caller, nobody, type Route } from '../route/route.ts';
import { roles } from '../tokens/role.ts';

/** What routes are registered with. */
export interface RegisterOptions {
  readonly parts: GatewayParts;
  readonly routes: readonly Route[];
  /** Finds out who calls. Throws what the caller is told. */
  authenticate(request: FastifyRequest, access: Access): Promise<Caller>;
}

const callers = new WeakMap<FastifyRequest, Caller>();

/** Whose request it is; nobody's before it was found out. */
export function callerOf(request: FastifyRequest): Caller {
  return callers.get(request) ?? nobody;
}

/**
 * Registers routes: each with who may call it, and with a check of all that comes in.
 *
 * @throws TypeError  for a route that does not say who may call it: nothing is open by mistake.
 */
export function registerRoutes(app: FastifyInstance, { parts, routes, authenticate }: RegisterOptions): void {
  for (const route of routes) {
    const { method, access } = route;
    if (access !== 'open' && !roles.includes(access)) {
      throw new TypeError(`The route ${method} ${route.path} does not say who may call it.`);
    }
    app.route({
      method,
      url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      onRequest: async (request) => {
        callers.set(request, await authenticate(request, access));
      },
      handler: (request, reply) => answer(route, parts, { request, reply }),
    });
  }
}

async function answer(
  route: Route,
  parts: GatewayParts,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
): Promise<unknown> {
  const { params, query, body } = route;
  const gone = new AbortController();
  const onClose = (): void => gone.abort();
  reply.raw.once('close', onClose);
  const call = {
    params: checked(params, request.params, 'path'),
    query: checked(query, request.query, 'query'),
    body: body === null ? refuseBody(request) : checked(body, request.body ?? {}, 'body'),
    caller: callerOf(request),
    parts,
    reply,
    gone: gone.signal,
    header: (name: string) => {
      const value = request.headers[name];
      return typeof value === 'string' ? value : null;
    },
  };
  // It has gone through the route's own schemas.
  const result = await route.handle(call as Parameters<Route['handle']>[0]);
  if (result === undefined) return reply;
  reply.raw.off('close', onClose);
  return result;
}

function checked(schema: z.ZodType, given: unknown, where: string): unknown {
  const { success, data, error } = schema.safeParse(given);
  if (success) return data;
  const [issue] = error.issues;
  const path = issue?.path.map(String).join('.') ?? '';
  const at = path === '' ? '' : ` at ${path.slice(0, 100)}`;
  throw requestError(`The ${where} is not what the route takes${at}: ${(issue?.message ?? '').slice(0, 300)}.`);
}

function refuseBody(request: FastifyRequest): null {
  const { body } = request;
  if (body === undefined || body === null) return null;
  throw requestError('The route takes no body.');
}
