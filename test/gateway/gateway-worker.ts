import { createServer, request as httpRequest, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { type Clock, createHost, type ModelPort, type Store, systemClock, VarveError } from '@varve/core';
import { createGateway, type TokenRecord } from '@varve/gateway';
import { strata } from '@varve/preset-strata';
import { createSessions } from '@varve/sessions';
import { jsonlStore } from '@varve/stores/jsonl';
import { postgresStore } from '@varve/stores/postgres';
import pg from 'pg';
import type { ServeJob } from './gateway-process.ts';
import { readStream } from './read-stream.ts';
import { hashOf } from './token-hash.ts';

const job: ServeJob = JSON.parse(process.argv[2] ?? '{}');

/** Lets what is awake sleep; there is nothing where no gateway is. */
let rest = async (): Promise<void> => undefined;

process.on('message', (message) => {
  if (message === 'used') tell('used');
  if (message === 'rested') void rest().then(() => tell('rested'));
});

function tell(what: string): void {
  const { user, system } = process.cpuUsage();
  // What is held, and not what is about to be let go of.
  globalThis.gc?.();
  const { rss, heapUsed: heap } = process.memoryUsage();
  process.send?.({ [what]: { cpu: user + system, rss, heap } });
}

if (job.kind === 'model') await serveModel(job);
else if (job.kind === 'proxy') await serveProxy(job);
else await serveGateway(job);

/** A model of a provider: an answer in pieces, over server-sent events. */
async function serveModel({ pieces = 20, pieceMs = 20 }: ServeJob): Promise<void> {
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      const { name = '' } = JSON.parse(body) as { readonly name?: string };
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      let left = pieces;
      const timer = setInterval(() => {
        left -= 1;
        response.write(`event: piece\ndata: ${JSON.stringify(`${name}-${pieces - left} `)}\n\n`);
        if (left > 0) return;
        clearInterval(timer);
        response.end('event: end\ndata: {}\n\n');
      }, pieceMs);
      response.on('close', () => clearInterval(timer));
    });
  });
  await listen(server);
}

/** Hands on what it gets, and nothing else. */
async function serveProxy({ modelUrl = '' }: ServeJob): Promise<void> {
  const server = createServer((request, response) => {
    const asked = httpRequest(modelUrl, { method: request.method, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    asked.on('error', () => response.destroy());
    request.pipe(asked);
  });
  await listen(server);
}

async function listen(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

async function serveGateway({ token = '', drainMs = 10_000, ...where }: ServeJob): Promise<void> {
  const { store, end } = openStore(where);
  const clock = where.clock === undefined ? systemClock : fastClock(where.clock);
  const host = await createHost({ store, clock, plugins: strata() });
  const model = modelAt(where.modelUrl ?? '');
  const sessions = createSessions({
    host,
    send: () => undefined,
    models: { defaultModel: 'fake/model', port: () => model },
  });
  const record: TokenRecord = {
    ...{ id: 'load', name: 'load', role: 'owner', hash: hashOf(token) },
    ...{ createdAt: 0, expiresAt: null, revokedAt: null },
  };
  const gateway = await createGateway({
    host,
    sessions,
    store,
    tokens: { records: async () => [record] },
    limits: { requestsPerMinute: 1_000_000, turnsPerToken: 10_000, streamsPerToken: 10_000, drainMs, pollMs: 250 },
  });
  rest = async () => {
    await Promise.all(sessions.states().map(({ keyText }) => sessions.hibernate(keyText)));
  };
  process.once('SIGTERM', () => {
    void gateway
      .close()
      .then(() => sessions.close())
      .then(() => host.close())
      .then(() => store[Symbol.asyncDispose]())
      .then(end)
      .then(() => process.disconnect());
  });
  const { url } = await gateway.listen();
  process.send?.({ url });
}

function openStore({ root, database }: ServeJob): { readonly store: Store; end(): Promise<void> } {
  if (database === undefined) return { store: jsonlStore({ root: root ?? '' }), end: async () => undefined };
  const pool = new pg.Pool({ max: 10, ...database.connection });
  pool.on('error', () => undefined);
  return { store: postgresStore({ pool, schema: database.schema, pollMs: 500 }), end: () => pool.end() };
}

/** A port of the model, as an adapter would make one. */
function modelAt(url: string): ModelPort {
  return {
    ref: { provider: 'fake', model: 'model' },
    generate: async ({ prompt }, { signal, onDelta } = {}) => {
      const last = prompt.messages.findLast(({ role }) => role === 'user');
      const text = typeof last?.content === 'string' ? last.content : JSON.stringify(last?.content ?? '');
      const name = /msg-[\w-]+/.exec(text)?.[0] ?? 'none';
      const body = JSON.stringify({ name, prompt });
      const pieces: string[] = [];
      try {
        const response = await fetch(url, { method: 'POST', body, ...(signal === undefined ? {} : { signal }) });
        for await (const { event, data } of readStream(response)) {
          if (event !== 'piece') continue;
          pieces.push(data as string);
          onDelta?.({ type: 'text', text: data as string });
        }
      } catch (cause) {
        const code = signal?.aborted === true ? 'VARVE_ABORTED' : 'VARVE_MODEL_FAILED';
        throw new VarveError(code, 'The model gave no whole answer.', { fix: 'Ask again.', cause });
      }
      const usage = { inputTokens: 100, outputTokens: pieces.length, cacheReadTokens: 0, cacheWriteTokens: 0 };
      return { message: { role: 'assistant', content: pieces.join(''), stop: 'stop' }, usage };
    },
  };
}

function fastClock({ from, speed }: NonNullable<ServeJob['clock']>): Clock {
  return {
    now: () => Math.round(from + (Date.now() - from) * speed),
    after: (delay, callback) => {
      const timer = setTimeout(callback, Math.min(2_147_483_647, Math.ceil(delay / speed)));
      return () => clearTimeout(timer);
    },
  };
}
