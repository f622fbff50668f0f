import { createHost, type DeliveryDecision, type DeliveryKind, type Plugin } from '@varve/core';
import { createSessions } from '@varve/sessions';
import { describe, expect, it } from 'vitest';
import { beginTalk, denying, gate, linesIn, plugin, reply, resetting, type Talk } from './talk.ts';

const key = 'agent:main:main';
const other = 'agent:main:telegram:group:-7';

/** Tries five ways out of a conversation; announcements are those of sub-agents. */
async function tryAll(talk: Talk): Promise<void> {
  await talk.say('Hello!');
  await talk.say('/new');
  await talk.say('/status');
  await talk.sessions.deliver(key, { kind: 'typing' });
  await talk.sessions.deliver(key, { kind: 'reaction', text: '👍', inReplyTo: 'm1' });
  await talk.sessions.deliver(key, { kind: 'announcement', text: 'It is done.' });
  await talk.sessions.deliver(key, { kind: 'cross-session', to: other, text: 'Psst.' });
}

const kinds: readonly DeliveryKind[] = ['reply', 'typing', 'reaction', 'cross-session', 'announcement', 'greeting'];

function decisionsOf(talk: Talk): DeliveryDecision[] {
  const decisions: DeliveryDecision[] = [];
  talk.host.events.on('delivery-decided', ({ decision }) => decisions.push(decision));
  return decisions;
}

const wrong = (name: string, answer: (decision: DeliveryDecision) => unknown): Plugin =>
  plugin(`acme/${name}`, ({ hooks }) => hooks.deliver.tapPromise('decide', answer as never));

