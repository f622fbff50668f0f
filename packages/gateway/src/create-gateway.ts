import { setMaxListeners } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type Host, type Store, VarveError } from '@varve/core';
import type { Sessions } from '@varve/sessions';
import type { FastifyInstance } from 'fastify';
import { type GatewayLimits, limitsOf } from './limits/gateway-limits.ts';
import { type MadeParts, makeParts } from './make-parts.ts';
import type { OpenApiDocument } from './openapi.ts';
import { allRoutes } from './routes/all-routes.ts';
import { authenticate } from './server/authenticate.ts';
import { type HostCheck, isLoopback } from './server/check-host.ts';
import { makeServer } from './server/make-server.ts';
import { createOpenAnswers, type OpenAnswers } from './server/open-answers.ts';
import { registerRoutes } from './server/register-routes.ts';
import { createLog, type LogOptions } from './server/request-log.ts';
import { isInForce, type TokenSource } from './tokens/token.ts';
import { closingError } from './turn/turn-desk.ts';

/** What a gateway is made with. Host, sessions and store stay their maker's: close them behind it. */
export interface GatewayOptions {
  readonly host: Host;
  /** Made with the host. Without `models`, nobody answers. */
  readonly sessions: Sessions;
  /** The store of the host. */
  readonly store: Store;
  /** Who may call: `tokenFile`, or what knows `TokenRecord`s otherwise. */
  readonly tokens: TokenSource;
  /** @default {@link GatewayLimits} says them */
  readonly limits?: Partial<GatewayLimits> | undefined;
  /** Names under which it is called, beside those of this machine: of a proxy in front, say. @default none */
  readonly allowedHosts?: readonly string[] | undefined;
  /** @default nothing is written */
  readonly log?: LogOptions | undefined;
  /** Version of the program that runs, for `/health`. @default '0' */
  readonly version?: string | undefined;
}

/** Where a gateway listens. */
export interface ListenOptions {
  /** @default '127.0.0.1' */
  readonly host?: string | undefined;
  /** 0 for any that is free. @default 0 */
  readonly port?: number | undefined;
}

/** The one authority over its sessions, over HTTP. */
export interface Gateway extends AsyncDisposable {
  /**
   * Takes requests.
   *
   * @throws VARVE_OPTION_INVALID  for an address that other machines reach while there is no token; VARVE_STORE_IO when the
   *   address cannot be bound.
   */
  listen(options?: ListenOptions): Promise<{ readonly url: string; readonly host: string; readonly port: number }>;
  /** The OpenAPI document. */
  document(): OpenApiDocument;
  /**
   * Takes no more, ends streams, waits for turns and aborts those that take too long: what was acknowledged is stored by
   * then. Idempotent.
   */
  close(): Promise<void>;
}

/**
 * Makes a gateway over the sessions of a host.
 *
 * @throws VARVE_OPTION_INVALID  for a limit that cannot be.
 */
export async function createGateway(options: GatewayOptions): Promise<Gateway> {
  const { tokens, version = '0', allowedHosts = [] } = options;
  const limits = limitsOf(options.limits);
  const closing = new AbortController();
  // One for each stream.
  setMaxListeners(0, closing.signal);
  const made = makeParts(options, { limits, version, closing: closing.signal });
  const { parts } = made;
  const log = options.log === undefined ? null : createLog(options.log);
  let bound: HostCheck = { isLocal: true, allowed: allowedHosts.map((name) => name.toLowerCase()) };
  const answers = createOpenAnswers();
  const app = await makeServer({ limits, metrics: parts.metrics, log, answers, hostCheck: () => bound });
  const countFailure = app.createRateLimit({ max: limits.failuresPerMinute, timeWindow: 60_000 });
  registerRoutes(app, {
    parts,
    routes: allRoutes,
    authenticate: async (request, access) => {
      if (closing.signal.aborted) throw closingError();
      try {
        const { authorization } = request.headers;
        return await authenticate(authorization, { access, tokens, now: parts.host.clock.now() });
      } catch (error) {
        if (!VarveError.is(error, 'VARVE_TOKEN_INVALID')) throw error;
        const count = await countFailure(request);
        if (!('isExceeded' in count && count.isExceeded)) throw error;
        const fix = 'Try again in a minute.';
        throw new VarveError('VARVE_REQUEST_LIMIT', 'There were too many requests without a token that holds.', {
          fix,
        });
      }
    },
  });
  let closed: Promise<void> | null = null;
  const close = (): Promise<void> => {
    closed ??= closeGateway({ app, answers, ...made, refuse: () => closing.abort(closingError()) });
    return closed;
  };
  return {
    document: parts.document,
    listen: async ({ host = '127.0.0.1', port = 0 } = {}) => {
      const isLocal = isLoopback(host);
      if (!isLocal) await requireToken(tokens, parts.host.clock.now());
      bound = { ...bound, isLocal };
      await bind(app, { host, port });
      const address = app.server.address() as AddressInfo;
      const name = address.family === 'IPv6' ? `[${address.address}]` : address.address;
      return { url: `http://${name}:${address.port}`, host: address.address, port: address.port };
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

interface Closing extends MadeParts {
  readonly app: FastifyInstance;
  readonly answers: OpenAnswers;
  /** Takes no more, and ends streams of events. */
  refuse(): void;
}

async function closeGateway({ app, answers, parts, stop, refuse }: Closing): Promise<void> {
  refuse();
  await parts.desk.close(parts.limits.drainMs);
  const closed = app.close();
  await answers.end(app.server, Math.min(parts.limits.drainMs, parts.limits.stallMs));
  await closed;
  stop();
}

async function bind(
  app: FastifyInstance,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<void> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new VarveError('VARVE_STORE_IO', `The gateway cannot listen on ${host}:${port}: ${code}.`, {
      fix: 'Choose another port, or end what listens there.',
      cause: error,
    });
  }
}

async function requireToken(tokens: TokenSource, now: number): Promise<void> {
  const records = await tokens.records();
  if (records.some((record) => isInForce(record, now))) return;
  throw new VarveError('VARVE_OPTION_INVALID', 'Other machines would reach the gateway, and there is no token.', {
    fix: 'Make one with varve token create, or listen on 127.0.0.1.',
    details: { path: 'host' },
  });
}
