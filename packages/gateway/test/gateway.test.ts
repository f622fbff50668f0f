import { createHost, definePlugin, memoryStore, VarveError } from '@varve/core';
import { createGateway } from '@varve/gateway';
import { createSessions } from '@varve/sessions';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { rawRequest } from './raw-request.ts';
import { readEvents } from './read-events.ts';
import { serve } from './served.ts';

const key = 'agent:main:main';
const path = `/v1/sessions/${encodeURIComponent(key)}`;

describe('a gateway', () => {
  it('says that it is there to anybody, and nothing else', async () => {
    await using served = await serve();
    const health = await served.call('/health', { role: null });
    expect(health.status).toBe(200);
    expect(health.json).toEqual({ status: 'ok', version: '0' });
    const listed = await served.call('/v1/sessions', { role: null });
    expect(listed.status).toBe(401);
    expect(listed.json.code).toBe('VARVE_TOKEN_INVALID');
    expect(listed.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('takes a message, answers it, and lists the conversation', async () => {
    await using served = await serve();
    const said = await served.say(key, 'Hello there');
    expect(said.status).toBe(200);
    expect(said.json).toMatchObject({ status: 'answered', key, text: 'You said: Hello there', problem: null });
    const { json } = await served.call('/v1/sessions', { role: 'viewer' });
    expect(json.sessions).toHaveLength(1);
    expect(json.sessions[0]).toMatchObject({ kind: 'main', generation: 'current', live: 'idle' });
    expect(json.sessions[0].record.key).toBe(key);
  });

  it('streams an answer piece by piece, and what came of it at the end', async () => {
    await using served = await serve();
    const body = JSON.stringify({ text: 'one two three', messageId: 'm1' });
    await using events = await readEvents(`${served.url}${path}/turn`, {
      method: 'POST',
      token: served.tokens.client,
      headers: { 'content-type': 'application/json' },
      body,
    });
    const all = await events.rest();
    expect(all[0]).toMatchObject({ event: 'stored', data: { messageId: 'm1' } });
    const deltas = all.filter(({ event }) => event === 'delta').map(({ data }) => data.text);
    expect(deltas.length).toBeGreaterThan(2);
    expect(deltas.join('')).toBe('You said: one two three');
    expect(all.at(-1)).toMatchObject({ event: 'end', data: { status: 'answered', text: 'You said: one two three' } });
  });

  it('takes a message once that is sent twice, and gives the answer again', async () => {
    let asked = 0;
    await using served = await serve({ script: () => `answer ${++asked}` });
    const [first, again] = [
      await served.say(key, 'Hello', { messageId: 'm1' }),
      await served.say(key, 'Hello', { messageId: 'm1' }),
    ];
    expect(first.json).toMatchObject({ status: 'answered', text: 'answer 1' });
    expect(again.json).toMatchObject({ status: 'duplicate', text: 'answer 1', seq: first.json.seq });
    expect(asked).toBe(1);
  });

  it('does not listen where other machines reach it while there is no token', async () => {
    const store = memoryStore();
    await using host = await createHost({ store });
    await using sessions = createSessions({ host });
    await using gateway = await createGateway({ host, sessions, store, tokens: { records: async () => [] } });
    await expect(gateway.listen({ host: '0.0.0.0' })).rejects.toMatchObject({ code: 'VARVE_OPTION_INVALID' });
  });

  it('says which limit cannot be', async () => {
    await expect(serve({ limits: { bodyBytes: 0 } })).rejects.toMatchObject({
      code: 'VARVE_OPTION_INVALID',
      details: { path: 'limits.bodyBytes' },
    });
  });

  it('answers to the name of a proxy in front of it when it is told to', async () => {
    await using served = await serve({ allowedHosts: ['varve.example.org'] });
    const ask = (host: string) =>
      rawRequest(served.port, `GET /health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect((await ask('varve.example.org')).statuses).toEqual([200]);
    expect((await ask('other.example.org')).statuses).toEqual([421]);
  });

  it('tells a caller of a model that failed, without what is secret', async () => {
    const key401 = 'sk-live-0123456789abcdef';
    const script = (): never => {
      throw new VarveError('VARVE_MODEL_FAILED', `The key ${key401} in "/home/operator/.env" is wrong.`, {
        fix: 'Set it.',
      });
    };
    await using served = await serve({ script });
    const { json, text } = await served.say(key, 'Hello');
    expect(json).toMatchObject({ status: 'failed', problem: { code: 'VARVE_MODEL_FAILED', status: 502 } });
    expect(text).not.toContain(key401);
    expect(text).not.toContain('/home/operator');
  });

  it('answers a command, and stores nothing of it', async () => {
    await using served = await serve();
    await served.say(key, 'Hello');
    const { json } = await served.say(key, '/status');
    expect(json).toMatchObject({ status: 'command', seq: null });
    expect(json.text).not.toBe('');
    expect((await served.call(`${path}/entries?types=message`)).json.entries).toHaveLength(2);
  });

  it('gives entries a page at a time, from either end, without a gap or a repeat', async () => {
    await using served = await serve();
    for (let turn = 1; turn <= 7; turn += 1) await served.say(key, `message ${turn}`);
    const all = (await served.call(`${path}/entries?limit=1000`)).json.entries.map((one: { seq: number }) => one.seq);
    for (const order of ['asc', 'desc']) {
      for (const types of ['', '&types=message', '&types=request']) {
        const whole = (await served.call(`${path}/entries?limit=1000${types}`)).json.entries;
        const seqs: number[] = [];
        let after = '';
        for (;;) {
          const { json } = await served.call(`${path}/entries?limit=3&order=${order}${types}${after}`);
          seqs.push(...json.entries.map((one: { seq: number }) => one.seq));
          if (json.next === null) break;
          after = `&after=${json.next}`;
        }
        const expected = whole.map((one: { seq: number }) => one.seq);
        expect(seqs, `${order}${types}`).toEqual(order === 'asc' ? expected : expected.toReversed());
      }
    }
    expect(all).toEqual(all.toSorted((a: number, b: number) => a - b));
  });

  it('lists sessions a page at a time, in any order', async () => {
    await using served = await serve();
    for (let peer = 1; peer <= 5; peer += 1) await served.say(`agent:main:direct:p${peer}`, 'Hello');
    for (const sort of ['updated', 'created', 'messages']) {
      const keys: string[] = [];
      let after = '';
      for (;;) {
        const { json } = await served.call(`/v1/sessions?limit=2&sort=${sort}&kind=direct,main${after}`);
        keys.push(...json.sessions.map((one: { record: { key: string } }) => one.record.key));
        if (json.next === null) break;
        after = `&after=${json.next}`;
      }
      expect(new Set(keys).size, sort).toBe(5);
      expect(keys).toHaveLength(5);
    }
  });

  it('shows a plan, carries it out once, and takes it back', async () => {
    await using served = await serve();
    for (let turn = 1; turn <= 4; turn += 1) await served.say(key, `Message ${turn}: ${'the tide, '.repeat(300)}`);
    const post = (what: string, body: unknown) =>
      served.call(`${path}/${what}`, { method: 'POST', body, role: 'client' });
    const { json: shown } = await post('plan', {});
    expect(shown.plan.expect.tokensAfter).toBeLessThan(shown.plan.expect.tokensBefore);
    expect((await served.call(path)).json.compaction).toBeNull();
    const { json: outcome } = await post('commit', { planId: shown.planId });
    expect(outcome.status).toBe('compacted');
    expect((await post('commit', { planId: shown.planId })).status).toBe(409);
    expect((await served.call(path)).json.compaction.id).toBe(outcome.entry.id);
    expect((await served.call(`${path}/context`)).json.tokens).toBeLessThan(outcome.tokensBefore);
    await post('undo', { entryId: outcome.entry.id });
    expect((await served.call(path)).json.compaction).toBeNull();
  });

  it('counts what happens, without a key or a name of anybody', async () => {
    await using served = await serve();
    await served.say(key, 'Hello');
    const { text } = await served.call('/metrics', { role: 'viewer' });
    expect(text).toMatch(/^varve_turns_total\{status="answered"\} 1$/m);
    expect(text).toMatch(/^varve_tokens_total\{kind="inputTokens"\} 10$/m);
    expect(text).toMatch(/^varve_sessions_awake 1$/m);
    expect(text).toMatch(
      /^varve_http_requests_total\{method="POST",route="\/v1\/sessions\/:session\/turn",status="200"\} 1$/m,
    );
    expect(text).not.toMatch(/agent:|viewer|client/);
    const { json } = await served.call('/v1/counters');
    expect(json).toMatchObject({ awake: 1, turns: 0, streams: 0, sums: { turns: 1, inputTokens: 10 } });
  });

  it('says which plugin fails, and why', async () => {
    const failing = definePlugin({
      name: 'acme/failing',
      version: '1.0.0',
      apiVersion: '^1.0.0',
      options: z.strictObject({}),
      apply: ({ hooks }) => {
        hooks.shape.tapPromise('fail', async () => {
          throw new Error('no luck in /etc/passwd/x');
        });
      },
    });
    await using served = await serve({ plugins: [failing()] });
    await served.say(key, 'Hello');
    const { json } = await served.call('/v1/plugins');
    expect(json.plugins).toMatchObject([{ name: 'acme/failing', failures: 1, lastError: 'no luck in [path]' }]);
    const shown = await served.call(path);
    expect(shown.json.health.findings).toMatchObject([{ name: 'acme/failing', isFailing: true }]);
  });
});
