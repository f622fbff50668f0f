import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { GatewayParts } from '../gateway-parts.ts';
import type { Role } from '../tokens/role.ts';

/** Who may call a route: anybody, or whoever has a token of that role or a higher one. */
export type Access = 'open' | Role;

/** Who calls. */
export interface Caller {
  readonly tokenId: string;
  readonly name: string;
  readonly role: Role;
  /** When the token ends; `null` for never. */
  readonly expiresAt: number | null;
}

/** Who calls a route that is open to anybody. */
export const nobody: Caller = { tokenId: '', name: 'anybody', role: 'viewer', expiresAt: null };

/** One call of a route, with what was checked. */
export interface RouteCall<Params, Query, Body> {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly caller: Caller;
  readonly parts: GatewayParts;
  readonly reply: FastifyReply;
  /** Aborted when the client has gone away before it had its answer. */
  readonly gone: AbortSignal;
  /** The value of a header; `null` where there is none, or more than one. */
  header(name: string): string | null;
}

/** What a route answers with. */
export interface Answer {
  /** @default 200 */
  readonly status?: number | undefined;
  readonly what: string;
  readonly schema: z.ZodType;
  /** @default 'application/json' */
  readonly type?: 'application/json' | 'text/plain' | 'text/event-stream' | undefined;
}

/** A route of the API: its shape is checked, and is what the OpenAPI document says. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** As OpenAPI writes it: `/v1/sessions/{session}`. */
  readonly path: string;
  /** Name of the operation, unique. */
  readonly id: string;
  readonly tag: string;
  readonly access: Access;
  /** In a few words. */
  readonly summary: string;
  /** What there is to know beside that. @default nothing */
  readonly description?: string | undefined;
  readonly params: z.ZodType;
  readonly query: z.ZodType;
  /** `null` for a route without a body. */
  readonly body: z.ZodType | null;
  readonly answers: readonly Answer[];
  /** Statuses of problems that it may answer with, beside those that every route may. @default none */
  readonly problems?: readonly number[] | undefined;
  /** Gives what is answered; `undefined` where it has answered itself. */
  handle(call: RouteCall<never, never, never>): Promise<unknown>;
}

/** A route whose handler gets what its schemas give. */
interface TypedRoute<Params, Query, Body, Result>
  extends Omit<Route, 'params' | 'query' | 'body' | 'answers' | 'handle'> {
  readonly params?: z.ZodType<Params> | undefined;
  readonly query?: z.ZodType<Query> | undefined;
  readonly body?: z.ZodType<Body> | undefined;
  readonly answer: Omit<Answer, 'schema'> & { readonly schema: z.ZodType<Result> };
  /** What it may answer with besides. @default nothing */
  readonly orAnswer?: Answer | undefined;
  handle(call: RouteCall<Params, Query, Body>): Promise<Result | undefined>;
}

const nothing = z.strictObject({});

/** Makes a route out of its shape and its handler. */
export function defineRoute<Params, Query, Body, Result>(route: TypedRoute<Params, Query, Body, Result>): Route {
  const { answer, orAnswer, params = nothing, query = nothing, body = null, ...rest } = route;
  const answers = orAnswer === undefined ? [answer] : [answer, orAnswer];
  // What is handed to it has gone through these very schemas.
  return { ...rest, params, query, body, answers, handle: (call) => route.handle(call) };
}
