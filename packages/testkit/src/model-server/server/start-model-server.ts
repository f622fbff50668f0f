import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Clock, systemClock, type Tokens } from '@varve/core';
import { countParts } from '../counting/count-prompt.ts';
import { automaticCache, markedCache } from '../counting/prompt-cache.ts';
import type { ModelScript } from '../exchange/model-outcome.ts';
import type { ServedRequest } from '../exchange/served-request.ts';
import { anthropicWire } from '../wire/anthropic/anthropic-wire.ts';
import { type Fields, fieldsOf } from '../wire/json-fields.ts';
import { openaiChatWire, openaiResponsesWire } from '../wire/openai/openai-wire.ts';
import type { Wire } from '../wire/wire.ts';
import { type Connection, connectionOf } from './connection.ts';
import { sendError } from './send-answer.ts';
import { type Serving, serveRequest } from './serve-request.ts';

/** How a server behaves. */
export interface ModelServerOptions {
  /** Whose APIs it speaks: `anthropic` for Messages, `openai` for Chat Completions and Responses. */
  readonly provider: 'anthropic' | 'openai';
  /** Window of the model: a longer input is refused in the provider's own words. */
  readonly contextTokens: Tokens;
  /** Decides what becomes of each request. */
  readonly script: ModelScript;
  /** Decides how long its prompt cache keeps something, and when answers were made. @default systemClock */
  readonly clock?: Clock;
  /** Tokens of a text. @default `estimateTokens` of core */
  readonly count?: (text: string) => Tokens;
  /** By which all counts are multiplied, so that they differ from those of the client. @default 1 */
  readonly countFactor?: number;
}

/** A model server on the loopback interface. Nothing leaves the machine. */
export interface ModelServer extends AsyncDisposable {
  /** What the provider's own client takes as its `baseURL`. */
  readonly url: string;
  /** All requests with a body of JSON to a route of the provider, in order of arrival. */
  readonly requests: readonly ServedRequest[];
  /** Waits for the request of that number, from 1. */
  arrival(number: number): Promise<ServedRequest>;
  /** Closes all connections. Disposing it is the same; doing it again does nothing. */
  stop(): Promise<void>;
}

/** Starts a server that behaves like a provider, with a script for a model, on a free port. */
export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const { provider, script, contextTokens, clock = systemClock, count, countFactor } = options;
  const cache = provider === 'anthropic' ? markedCache() : automaticCache();
  const serving: Serving = { script, contextTokens, clock, cache, counting: { count, factor: countFactor } };
  const visits = visitBook();
  const running = new Set<Promise<void>>();
  const server = createServer((incoming, outgoing) => {
    const handled = handle({ incoming, outgoing }, { serving, visits, wires: wiresOf[provider] }).catch(() => {
      outgoing.destroy();
    });
    running.add(handled);
    void handled.then(() => running.delete(handled));
  });
  const port = await listen(server);
  const stop = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
    await Promise.all(running);
  };
  return {
    url: `http://127.0.0.1:${port}${provider === 'openai' ? '/v1' : ''}`,
    requests: visits.requests,
    arrival: visits.arrival,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

const wiresOf: Readonly<Record<ModelServerOptions['provider'], Readonly<Record<string, Wire>>>> = {
  anthropic: { '/v1/messages': anthropicWire },
  openai: { '/v1/chat/completions': openaiChatWire, '/v1/responses': openaiResponsesWire },
};

/** The requests so far, and who waits for the next ones. */
interface VisitBook {
  readonly requests: ServedRequest[];
  arrival(number: number): Promise<ServedRequest>;
  note(request: ServedRequest): void;
}

function visitBook(): VisitBook {
  const requests: ServedRequest[] = [];
  const waiting: { readonly number: number; readonly tell: (request: ServedRequest) => void }[] = [];
  return {
    requests,
    arrival: (number) => {
      const known = requests[number - 1];
      if (known !== undefined) return Promise.resolve(known);
      return new Promise((tell) => {
        waiting.push({ number, tell });
      });
    },
    note: (request) => {
      requests.push(request);
      for (const { number, tell } of waiting) if (number === request.number) tell(request);
    },
  };
}

interface Handling {
  readonly serving: Serving;
  readonly visits: VisitBook;
  readonly wires: Readonly<Record<string, Wire>>;
}

async function handle(
  { incoming, outgoing }: { readonly incoming: IncomingMessage; readonly outgoing: ServerResponse },
  { serving, visits, wires }: Handling,
): Promise<void> {
  const connection = connectionOf(outgoing);
  const { url = '', method = '' } = incoming;
  const wire = wires[url.split('?', 1)[0] ?? ''];
  const text = await readText(incoming);
  if (wire === undefined || method !== 'POST') {
    const [known] = Object.values(wires);
    if (known !== undefined) refuse(connection, { wire: known, status: 404, text: `Invalid URL (${method} ${url})` });
    return;
  }
  const body = bodyOf(text);
  if (body === null) {
    refuse(connection, { wire, status: 400, text: 'The request body is not valid JSON' });
    return;
  }
  const number = visits.requests.length + 1;
  const request = servedRequest(body, { number, wire, serving, connection, incoming });
  visits.note(request);
  await serveRequest({ wire, request, connection, serving });
}

function refuse(
  connection: Connection,
  { wire, status, text }: { readonly wire: Wire; readonly status: number; readonly text: string },
): void {
  const { body } = wire.error({ kind: 'bad-request', text, inputTokens: 0, contextTokens: 0, body: {} });
  sendError(connection, { status, body });
}

interface Served {
  readonly number: number;
  readonly wire: Wire;
  readonly serving: Serving;
  readonly connection: Connection;
  readonly incoming: IncomingMessage;
}

function servedRequest(body: Fields, { number, wire, serving, connection, incoming }: Served): ServedRequest {
  const { stream } = body;
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]);
  return {
    number,
    api: wire.api,
    headers: Object.fromEntries(headers),
    body,
    violations: wire.check(body),
    conversation: wire.read(body),
    stream: stream === true,
    inputTokens: countParts(wire.parts(body), serving.counting).reduce((sum, { tokens }) => sum + tokens, 0),
    ended: connection.ended,
  };
}

async function readText(incoming: IncomingMessage): Promise<string> {
  const chunks: string[] = [];
  incoming.setEncoding('utf8');
  for await (const chunk of incoming) chunks.push(String(chunk));
  return chunks.join('');
}

function bodyOf(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text);
    return fieldsOf(value) === value ? fieldsOf(value) : null;
  } catch {
    return null;
  }
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}
