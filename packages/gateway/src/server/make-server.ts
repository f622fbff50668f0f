import rateLimit from '@fastify/rate-limit';
import { VarveError } from '@varve/core';
import fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, LogController } from 'fastify';
import type { GatewayLimits } from '../limits/gateway-limits.ts';
import type { GatewayMetrics } from '../metrics/gateway-metrics.ts';
import { type Problem, problemOf, requestError } from '../problem/problem.ts';
import { checkHost, type HostCheck } from './check-host.ts';
import type { OpenAnswers } from './open-answers.ts';
import { callerOf } from './register-routes.ts';
import { serveInspector } from './serve-inspector.ts';

/** What a server is made with. */
export interface ServerOptions {
  readonly limits: GatewayLimits;
  readonly metrics: GatewayMetrics;
  readonly log: FastifyBaseLogger | null;
  readonly answers: OpenAnswers;
  /** Under which names it is called; known once it is bound. */
  hostCheck(): HostCheck;
}

/** What is said with every answer: nothing of it is for anybody else's page, frame or cache. */
const headers = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

const minuteMs = 60_000;

/** A server without routes, with its limits, and with errors as problems. */
export async function makeServer(options: ServerOptions): Promise<FastifyInstance> {
  const { limits, log } = options;
  const app = fastify({
    ...(log === null ? { logger: false } : { loggerInstance: log }),
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: limits.bodyBytes,
    exposeHeadRoutes: false,
    // Keys are long, and percent-encoded.
    routerOptions: { maxParamLength: 4_000, caseSensitive: true, ignoreTrailingSlash: false },
    requestTimeout: limits.requestMs,
    keepAliveTimeout: 10_000,
    maxRequestsPerSocket: 1_000,
    forceCloseConnections: 'idle',
    return503OnClosing: true,
    http: {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: Math.min(limits.requestMs, 10_000),
      connectionsCheckingInterval: Math.min(1_000, limits.requestMs),
      insecureHTTPParser: false,
      requireHostHeader: true,
    },
    frameworkErrors: (error, _request, reply: unknown) => {
      void sendProblem(reply as FastifyReply, problemOf(error));
    },
  });
  app.server.maxConnections = limits.connections;
  app.server.maxHeadersCount = 100;
  takeJsonAlone(app);
  hookRequests(app, options);
  await app.register(rateLimit, {
    max: limits.requestsPerMinute,
    timeWindow: minuteMs,
    hook: 'preParsing',
    keyGenerator: (request) => callerOf(request).tokenId || request.ip,
    errorResponseBuilder: (_request, { after }) =>
      new VarveError('VARVE_REQUEST_LIMIT', 'There were too many requests.', { fix: `Try again in ${after}.` }),
  });
  serveInspector(app);
  return app;
}

/** Bodies are JSON, without names that change what an object is. */
function takeJsonAlone(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '') done(null, undefined);
    else parse(request, body, done);
  });
}

function hookRequests(app: FastifyInstance, { hostCheck, metrics, log, answers }: ServerOptions): void {
  app.addHook('onRequest', async (request, reply) => {
    const beganAt = performance.now();
    answers.note(reply.raw);
    // Also of a stream whose client has gone away.
    reply.raw.once('close', () => {
      const { method, routeOptions } = request;
      const ms = performance.now() - beganAt;
      // What is asked for may hold keys, and texts of people: the route says enough.
      const route = routeOptions.url ?? 'none';
      const status = reply.raw.statusCode;
      metrics.answered({ method, route, status, ms });
      log?.info({ method, route, status, ms: Math.round(ms), token: callerOf(request).tokenId }, 'answered');
    });
    reply.headers(headers);
    const { host: hosts = [] } = request.raw.headersDistinct;
    checkHost({ hosts, origin: request.headers.origin }, hostCheck());
  });
  app.setNotFoundHandler(async () => {
    throw requestError('There is no such route.', { status: 404 });
  });
  app.setErrorHandler(async (error, request, reply) => {
    const problem = problemOf(error);
    if (problem.status >= 500) log?.error({ err: error, route: request.routeOptions.url ?? 'none' }, 'failed');
    if (problem.status === 401) reply.header('www-authenticate', 'Bearer');
    return sendProblem(reply, problem);
  });
}

function sendProblem(reply: FastifyReply, problem: Problem): FastifyReply {
  return reply.code(problem.status).type('application/problem+json').send(JSON.stringify(problem));
}