describe('the way out', () => {
  it('is asked for each of the six kinds, and what is allowed leaves', async () => {
    await using talk = await beginTalk({ plugins: [resetting()] });
    const decisions = decisionsOf(talk);
    await tryAll(talk);
    expect(new Set(decisions.map(({ delivery }) => delivery.kind))).toEqual(new Set(kinds));
    const left = new Set(talk.sent.map(({ kind }) => kind));
    expect(left).toEqual(new Set(kinds.filter((kind) => kind !== 'cross-session')));
    const [entry] = await talk.sessions.use(other, async ({ view }) => view.messages());
    expect(entry).toMatchObject({
      message: { role: 'user', content: 'Psst.' },
      provenance: { kind: 'inter-session', sessionKey: key },
    });
    for (const { decision } of talk.sent) expect(decisions).toContainEqual(decision);
  });

  it.each<[string, Plugin]>([
    ['denies', denying(() => true)],
    [
      'throws',
      wrong('throwing', () => {
        throw new Error('No idea.');
      }),
    ],
    ['answers nonsense', wrong('nonsense', () => 'yes')],
    ['allows what is denied', wrong('generous', (decision) => ({ ...decision, allow: 'yes' }))],
  ])('is closed for all of them by a policy that %s, and the result says why', async (_, policy) => {
    await using talk = await beginTalk({ plugins: [resetting(), policy] });
    const decisions = decisionsOf(talk);
    const deltas: string[] = [];
    await tryAll(talk);
    const received = await talk.say('Once more', {}, { onDelta: ({ type }) => deltas.push(type) });
    expect(talk.sent).toEqual([]);
    expect(deltas).toEqual([]);
    expect(decisions.length).toBeGreaterThan(6);
    expect(decisions.every(({ allow }) => !allow)).toBe(true);
    expect(await talk.sessions.current(other)).toBeNull();
    expect(received).toMatchObject({
      status: 'answered',
      reply: null,
      decision: { allow: false, reason: expect.stringMatching(/./) },
    });
    expect(received.turn?.text).toBe('re: Once more');
  });

  it('is closed by a policy that is late', async () => {
    const asked: string[] = [];
    const late = wrong('late', ({ delivery }) => {
      asked.push(delivery.kind);
      return new Promise(() => undefined);
    });
    await using talk = await beginTalk({ plugins: [late] });
    const received = talk.say('Hello!');
    for (const kind of ['typing', 'reply']) {
      await expect.poll(() => asked.at(-1)).toBe(kind);
      talk.clock.advance(1_001);
    }
    expect(await received).toMatchObject({ status: 'answered', reply: null, decision: { allow: false } });
    expect(talk.sent).toEqual([]);
  });

  it('asks no model for a greeting that may not leave', async () => {
    await using talk = await beginTalk({ plugins: [resetting(), denying((kind) => kind === 'greeting')] });
    expect(await talk.say('/new')).toMatchObject({ status: 'reset', turn: null, decision: { allow: false } });
    expect(talk.asked).toEqual([]);
  });

  it('is asked again with the words of an answer, once they are there', async () => {
    await using talk = await beginTalk({ plugins: [denying((_, text) => text?.includes('secret') === true)] });
    expect(await talk.say('Tell me the secret.')).toMatchObject({
      reply: null,
      decision: { allow: false, reason: 'Not now.' },
    });
    expect(await talk.say('Hello!')).toMatchObject({ reply: { text: 're: Hello!' }, decision: { allow: true } });
  });

  it('hands on the pieces of an answer when answers may leave, and falls silent when that changes', async () => {
    const half = gate();
    const wait = gate();
    await using talk = await beginTalk({
      script: async (_request, { onDelta }) => {
        onDelta?.({ type: 'text', text: 'one ' });
        half.open();
        await wait.opened;
        onDelta?.({ type: 'text', text: 'two' });
        return reply('one two');
      },
    });
    const pieces: string[] = [];
    const received = talk.say(
      'Hello!',
      {},
      { onDelta: (delta) => pieces.push(delta.type === 'text' ? delta.text : '') },
    );
    await half.opened;
    await talk.sessions.use(key, (session) => session.set('send', 'off'));
    wait.open();
    await received;
    expect(pieces).toEqual(['one ']);
  });

  it('hands on no piece that is made when the permission has ended', async () => {
    const half = gate();
    const wait = gate();
    await using talk = await beginTalk({
      script: async (_request, { onDelta }) => {
        onDelta?.({ type: 'text', text: 'one ' });
        half.open();
        await wait.opened;
        onDelta?.({ type: 'text', text: 'two' });
        return reply('one two');
      },
    });
    const send = { mode: 'on', until: talk.clock.now() + 60_000, at: talk.clock.now() };
    await talk.sessions.use(key, (session) => session.set('send', send));
    const pieces: unknown[] = [];
    const received = talk.say(
      'Hello!',
      {},
      { onDelta: (delta) => pieces.push(delta.type === 'text' ? delta.text : '') },
    );
    await half.opened;
    talk.clock.advance(120_000);
    wait.open();
    await received;
    expect(pieces).toEqual(['one ']);
  });

  it('asks a policy again while an answer is long in the making', async () => {
    const half = gate();
    const wait = gate();
    let isNight = false;
    const night = wrong('night', (decision) =>
      isNight ? { ...(decision as object), allow: false, reason: 'Night.' } : decision,
    );
    await using talk = await beginTalk({
      plugins: [night],
      script: async (_request, { onDelta }) => {
        onDelta?.({ type: 'text', text: 'one ' });
        half.open();
        await wait.opened;
        for (const text of ['two ', 'three']) {
          onDelta?.({ type: 'text', text });
          for (let tick = 0; tick < 100; tick += 1) await Promise.resolve();
        }
        return reply('one two three');
      },
    });
    const pieces: unknown[] = [];
    const received = talk.say(
      'Hello!',
      {},
      { onDelta: (delta) => pieces.push(delta.type === 'text' ? delta.text : '') },
    );
    await half.opened;
    isNight = true;
    talk.clock.advance(5_000);
    wait.open();
    expect(await received).toMatchObject({ decision: { allow: false } });
    expect(pieces).not.toContain('three');
  });

  it('does not hand on a sign of life that fails, nor wait for one that hangs', async () => {
    const sent: string[] = [];
    await using talk = await beginTalk({
      send: ({ kind, text = '' }) => {
        sent.push(`${kind}: ${text}`);
        return kind === 'typing' ? new Promise(() => undefined) : undefined;
      },
    });
    expect(await talk.say('Hello!')).toMatchObject({ status: 'answered' });
    expect(sent).toEqual(['typing: ', 'reply: re: Hello!']);
    await using failing = await beginTalk({
      send: ({ kind }) => {
        if (kind === 'typing') throw new Error('No.');
      },
    });
    expect(await failing.say('Hello!')).toMatchObject({ status: 'answered', reply: { text: 're: Hello!' } });
  });

  it('tells policies how the agent was spoken to, and where an answer goes', async () => {
    await using talk = await beginTalk();
    const decisions = decisionsOf(talk);
    await talk.say('Hello!', {
      chatType: 'group',
      peer: '-7',
      sender: { id: '9', role: 'member' },
      addressed: 'mention',
      thread: { kind: 'topic', id: '4' },
    });
    expect(decisions.at(-1)?.delivery).toMatchObject({
      kind: 'reply',
      sessionKey: `${other}:topic:4`,
      channel: 'telegram',
      chatType: 'group',
      recipient: '-7',
      addressed: 'mention',
      provenance: { kind: 'user', channel: 'telegram', senderId: '9' },
      text: 're: Hello!',
    });
    expect(talk.sent.at(-1)).toMatchObject({ threadId: '4', inReplyTo: 'm1' });
  });
});

