import { memoryStore, VarveError } from '@varve/core';
import { describe, expect, it } from 'vitest';
import { beginTalk, gate, linesIn, resetting, type Talk } from './talk.ts';

const key = 'agent:main:main';

async function currentLines(talk: Talk): Promise<string[]> {
  const record = await talk.sessions.current(key);
  return record === null ? [] : linesIn(talk, record.sessionId);
}

/** A model that never answers, but ends when it is aborted. */
const untilAborted =
  (asked: () => void) =>
  (_request: unknown, { signal }: { signal?: AbortSignal | undefined }) =>
    new Promise<string>((_, reject) => {
      asked();
      signal?.addEventListener('abort', () => reject(new VarveError('VARVE_ABORTED', 'Aborted.', { fix: 'Again.' })));
    });

describe('/new', () => {
  it('begins the conversation anew, and greets where nothing follows it', async () => {
    await using talk = await beginTalk({ plugins: [resetting()] });
    const before = await talk.say('Hello!');
    const received = await talk.say('/new');
    expect(received).toMatchObject({
      status: 'reset',
      reset: { reason: 'command', previousSessionId: before.sessionId },
      command: { text: 'A new conversation begins.' },
      reply: { kind: 'greeting', text: 're: Greet the user.' },
    });
    expect(talk.words).toEqual(['typing: ', 'reply: re: Hello!', 'typing: ', 'greeting: re: Greet the user.']);
    expect(await linesIn(talk, received.sessionId)).toEqual([
      'user: Greet the user.',
      'assistant: re: Greet the user.',
    ]);
    const [entry] = await talk.sessions.use(key, async ({ view }) => view.messages());
    expect(entry?.provenance).toEqual({ kind: 'system-event' });
    expect(talk.asked[1]?.prompt.messages).toHaveLength(1);
  });

  it('answers the message that follows it, with the model that is named', async () => {
    await using talk = await beginTalk({ plugins: [resetting()] });
    await talk.say('Hello!');
    const received = await talk.say('/new test/small What is a varve?');
    expect(received).toMatchObject({ status: 'reset', reply: { kind: 'reply', text: 're: What is a varve?' } });
    expect(talk.chosen).toEqual(['test/large', 'test/small']);
    expect((await talk.say('And now?')).status).toBe('answered');
    expect(talk.chosen[2]).toBe('test/small');
  });

  it('with a model that nobody knows changes nothing, and says which are known', async () => {
    await using talk = await beginTalk({ plugins: [resetting()] });
    const before = await talk.say('Hello!');
    const received = await talk.say('/new test/huge What is a varve?');
    expect(received).toMatchObject({ status: 'command', sessionId: before.sessionId, reset: null, turn: null });
    expect(received.command?.text).toContain('There is no model "test/huge"');
    expect(received.command?.text).toContain('large (test/large), small (test/small)');
    expect(await talk.sessions.generations(key)).toHaveLength(1);
    expect((await talk.say('And now?')).sessionId).toBe(before.sessionId);
  });

  it.each(['member', 'unknown'] as const)('of a %s is a message like any other', async (role) => {
    await using talk = await beginTalk({ plugins: [resetting()] });
    const before = await talk.say('Hello!');
    const received = await talk.say('/new', { sender: { id: '9', role } });
    expect(received).toMatchObject({ status: 'answered', sessionId: before.sessionId, command: null });
    expect(await currentLines(talk)).toContain('user: /new');
  });

  it('is carried out once, also when it is delivered again: at once, later, and after a restart', async () => {
    const store = memoryStore();
    const plugins = [resetting()];
    await using talk = await beginTalk({ store, plugins });
    await talk.say('Hello!', { messageId: 'before' });
    const [one, two] = await Promise.all([talk.say('/new', { messageId: '5' }), talk.say('/new', { messageId: '5' })]);
    expect([one.status, two.status]).toEqual(['reset', 'duplicate']);
    expect(await talk.say('/new', { messageId: '5' })).toMatchObject({ status: 'duplicate', sessionId: one.sessionId });
    await talk[Symbol.asyncDispose]();
    await using again = await beginTalk({ store, plugins });
    expect(await again.say('/new', { messageId: '5' })).toMatchObject({ status: 'duplicate' });
    expect(await again.say('Hello!', { messageId: 'before' })).toMatchObject({ status: 'duplicate', reply: null });
    expect(await again.sessions.generations(key)).toHaveLength(2);
    expect(await currentLines(again)).toEqual(['user: Greet the user.', 'assistant: re: Greet the user.']);
    expect(await again.say('/new', { messageId: '6' })).toMatchObject({ status: 'reset' });
    expect(await again.say('/new', { messageId: '5' })).toMatchObject({ status: 'duplicate' });
  });

  it('that was cut short after the conversation had begun anew is completed when it is delivered again', async () => {
    const store = memoryStore();
    const plugins = [resetting()];
    const asked = gate();
    const first = await beginTalk({
      store,
      plugins,
      script: async () => {
        asked.open();
        return new Promise(() => undefined);
      },
    });
    void first.say('/new What is a varve?', { messageId: '5' });
    await asked.opened;
    await using second = await beginTalk({ store, plugins });
    expect(await second.say('/new What is a varve?', { messageId: '5' })).toMatchObject({
      status: 'answered',
      reset: null,
      reply: { text: 're: What is a varve?' },
    });
    expect(await second.sessions.generations(key)).toHaveLength(2);
    expect(await currentLines(second)).toEqual(['user: What is a varve?', 'assistant: re: What is a varve?']);
  });

  it('ends the turn that runs, and what waits for it; what comes after it belongs to the new conversation', async () => {
    const asked = gate();
    let calls = 0;
    await using talk = await beginTalk({
      plugins: [resetting()],
      script: (request, options) => {
        calls += 1;
        return calls === 1 ? untilAborted(asked.open)(request, options) : `answer ${calls}`;
      },
    });
    const running = talk.say('One');
    await asked.opened;
    const waiting = talk.say('Two');
    const begun = talk.say('/new');
    const after = talk.say('Three');
    const all = await Promise.all([running, waiting, begun, after]);
    expect(all.map(({ status }) => status)).toEqual(['aborted', 'aborted', 'reset', 'answered']);
    expect(all[3].sessionId).toBe(all[2].sessionId);
    expect(await linesIn(talk, all[0].sessionId)).toEqual(['user: One', 'user: Two']);
    const lines = await currentLines(talk);
    // The greeting is answered before the next message comes, or with it.
    expect(lines.filter((line) => line.startsWith('user'))).toEqual(['user: Greet the user.', 'user: Three']);
    expect(lines.filter((line) => line.startsWith('assistant'))).toEqual(
      calls === 3 ? ['assistant: answer 2', 'assistant: answer 3'] : ['assistant: answer 2'],
    );
    expect(lines.at(-1)).toBe(`assistant: answer ${calls}`);
  });

  it('says so itself where nobody greets', async () => {
    await using talk = await beginTalk({ plugins: [resetting({ greeting: null })] });
    await talk.say('Hello!');
    expect(await talk.say('/new')).toMatchObject({
      status: 'reset',
      turn: null,
      reply: { kind: 'reply', text: 'A new conversation begins.' },
    });
    await using silent = await beginTalk({ plugins: [resetting()], answers: false });
    expect(await silent.say('/new Hello!')).toMatchObject({ status: 'reset', reply: null });
    expect(await currentLines(silent)).toEqual(['user: Hello!']);
  });
});

