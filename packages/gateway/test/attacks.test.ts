import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mintToken } from '@varve/gateway';
import { jsonlStore } from '@varve/stores/jsonl';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { attacks } from './attack-rows.ts';
import { rawRequest } from './raw-request.ts';
import { type Served, serve } from './served.ts';

const key = 'agent:main:main';
const session = `/v1/sessions/${encodeURIComponent(key)}`;

describe('a gateway that is attacked', () => {
  let served: Served;
  let root: string;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'varve-gateway-'));
    served = await serve({
      store: jsonlStore({ root }),
      limits: { failuresPerMinute: 1_000, requestMs: 1_000, headerBytes: 16_384 },
    });
    await served.say(key, 'Hello');
  });
  afterAll(async () => {
    await served[Symbol.asyncDispose]();
    await rm(root, { recursive: true });
  });

  it.each(attacks)('answers $status to $what', async ({ path, how = {}, status, code }) => {
    const answer = await served.call(path, how);
    expect(answer.status, answer.text).toBe(status);
    expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
    expect(answer.json.status).toBe(status);
    if (code !== undefined) expect(answer.json.code).toBe(code);
    expect(answer.text).not.toContain(root);
    expect(answer.text).not.toMatch(/node_modules|at \w+ \(|passwd:/);
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('has stored nothing of all that', async () => {
    const { json: page } = await served.call('/v1/sessions');
    expect(page.sessions.map((one: { record: { key: string } }) => one.record.key)).toEqual([key]);
    const { json: entries } = await served.call(`${session}/entries?types=message`);
    expect(entries.entries).toHaveLength(2);
    expect((await readdir(root)).sort()).toEqual(['agents']);
    expect(({} as { role?: string }).role).toBeUndefined();
  });

  const bearer = (): string => `Authorization: Bearer ${served.tokens.client}\r\n`;
  const post = (headers: string, body: string): string =>
    `POST ${session}/turn HTTP/1.1\r\nHost: 127.0.0.1\r\n${bearer()}Content-Type: application/json\r\n${headers}\r\n${body}`;
  const inner = `GET /v1/sessions HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;

  it.each([
    { what: 'two lengths that differ', headers: `Content-Length: 4\r\nContent-Length: 60\r\n`, body: `null${inner}` },
    {
      what: 'a length beside chunks',
      headers: `Content-Length: 4\r\nTransfer-Encoding: chunked\r\n`,
      body: `0\r\n\r\n${inner}`,
    },
    {
      what: 'chunks that are named in another way',
      headers: `Transfer-Encoding: xchunked\r\n`,
      body: `0\r\n\r\n${inner}`,
    },
    { what: 'a length that is no number', headers: `Content-Length: 0x4\r\n`, body: `null${inner}` },
    { what: 'a negative length', headers: `Content-Length: -1\r\n`, body: inner },
    { what: 'a size of a chunk that is none', headers: `Transfer-Encoding: chunked\r\n`, body: `zz\r\n${inner}` },
    {
      what: 'a header that is folded',
      headers: `X-A: b\r\n Content-Length: 4\r\nContent-Length: 0\r\n`,
      body: `null${inner}`,
    },
    { what: 'a space before the colon', headers: `Content-Length : 4\r\n`, body: `null${inner}` },
    { what: 'a header with a zero byte', headers: `X-A: a\0b\r\nContent-Length: 4\r\n`, body: `null${inner}` },
  ])('does not carry a second request in one with $what', async ({ headers, body }) => {
    const { statuses } = await rawRequest(served.port, post(headers, body));
    expect(statuses).toEqual([400]);
  });

  it.each([
    { what: 'the name of another place', host: 'Host: evil.example\r\n', status: 421 },
    { what: 'a name that begins like this machine', host: 'Host: 127.0.0.1.evil.example\r\n', status: 421 },
    { what: 'a name with an account', host: 'Host: 127.0.0.1@evil.example\r\n', status: 421 },
    { what: 'no name', host: '', status: 400 },
    { what: 'two names', host: 'Host: 127.0.0.1\r\nHost: evil.example\r\n', status: 400 },
  ])('answers $status under $what', async ({ host, status }) => {
    const { statuses } = await rawRequest(served.port, `GET /health HTTP/1.1\r\n${host}Connection: close\r\n\r\n`);
    expect(statuses).toEqual([status]);
  });

  it('ends a connection whose headers do not stop', async () => {
    const { statuses } = await rawRequest(
      served.port,
      `GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: ${'a'.repeat(40_000)}\r\n\r\n`,
    );
    expect(statuses).toEqual([431]);
  });

  it('ends a connection whose headers never end, and one whose body never ends', async () => {
    const begun = [`GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: `, post('Content-Length: 1000\r\n', '{"text":"')];
    for (const { statuses } of await Promise.all(begun.map((bytes) => rawRequest(served.port, bytes)))) {
      expect(statuses.filter((status) => status !== 408)).toEqual([]);
    }
  });

  it('speaks no other protocol on the port', async () => {
    const { statuses } = await rawRequest(served.port, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    expect(statuses.filter((status) => status < 400)).toEqual([]);
  });

  it.each([
    { what: 'TRACE', line: 'TRACE /v1/sessions', headers: '' },
    { what: 'CONNECT', line: 'CONNECT evil.example:443', headers: '' },
    { what: 'a method of its own', line: 'GETT /health', headers: '' },
    {
      what: 'another protocol to upgrade to',
      line: 'GET /v1/sessions',
      headers: 'Connection: Upgrade\r\nUpgrade: websocket\r\n',
    },
    {
      what: 'HTTP/2 to upgrade to',
      line: 'GET /v1/sessions',
      headers: 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAA\r\n',
    },
    { what: 'an address with a line break', line: 'GET /v1/sessions\r\nX: y', headers: '' },
    { what: 'two hundred headers', line: 'GET /v1/sessions', headers: 'X-A: b\r\n'.repeat(200) },
  ])('gives nothing away to $what', async ({ line, headers }) => {
    const { statuses, text } = await rawRequest(
      served.port,
      `${line} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}Connection: close\r\n\r\n`,
    );
    expect(
      statuses.every((status) => status >= 400),
      text,
    ).toBe(true);
  });

  it('does not ask for a body that it would not take', async () => {
    const { statuses } = await rawRequest(
      served.port,
      post('Expect: 100-continue\r\nContent-Length: 90000000\r\nConnection: close\r\n', ''),
    );
    expect(statuses.at(-1)).toBe(413);
  });

  it('takes an address in absolute form for what it names, and answers to its own names alone', async () => {
    const { statuses, text } = await rawRequest(
      served.port,
      'GET http://evil.example/health HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
    );
    expect(
      statuses.every((status) => status >= 400),
      text,
    ).toBe(true);
  });

  it('refuses a token at once that is revoked, or has expired', async () => {
    const { token, record } = mintToken({ name: 'phone', role: 'owner', now: 0 });
    const headers = { authorization: `Bearer ${token}` };
    served.records.push(record);
    const index = served.records.length - 1;
    expect((await served.call('/v1/me', { role: null, headers })).status).toBe(200);
    served.records[index] = { ...record, revokedAt: 1 };
    expect((await served.call('/v1/me', { role: null, headers })).status).toBe(401);
    served.records[index] = { ...record, expiresAt: Date.now() - 1 };
    expect((await served.call('/v1/me', { role: null, headers })).status).toBe(401);
    served.records.splice(index, 1);
  });

  it('does not let a client speak as the owner', async () => {
    const said = await served.say(key, '/send off');
    expect(said.json.status).not.toBe('failed');
    const { json: shown } = await served.call(`${session}/settings`);
    expect(shown.settings.send).toBeUndefined();
  });

  it('writes neither tokens nor texts nor keys into its log', async () => {
    await served.say(key, 'a secret of mine');
    const log = served.log.join('');
    expect(log).toContain('"status":401');
    for (const secret of [...Object.values(served.tokens), 'a secret of mine', key, encodeURIComponent(key)]) {
      expect(log).not.toContain(secret);
    }
  });
});

describe('the limits of a gateway', () => {
  it('refuse a token that asks too often, and tell it when to come back', async () => {
    await using served = await serve({ limits: { requestsPerMinute: 3 } });
    const statuses: number[] = [];
    for (let count = 0; count < 5; count += 1) statuses.push((await served.call('/v1/me', { role: 'viewer' })).status);
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    const refused = await served.call('/v1/me', { role: 'viewer' });
    expect(refused.json.code).toBe('VARVE_REQUEST_LIMIT');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    // Others are not asked to pay for it.
    expect((await served.call('/v1/me', { role: 'client' })).status).toBe(200);
  });

  it('refuse an address that sends wrong tokens too often, and nobody whose token holds', async () => {
    await using served = await serve({ limits: { failuresPerMinute: 2 } });
    const statuses: number[] = [];
    for (let count = 0; count < 4; count += 1) statuses.push((await served.call('/v1/me', { role: null })).status);
    expect(statuses).toEqual([401, 401, 429, 429]);
    expect((await served.call('/v1/me')).status).toBe(200);
  });

  it('refuse more turns and streams at once than a token may have', async () => {
    let begin = (): void => undefined;
    let end = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const ended = new Promise<string>((resolve) => {
      end = () => resolve('done');
    });
    const script = (): Promise<string> => {
      begin();
      return ended;
    };
    await using served = await serve({ script, limits: { turnsPerToken: 1, streamsPerToken: 1 } });
    const first = served.say(key, 'one');
    await begun;
    const second = await served.say('agent:main:direct:x', 'two');
    expect(second.json).toMatchObject({ status: 429, code: 'VARVE_REQUEST_LIMIT' });
    end();
    expect((await first).json.status).toBe('answered');
    expect((await served.say('agent:main:direct:x', 'two')).json.status).toBe('answered');
    const leaving = new AbortController();
    const headers = { authorization: `Bearer ${served.tokens.viewer}` };
    const open = await fetch(`${served.url}/v1/events`, { headers, signal: leaving.signal });
    expect(open.status).toBe(200);
    expect((await served.call('/v1/events', { role: 'viewer' })).status).toBe(429);
    leaving.abort();
  });
});