describe('what a conversation says by itself', () => {
  it('goes to where it was last written to from, also after a restart', async () => {
    await using talk = await beginTalk();
    await talk.say('Hello!');
    await talk.say('Hello!', { channel: 'discord', peer: '987', account: 'work' });
    await using again = await beginTalk({ store: talk.store });
    await talk[Symbol.asyncDispose]();
    await again.sessions.deliver(key, { kind: 'announcement', text: 'It is done.' });
    expect(again.sent).toMatchObject([{ channel: 'discord', recipient: '987', account: 'work', text: 'It is done.' }]);
  });

  it('says so when it cannot be sent', async () => {
    await using talk = await beginTalk({
      send: () => Promise.reject(new Error('The line is dead.')),
    });
    await talk.say('Hello!');
    const delivering = talk.sessions.deliver(key, { kind: 'announcement', text: 'It is done.' });
    await expect(delivering).rejects.toMatchObject({
      code: 'VARVE_DELIVERY_FAILED',
      details: { kind: 'announcement' },
    });
  });

  it.each([
    { kind: 'announcement', text: 'It is done.' },
    { kind: 'cross-session', to: other, text: 'Psst.' },
  ] as const)('is refused for a conversation that is not there, and begins none: $kind', async (what) => {
    await using talk = await beginTalk();
    const refused = talk.sessions.deliver('agent:main:telegram:direct:misspelt', what);
    await expect(refused).rejects.toMatchObject({ code: 'VARVE_SESSION_UNKNOWN' });
    expect([await talk.host.sessions.list(), talk.sent]).toEqual([[], []]);
  });

  it('is refused where nobody knows where to, unless that is said', async () => {
    await using talk = await beginTalk();
    await talk.sessions.use(key, (session) => session.ingest({ role: 'user', content: 'Hello!' }));
    const what = { kind: 'announcement', text: 'It is done.' } as const;
    await expect(talk.sessions.deliver(key, what)).rejects.toMatchObject({
      code: 'VARVE_DELIVERY_FAILED',
      details: { why: 'address' },
    });
    expect(talk.sent).toEqual([]);
    const to = { channel: 'telegram', account: null, peer: '123', threadId: null };
    expect(await talk.sessions.deliver(key, { ...what, to })).toMatchObject({ allow: true });
    expect(talk.sent).toMatchObject([{ channel: 'telegram', recipient: '123' }]);
  });

  it('is refused where nothing carries it out', async () => {
    await using host = await createHost();
    await using sessions = createSessions({ host });
    await sessions.use(key, (session) => session.ingest({ role: 'user', content: 'Hello!' }));
    const to = { channel: 'telegram', account: null, peer: '123', threadId: null };
    await expect(sessions.deliver(key, { kind: 'announcement', text: 'Done.', to })).rejects.toMatchObject({
      code: 'VARVE_DELIVERY_FAILED',
      details: { why: 'send' },
    });
  });

  it('to another conversation is stored there once, and answered by nobody', async () => {
    await using talk = await beginTalk();
    await talk.say('Hello!', {}, { answer: false });
    for (let time = 0; time < 2; time += 1) {
      await talk.sessions.deliver(key, { kind: 'cross-session', to: other, text: 'Psst.', key: 'x1' });
    }
    const record = await talk.sessions.current(other);
    expect(await linesIn(talk, record?.sessionId ?? '')).toEqual(['user: Psst.']);
    expect(talk.asked).toEqual([]);
  });

  it.each([
    ['agent:main:main', 'VARVE_OPTION_INVALID'],
    ['somewhere', 'VARVE_KEY_INVALID'],
    ['agent:main:direct:', 'VARVE_KEY_INVALID'],
  ])('cannot go to %j', async (to, code) => {
    await using talk = await beginTalk();
    await expect(talk.sessions.deliver(key, { kind: 'cross-session', to, text: 'Psst.' })).rejects.toMatchObject({
      code,
    });
    expect(await talk.host.sessions.list()).toEqual([]);
  });

  it.each<[string, unknown]>([
    ['kind', { kind: 'shout', text: 'Hey!' }],
    ['kind', null],
    ['text', { kind: 'cross-session', to: other }],
    ['text', { kind: 'announcement', text: 7 }],
  ])('is refused without a valid %s: %j', async (path, what) => {
    await using talk = await beginTalk();
    const refused = talk.sessions.deliver(key, what as never);
    await expect(refused).rejects.toMatchObject({ code: 'VARVE_OPTION_INVALID', details: { path } });
    expect(talk.sent).toEqual([]);
  });
});