describe('a conversation that is due to end', () => {
  it('ends with the next message, which is the first of the new one', async () => {
    let first = '';
    await using talk = await beginTalk({ plugins: [resetting({ isDue: (sessionId) => sessionId === first })] });
    const before = await talk.say('One');
    first = before.sessionId;
    const after = await talk.say('Two');
    expect(after).toMatchObject({
      status: 'answered',
      reset: { reason: 'daily', text: 'A new day.', previousSessionId: before.sessionId },
    });
    expect(await linesIn(talk, after.sessionId)).toEqual(['user: Two', 'assistant: re: Two']);
    expect(await linesIn(talk, before.sessionId)).toEqual(['user: One', 'assistant: re: One']);
  });

  it('goes on while a turn runs, and ends with the first message after it', async () => {
    let isDue = false;
    const asked = gate();
    const wait = gate();
    let calls = 0;
    await using talk = await beginTalk({
      plugins: [resetting({ isDue: () => isDue })],
      script: async () => {
        calls += 1;
        if (calls > 1) return `answer ${calls}`;
        asked.open();
        await wait.opened;
        return 'answer 1';
      },
    });
    const one = talk.say('One');
    await asked.opened;
    isDue = true;
    const two = talk.say('Two');
    await expect.poll(() => currentLines(talk)).toEqual(['user: One', 'user: Two']);
    wait.open();
    expect([(await one).reset, (await two).reset]).toEqual([null, null]);
    expect((await two).sessionId).toBe((await one).sessionId);
    expect(await talk.say('Three')).toMatchObject({ reset: { previousSessionId: (await one).sessionId } });
  });

  it('does not end with a message that is known', async () => {
    const store = memoryStore();
    await using talk = await beginTalk({ store, answers: false });
    const before = await talk.say('One', { messageId: '1' });
    await talk[Symbol.asyncDispose]();
    await using again = await beginTalk({ store, plugins: [resetting({ isDue: () => true })] });
    expect(await again.say('One', { messageId: '1' })).toMatchObject({
      status: 'answered',
      sessionId: before.sessionId,
      reset: null,
    });
  });

  it('ends once when several messages come at once', async () => {
    let first = '';
    await using talk = await beginTalk({ plugins: [resetting({ isDue: (sessionId) => sessionId === first })] });
    first = (await talk.say('One')).sessionId;
    const all = await Promise.all([talk.say('Two'), talk.say('Three'), talk.say('Four')]);
    expect(new Set(all.map(({ sessionId }) => sessionId)).size).toBe(1);
    expect(all.filter(({ reset }) => reset !== null)).toHaveLength(1);
    expect(await talk.sessions.generations(key)).toHaveLength(2);
  });

  it.each([
    ['/new', { command: { text: 'A new conversation begins.' }, reply: { text: 'A new conversation begins.' } }],
    ['/new test/small', { command: { text: 'A new conversation begins.' }, reply: { kind: 'reply' } }],
    ['/new test/small Two', { reply: { text: 're: Two' } }],
  ])('ends once for %s, which is carried out and answered', async (text, expected) => {
    let first = '';
    const policy = resetting({ greeting: null, isDue: (sessionId) => sessionId === first });
    await using talk = await beginTalk({ plugins: [policy] });
    first = (await talk.say('One')).sessionId;
    const reset = { reason: 'daily', previousSessionId: first };
    expect(await talk.say(text, { messageId: 'new' })).toMatchObject({ status: 'reset', reset, ...expected });
    expect(await talk.say(text, { messageId: 'new' })).toMatchObject({ status: 'duplicate', reset: null });
    expect(await talk.sessions.generations(key)).toHaveLength(2);
    await talk.say('Three');
    expect(talk.chosen.at(-1)).toBe(text === '/new' ? 'test/large' : 'test/small');
  });

  it('does not end before anything was said in it', async () => {
    await using talk = await beginTalk({ plugins: [resetting({ isDue: () => true })] });
    expect(await talk.say('One')).toMatchObject({ status: 'answered', reset: null });
    expect(await talk.say('Two')).toMatchObject({ status: 'answered', reset: { reason: 'daily' } });
  });

  it('keeps its settings, those of security above all', async () => {
    let isDue = false;
    await using talk = await beginTalk({ plugins: [resetting({ isDue: () => isDue })] });
    await talk.say('/model small');
    await talk.say('Hello!', {}, { answer: false });
    await talk.sessions.use(key, (session) => session.set('send', 'off'));
    isDue = true;
    const { sessionId } = await talk.say('One', {}, { answer: false });
    isDue = false;
    const settings = await talk.sessions.use(key, async ({ view }) => view.settings);
    expect(settings).toMatchObject({ model: 'test/small', send: 'off' });
    expect((await talk.sessions.current(key))?.sessionId).toBe(sessionId);
  });
});
