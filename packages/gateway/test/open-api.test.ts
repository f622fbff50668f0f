import { validate } from '@readme/openapi-parser';
import { openApiDocument } from '@varve/gateway/openapi';
import { describe, expect, it } from 'vitest';
import { documented } from './documented.ts';
import { readEvents } from './read-events.ts';
import { type Called, type CallOptions, type Served, serve } from './served.ts';

const key = 'agent:main:main';
const session = `/v1/sessions/${encodeURIComponent(key)}`;

describe('the OpenAPI document', () => {
  it('is valid', async () => {
    const document = JSON.parse(JSON.stringify(openApiDocument({ version: '1.2.3' })));
    const result = await validate(document);
    expect(result.valid, JSON.stringify(result)).toBe(true);
  });

  it('has each operation under a name of its own, with a summary and a role', () => {
    const { paths } = openApiDocument();
    const operations = Object.values(paths).flatMap((path) => Object.values(path));
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const operation of operations) {
      expect(operation.summary, operation.operationId).not.toBe('');
      expect(['none', 'viewer', 'client', 'owner'], operation.operationId).toContain(operation['x-role']);
    }
  });

  it('says of every route what it answers with: each is called, and each answer is as it says', async () => {
    await using served = await serve();
    const called = new Set<string>();
    const faults: string[] = [];
    await callAll(served, async (path, options = {}) => {
      const answer = await served.call(path, options);
      const operation = documents.operationOf(options.method ?? 'GET', path);
      if (operation === null) faults.push(`${path} is not in the document`);
      else {
        called.add(operation);
        faults.push(...documents.faultsOf(operation, answer));
        if (answer.status !== 200) faults.push(`${operation}: ${answer.status} ${answer.text}`);
      }
      return answer;
    });
    expect(faults).toEqual([]);
    // Streams have no end of their own: their own tests read them.
    expect(
      documents.operations.filter((operation) => !called.has(operation) && !operation.endsWith('/events')),
    ).toEqual([]);
  });

  it('says of every route that needs a token that it may be refused, and so it is', async () => {
    await using served = await serve();
    for (const operation of documents.closed) {
      const [method = '', path = ''] = operation.split(' ');
      const where = path.replaceAll(/\{\w+\}/g, 'x');
      const body = method === 'GET' ? {} : { body: {} };
      const answer = await served.call(where, { method, role: null, ...body });
      expect(answer.status, operation).toBe(401);
      expect(documents.faultsOf(operation, answer)).toEqual([]);
    }
  });

  it('streams with the type that it says', async () => {
    await using served = await serve();
    await served.say(key, 'Hello');
    for (const path of [`${session}/events`, '/v1/events']) {
      await using events = await readEvents(`${served.url}${path}`, { token: served.tokens.viewer });
      expect(
        documents.faultsOf(`GET ${path.replace(encodeURIComponent(key), '{session}')}`, {
          ...events.response,
          status: 200,
          headers: events.response.headers,
          json: null,
        }),
      ).toEqual([]);
      expect((await events.next()).event).toBe('open');
    }
  });
});

const documents = documented();

type Call = (path: string, options?: CallOptions) => Promise<Called>;

/** Calls every route that does not stream, so that each answers. */
async function callAll(served: Served, call: Call): Promise<void> {
  const post = (path: string, body: unknown): Promise<Called> => call(path, { method: 'POST', body });
  const inbound = {
    ...{ text: 'Hello from afar', channel: 'telegram', chatType: 'direct', peer: '7', addressed: 'any', stream: false },
    sender: { id: '7', role: 'member' },
  };
  await call('/health', { role: null });
  await call('/openapi.json', { role: null });
  await call('/metrics', { role: 'viewer' });
  for (const path of ['/v1/me', '/v1/counters', '/v1/plugins', '/v1/sessions', '/v1/tree']) await call(path);
  for (let turn = 1; turn <= 6; turn += 1) {
    await post(`${session}/turn`, { text: `Message ${turn}: ${'the tide comes in, '.repeat(200)}`, stream: false });
  }
  await post('/v1/messages', inbound);
  await call(`${session}`);
  await call(`${session}/entries?limit=3&types=message&order=desc`);
  await call(`${session}/requests`);
  await call(`${session}/explain?request=2`);
  await call(`${session}/diff?earlier=1&later=3`);
  await call(`${session}/context?query=tide`);
  await post(`${session}/abort`, {});
  const { json } = await post(`${session}/plan`, {});
  await post(`${session}/commit`, { planId: json.planId });
  const shown = await call(session);
  const compactionId = shown.json.compaction.id;
  await call(`${session}/compactions/${compactionId}`);
  await post(`${session}/undo`, { entryId: compactionId });
  await post(`${session}/compact`, { instructions: 'tides' });
  await call(`${session}/settings`);
  await call(`${session}/settings/thinking`, { method: 'PUT', body: { value: 'low' } });
  await call(`${session}/send`);
  await call(`${session}/reset`);
  await post(`${session}/fork`, { newKey: 'agent:main:direct:fork' });
  const { json: reset } = await post(`${session}/reset`, {});
  await post(`${session}/restore`, { sessionId: reset.previousSessionId });
  await post(`/v1/sessions/${encodeURIComponent('agent:main:direct:fork')}/archive`, {});
  await served.say(key, 'At the end');
}
