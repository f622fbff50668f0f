import { openApiDocument } from '@varve/gateway/openapi';
import { describe, expect, it } from 'vitest';
import { type Served, serve } from './served.ts';

const roles = ['viewer', 'client', 'owner'] as const;

interface Operation {
  readonly method: string;
  readonly path: string;
  /** The least role that may call it. */
  readonly role: (typeof roles)[number];
}

const { paths } = openApiDocument();

const operations: readonly Operation[] = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, { 'x-role': needed }]) => {
    const role = roles.find((one) => one === needed);
    return role === undefined ? [] : [{ method: method.toUpperCase(), path, role }];
  }),
);

describe('the roles of a gateway', () => {
  it('let nobody do what takes a higher one, and say which one it takes', async () => {
    await using served = await serve();
    for (const { method, path, role } of operations) {
      for (const lower of roles.slice(0, roles.indexOf(role))) {
        const answer = await callAs(served, { method, path, role: lower });
        expect(answer.json, `${lower} ${method} ${path}`).toMatchObject({ status: 403, code: 'VARVE_TOKEN_ROLE' });
        expect(answer.json.detail).toContain(role);
      }
    }
  });

  it('let whoever has one, or a higher one, through to the route', async () => {
    await using served = await serve();
    for (const { method, path, role } of operations.filter((operation) => !operation.path.endsWith('/events'))) {
      for (const enough of roles.slice(roles.indexOf(role))) {
        const { status } = await callAs(served, { method, path, role: enough });
        expect([401, 403], `${enough} ${method} ${path}: ${status}`).not.toContain(status);
        expect(status).toBeLessThan(500);
      }
    }
  });

  it('give the words of an owner, and of nobody else, the weight of the owner', async () => {
    await using served = await serve();
    const path = `/v1/sessions/${encodeURIComponent('agent:main:main')}/turn`;
    const said = { text: '/compact', stream: false };
    for (const role of ['client', 'owner'] as const) {
      const { json } = await served.call(path, { method: 'POST', role, body: { ...said, messageId: role } });
      expect(json.status, JSON.stringify(json)).toBe('command');
    }
    const from = {
      ...{ text: 'Hello', channel: 'telegram', chatType: 'direct', peer: '7', addressed: 'any', stream: false },
      sender: { id: '7', role: 'owner' },
    };
    await served.call('/v1/messages', { method: 'POST', role: 'client', body: { ...from, messageId: 'a' } });
    const { json } = await served.call(`/v1/sessions/${encodeURIComponent('agent:main:main')}/entries?types=message`);
    expect(json.entries.map((entry: { provenance: { senderId?: string } }) => entry.provenance.senderId)).toContain(
      '7',
    );
  });
});

function callAs(served: Served, { method, path, role }: Operation) {
  const where = path
    .replace('{session}', encodeURIComponent('agent:main:direct:nobody'))
    .replace('{name}', 'thinking')
    .replace('{compaction}', 'x');
  return served.call(where, { method, role, ...(method === 'GET' ? {} : { body: {} }) });
}
