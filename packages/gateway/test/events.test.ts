import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jsonlStore } from '@varve/stores/jsonl';
import { describe, expect, it } from 'vitest';
import { type ReadEvent, readEvents } from './read-events.ts';
import { type Served, serve } from './served.ts';

const key = 'agent:main:main';
const session = `/v1/sessions/${encodeURIComponent(key)}`;

describe('the events of a session', () => {
  it('are its entries as they are stored, each once and in order, from where the client was', async () => {
    await using served = await serve();
    await served.say(key, 'one');
    await using events = await follow(served, `${session}/events`);
    await events.next('open');
    await served.say(key, 'two');
    const seqs = [(await events.next('entry')).data.seq];
    for (let count = 1; count < 3; count += 1) seqs.push((await events.next('entry')).data.seq);
    const { json } = await served.call(`${session}/entries`);
    const stored = json.entries.map((entry: { seq: number }) => entry.seq);
    expect(seqs).toEqual(stored.slice(-3));
  });

  it('go on behind any event without a gap or a repeat, while turns run', async () => {
    await using served = await serve();
    for (let turn = 1; turn <= 4; turn += 1) await served.say(key, `message ${turn}`);
    const { json } = await served.call(`${session}/entries?limit=1000`);
    const stored: readonly string[] = json.entries.map((entry: { id: string }) => entry.id);
    const talking = Promise.all([5, 6, 7].map((turn) => served.say(key, `message ${turn}`)));
    let lastId: string | null = null;
    const seen: string[] = [];
    // A client that loses its connection behind every second event.
    while (seen.length < stored.length + 6) {
      const from: string = lastId === null ? '?after=0' : '';
      await using events = await follow(served, `${session}/events${from}`, lastId);
      for (let count = 0; count < 2; count += 1) {
        const event: ReadEvent = await events.next('entry');
        lastId = event.id;
        seen.push(event.data.id);
      }
    }
    await talking;
    const all = await served.call(`${session}/entries?limit=1000`);
    expect(seen).toEqual(all.json.entries.slice(0, seen.length).map((entry: { id: string }) => entry.id));
    expect(new Set(seen).size).toBe(seen.length);
  });

  it('are followed into the next generation, and from an id of the one before', async () => {
    await using served = await serve();
    const first = await served.say(key, 'one');
    await using events = await follow(served, `${session}/events`);
    const { id } = await events.next('open');
    const reset = await served.call(`${session}/reset`, { method: 'POST', body: {} });
    const told = await events.next('generation');
    expect(told.data).toEqual({ sessionId: reset.json.sessionId, previousSessionId: first.json.sessionId });
    await served.say(key, 'two');
    expect((await events.next('entry')).data.seq).toBe(1);
    await using again = await follow(served, `${session}/events`, id);
    await again.next('generation');
    expect((await again.next('entry')).data.seq).toBe(1);
  });

  it('go on with what is said behind an archive', async () => {
    // Nobody looks by himself for so long.
    await using served = await serve({ limits: { pollMs: 600_000 } });
    await served.say(key, 'one');
    await using events = await follow(served, `${session}/events`);
    await events.next('open');
    await served.call(`${session}/archive`, { method: 'POST', body: {} });
    const next = await served.say(key, 'two');
    expect((await events.next('generation')).data.sessionId).toBe(next.json.sessionId);
    expect((await events.next('entry')).data.message.content).toBe('two');
  });

  it('of a session that is named by its id end with it', async () => {
    await using served = await serve();
    const { json } = await served.say(key, 'one');
    await served.call(`${session}/reset`, { method: 'POST', body: {} });
    await using events = await follow(served, `/v1/sessions/${json.sessionId}/events?after=0`);
    const { data } = await events.next('entry');
    expect(data.message.content).toBe('one');
  });

  it('tell what goes on while it does', async () => {
    await using served = await serve();
    await served.say(key, 'one');
    await using events = await follow(served, `${session}/events`);
    await events.next('open');
    await served.say(key, 'two');
    expect((await events.next('live')).data).toMatchObject({ name: 'turn-started', sessionKey: key });
  });

  it('come to another gateway on the same files, from an id of the first one', async () => {
    const root = await mkdtemp(join(tmpdir(), 'varve-gateway-'));
    {
      await using first = await serve({ store: jsonlStore({ root }) });
      await using second = await serve({ store: jsonlStore({ root }), limits: { pollMs: 20 } });
      await first.say(key, 'one');
      await using here = await follow(first, `${session}/events?after=0`);
      const { id } = await here.next('entry');
      await using there = await follow(second, `${session}/events`, id);
      const before = await there.next('entry');
      expect(before.data.seq).toBe(2);
      await first.say(key, 'two');
      for (;;) {
        const { data } = await there.next('entry');
        if (data.type === 'message' && data.message.content === 'two') break;
      }
    }
    await rm(root, { recursive: true });
  });

  it('end for a client that does not read, whose memory is bounded, and go on where it was', async ({ signal }) => {
    await using served = await serve({ limits: { streamBytes: 65_536, stallMs: 300 } });
    await served.say(key, 'one');
    // More than the buffers of a connection hold.
    const large = 'x'.repeat(400_000);
    for (let count = 0; count < 40; count += 1) {
      await served.sessions.use(key, (one) => one.ingest({ role: 'user', content: large }));
    }
    const socket = connect(served.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(
      `GET ${session}/events?after=0 HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${served.tokens.viewer}\r\n\r\n`,
    );
    await streamsAre(served, 1, signal);
    await streamsAre(served, 0, signal);
    // What the system had taken is read at last.
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk) => {
      text += chunk;
    });
    await new Promise((resolve) => socket.once('close', resolve));
    const whole = text.slice(0, text.lastIndexOf('\n\n'));
    const lastId = [...whole.matchAll(/^id: (.+)$/gm)].at(-1)?.[1] ?? '';
    expect(lastId).not.toBe('');
    const seq = Number(lastId.split(':')[1]);
    await using events = await follow(served, `${session}/events`, lastId);
    expect((await events.next('entry')).data.seq).toBe(seq + 1);
  });
});

describe('a stream of events', () => {
  it('ends when its token is revoked', async () => {
    await using served = await serve({ limits: { heartbeatMs: 10 } });
    await served.say(key, 'one');
    await using events = await follow(served, `${session}/events`);
    await using all = await follow(served, '/v1/events');
    await events.next('open');
    const index = served.records.findIndex(({ role }) => role === 'viewer');
    const record = served.records[index];
    if (record !== undefined) served.records[index] = { ...record, revokedAt: 1 };
    await events.rest();
    await all.rest();
    expect((await served.call('/v1/me', { role: 'viewer' })).status).toBe(401);
  });
});

describe('the events of all sessions', () => {
  it('are their records as they change, and those that changed while nobody listened', async () => {
    await using served = await serve();
    await using events = await follow(served, '/v1/events');
    await events.next('open');
    await served.say(key, 'one');
    const told = await events.next('session');
    expect(told.data.key).toBe(key);
    await served.say('agent:main:direct:x', 'two');
    await using again = await follow(served, '/v1/events', told.id);
    for (;;) if ((await again.next('session')).data.key === 'agent:main:direct:x') break;
  });
});

/** Waits until so many streams are open. */
async function streamsAre(served: Served, count: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const { json } = await served.call('/v1/counters');
    if (json.streams === count) return;
  }
}

function follow(served: Served, path: string, lastId: string | null = null) {
  const headers: Record<string, string> = lastId === null ? {} : { 'last-event-id': lastId };
  return readEvents(`${served.url}${path}`, { token: served.tokens.viewer, headers });
}
