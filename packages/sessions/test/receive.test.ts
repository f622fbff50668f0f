import { memoryStore, VarveError } from '@varve/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { beginTalk, gate, lastWords, linesIn, plugin, reply } from './talk.ts';

const call = (toolName: string) => ({
  message: {
    role: 'assistant' as const,
    content: [{ type: 'tool-call' as const, toolCallId: 'c1', toolName, input: {} }],
    stop: 'tool-calls' as const,
  },
  usage: null,
});

describe('a message', () => {
  it('is stored in its conversation, answered, and the answer leaves for where it came from', async () => {
    await using talk = await beginTalk();
    const received = await talk.say('Hello!', { account: 'work', messageId: '77' });
    expect(received).toMatchObject({ status: 'answered', reset: null, command: null, failure: null, notices: [] });
    expect(received.route.keyText).toBe('agent:main:main');
    expect(received.turn?.text).toBe('re: Hello!');
    expect(talk.words).toEqual(['typing: ', 'reply: re: Hello!']);
    const to = { channel: 'telegram', account: 'work', recipient: '123', threadId: null, inReplyTo: '77' };
    expect(talk.sent[1]).toMatchObject({ ...to, keyText: 'agent:main:main', decision: { allow: true } });
    expect(received.reply).toEqual(talk.sent[1]);
    expect(await linesIn(talk, received.sessionId)).toEqual(['user: Hello!', 'assistant: re: Hello!']);
  });

  it('says in its entry and in the record where it came from, and who wrote it', async () => {
    await using talk = await beginTalk({ routing: { dmScope: 'per-peer', identityLinks: { ada: ['telegram:123'] } } });
    const { sessionId } = await talk.say('Hello!');
    const record = await talk.host.sessions.get(sessionId);
    expect(record).toMatchObject({
      key: 'agent:main:direct:~ada',
      channel: 'telegram',
      chatType: 'direct',
      identity: 'ada',
      agentId: 'main',
    });
    const [entry] = await talk.sessions.use('agent:main:direct:~ada', async ({ view }) => view.messages());
    expect(entry?.provenance).toEqual({ kind: 'user', channel: 'telegram', senderId: '123' });
  });

  it('is stored alone where nobody answers, or is not to', async () => {
    await using talk = await beginTalk({ answers: false });
    expect(await talk.say('Hello!')).toMatchObject({ status: 'stored', reply: null, decision: null, turn: null });
    await using other = await beginTalk();
    expect(await other.say('One', {}, { answer: false })).toMatchObject({ status: 'stored', turn: null });
    expect(await other.say('Two')).toMatchObject({ status: 'answered' });
    expect(other.asked).toHaveLength(1);
    expect(other.words).toEqual(['typing: ', 'reply: re: Two']);
  });

  it('that begins with two slashes is stored with one', async () => {
    await using talk = await beginTalk();
    const { sessionId, status } = await talk.say('//help is a word');
    expect(status).toBe('answered');
    expect((await linesIn(talk, sessionId))[0]).toBe('user: /help is a word');
  });

  it('is durable before the model is asked, and has its answer when it is delivered again after a crash', async () => {
    const store = memoryStore();
    const asked = gate();
    const first = await beginTalk({
      store,
      script: async () => {
        asked.open();
        return new Promise(() => undefined);
      },
    });
    void first.say('Hello!', { messageId: '7' });
    await asked.opened;
    await using second = await beginTalk({ store });
    const again = await second.say('Hello!', { messageId: '7' });
    expect(again).toMatchObject({ status: 'answered', turn: { text: 're: Hello!' } });
    expect(await linesIn(second, again.sessionId)).toEqual(['user: Hello!', 'assistant: re: Hello!']);
    expect(await second.say('Hello!', { messageId: '7' })).toMatchObject({ status: 'duplicate', reply: null });
  });

  it('that a plugin refuses is not stored, and the caller is told', async () => {
    const refusing = plugin('acme/refusing', ({ hooks }) =>
      hooks.ingest.tapPromise('refuse', ({ message }) => {
        if (message.role !== 'user') return;
        throw new VarveError('VARVE_INGEST_REFUSED', 'No.', { fix: 'Say something else.' });
      }),
    );
    await using talk = await beginTalk({ plugins: [refusing] });
    await expect(talk.say('Hello!')).rejects.toMatchObject({ code: 'VARVE_INGEST_REFUSED' });
    expect(talk.sent).toEqual([]);
  });

  it('whose answer fails is stored, and the next one answers both', async () => {
    let isDown = true;
    await using talk = await beginTalk({
      script: (request) => {
        if (isDown)
          throw new VarveError('VARVE_MODEL_FAILED', 'Down.', { fix: 'Later.', details: { retryable: false } });
        return `re: ${request.prompt.messages.length}`;
      },
    });
    const failed = await talk.say('One');
    expect(failed).toMatchObject({ status: 'failed', reply: null, failure: { code: 'VARVE_MODEL_FAILED' } });
    isDown = false;
    expect(await talk.say('Two')).toMatchObject({ status: 'answered', turn: { pending: [] } });
    expect(await linesIn(talk, failed.sessionId)).toEqual(['user: One', 'user: Two', 'assistant: re: 2']);
  });

  it('whose answer cannot be sent says so, and is not answered again', async () => {
    await using talk = await beginTalk({
      send: ({ kind }) => {
        if (kind === 'reply') throw new Error('The line is dead.');
      },
    });
    const failed = await talk.say('One', { messageId: '1' });
    expect(failed).toMatchObject({ status: 'failed', reply: null, failure: { code: 'VARVE_DELIVERY_FAILED' } });
    expect(failed.failure?.message).toContain('The line is dead.');
    expect(await talk.say('One', { messageId: '1' })).toMatchObject({ status: 'duplicate' });
    expect(talk.asked).toHaveLength(1);
  });

  it('whose caller gives up stays, without an answer', async () => {
    const ending = new AbortController();
    await using talk = await beginTalk({
      script: (_request, { signal }) =>
        new Promise((_, reject) => {
          signal?.addEventListener('abort', () =>
            reject(new VarveError('VARVE_ABORTED', 'Aborted.', { fix: 'Call again.' })),
          );
          ending.abort();
        }),
    });
    const received = await talk.say('One', {}, { signal: ending.signal });
    expect(received).toMatchObject({ status: 'aborted', reply: null });
    expect(await linesIn(talk, received.sessionId)).toEqual(['user: One']);
    expect(talk.words).toEqual(['typing: ']);
  });
});

describe('messages that come while a model answers', () => {
  it('are stored at once, and the step after the next tool answers them: once, for all who wait', async () => {
    const working = gate();
    const wait = gate();
    const tool = {
      name: 'wait',
      description: 'Waits.',
      inputSchema: { type: 'object' },
      execute: async () => {
        working.open();
        await wait.opened;
        return { type: 'text' as const, value: 'Waited.' };
      },
    };
    let calls = 0;
    await using talk = await beginTalk({
      tools: [tool],
      script: (request) => {
        calls += 1;
        return calls === 1 ? call('wait') : reply(`re: ${lastWords(request)}`);
      },
    });
    const one = talk.say('One');
    await working.opened;
    const two = talk.say('Two');
    const three = talk.say('Three');
    await expect.poll(() => linesOf(talk)).toContain('user: Three');
    wait.open();
    const all = await Promise.all([one, two, three]);
    expect(all.map(({ status }) => status)).toEqual(['answered', 'answered', 'answered']);
    expect(calls).toBe(2);
    expect(talk.words.filter((word) => word.startsWith('reply'))).toEqual(['reply: re: Three']);
    expect(new Set(all.map(({ reply: left }) => left)).size).toBe(1);
  });

  it('are asked about for themselves where the answer to another one may not leave', async () => {
    const working = gate();
    const wait = gate();
    const execute = async (): Promise<{ readonly type: 'text'; readonly value: string }> => {
      working.open();
      await wait.opened;
      return { type: 'text', value: 'Waited.' };
    };
    let calls = 0;
    await using talk = await beginTalk({
      plugins: [
        plugin('acme/spoken-to', ({ hooks }) =>
          hooks.deliver.tapPromise('deny', (decision) =>
            decision.delivery.kind === 'reply' && decision.delivery.addressed === 'any'
              ? { ...decision, allow: false, reason: 'Nobody spoke to it.' }
              : undefined,
          ),
        ),
      ],
      tools: [{ name: 'wait', description: 'Waits.', inputSchema: { type: 'object' }, execute }],
      script: (request) => {
        calls += 1;
        return calls === 1 ? call('wait') : reply(`re: ${lastWords(request)}`);
      },
    });
    const chatter = talk.say('One', { addressed: 'any' });
    await working.opened;
    const mention = talk.say('@bot help', { addressed: 'mention' });
    await expect.poll(() => linesOf(talk)).toContain('user: @bot help');
    wait.open();
    expect(await chatter).toMatchObject({ status: 'answered', reply: null, decision: { allow: false } });
    expect(await mention).toMatchObject({ status: 'answered', reply: { text: 're: @bot help' } });
  });

  it('too late for the running turn have the next one to themselves', async () => {
    const asked = gate();
    const wait = gate();
    let calls = 0;
    await using talk = await beginTalk({
      script: async (request) => {
        calls += 1;
        if (calls > 1) return `re: ${lastWords(request)}`;
        asked.open();
        await wait.opened;
        return 'first';
      },
    });
    const one = talk.say('One');
    await asked.opened;
    const two = talk.say('Two');
    const three = talk.say('Three');
    await expect.poll(() => linesOf(talk)).toContain('user: Three');
    wait.open();
    await Promise.all([one, two, three]);
    expect(talk.words.filter((word) => word.startsWith('reply'))).toEqual(['reply: first', 'reply: re: Three']);
    expect(calls).toBe(2);
  });

  it('from another channel get the answer there, too', async () => {
    const asked = gate();
    const wait = gate();
    let calls = 0;
    await using talk = await beginTalk({
      script: async () => {
        calls += 1;
        if (calls > 1) return 'both';
        asked.open();
        await wait.opened;
        return 'first';
      },
    });
    const one = talk.say('One');
    await asked.opened;
    const two = talk.say('Two');
    const three = talk.say('Three', { channel: 'discord', peer: '987' });
    await expect.poll(() => linesOf(talk)).toContain('user: Three');
    wait.open();
    await Promise.all([one, two, three]);
    const replies = talk.sent.filter(({ kind }) => kind === 'reply');
    expect(replies.map(({ channel, text }) => [channel, text])).toEqual([
      ['telegram', 'first'],
      ['telegram', 'both'],
      ['discord', 'both'],
    ]);
  });

  it('in other conversations are answered beside it, as many at once as may', async () => {
    const wait = gate();
    let running = 0;
    let most = 0;
    const queued: string[] = [];
    await using talk = await beginTalk({
      maxConcurrentTurns: 2,
      routing: { dmScope: 'per-peer' },
      script: async (request) => {
        running += 1;
        most = Math.max(most, running);
        await wait.opened;
        running -= 1;
        return `re: ${lastWords(request)}`;
      },
    });
    talk.host.events.on('turn-queued', ({ sessionKey }) => queued.push(sessionKey ?? ''));
    const all = ['a', 'b', 'c', 'd'].map((peer) => talk.say(`from ${peer}`, { peer }));
    await expect.poll(() => queued.length).toBe(2);
    wait.open();
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual(Array(4).fill('answered'));
    expect(most).toBe(2);
  });

  const linesOf = async (talk: Awaited<ReturnType<typeof beginTalk>>): Promise<string[]> => {
    const record = await talk.sessions.current('agent:main:main');
    return record === null ? [] : linesIn(talk, record.sessionId);
  };
});

describe('a message that is delivered twice', () => {
  it('is stored and answered once, also when both arrive at once', async () => {
    await using talk = await beginTalk();
    const [one, two] = await Promise.all([
      talk.say('Hello!', { messageId: '1' }),
      talk.say('Hello!', { messageId: '1' }),
    ]);
    expect([one.status, two.status]).toEqual(['answered', 'duplicate']);
    expect(await talk.say('Hello!', { messageId: '1' })).toMatchObject({ status: 'duplicate', reply: null });
    expect(talk.words).toEqual(['typing: ', 'reply: re: Hello!']);
    expect(await linesIn(talk, one.sessionId)).toEqual(['user: Hello!', 'assistant: re: Hello!']);
  });

  it('is known after a restart, and apart from messages of the same id in other chats, accounts and channels', async () => {
    const store = memoryStore();
    const places = [
      {},
      { channel: 'discord' },
      { account: 'work' },
      { peer: '124' },
      { chatType: 'group' as const },
      { peer: 'x'.repeat(10_000) },
      { peer: `${'x'.repeat(9_999)}y` },
    ];
    const routing = { groupScope: 'main' as const };
    await using talk = await beginTalk({ store, routing });
    for (const place of places) {
      expect(await talk.say('Hello!', { messageId: '1', ...place })).toMatchObject({ status: 'answered' });
    }
    await talk[Symbol.asyncDispose]();
    await using again = await beginTalk({ store, routing });
    for (const place of places) {
      expect(await again.say('Hello!', { messageId: '1', ...place })).toMatchObject({ status: 'duplicate' });
    }
    expect(again.asked).toEqual([]);
  });
});

describe('what is no message', () => {
  it.each<[string, Record<string, unknown>]>([
    ['text', { text: '' }],
    ['text', { text: ' \n' }],
    ['text', { text: 7 }],
    ['channel', { channel: '' }],
    ['peer', { peer: '' }],
    ['messageId', { messageId: '' }],
    ['account', { account: '' }],
    ['agentId', { agentId: '' }],
    ['chatType', { chatType: 'room' }],
    ['sender.id', { sender: { id: '', role: 'owner' } }],
    ['sender.role', { sender: { id: '1', role: 'admin' } }],
    ['sender.role', { sender: { id: '1' } }],
    ['thread.id', { thread: { kind: 'topic', id: '' } }],
    ['addressed', { addressed: 'shouted' }],
  ])('is refused for its %s: %j', async (path, fields) => {
    await using talk = await beginTalk();
    const refused = talk.say('Hello!', fields as never);
    await expect(refused).rejects.toMatchObject({ code: 'VARVE_OPTION_INVALID', details: { path } });
    expect(await talk.host.sessions.list()).toEqual([]);
  });

  it.each([[{ ondelta: () => undefined }], [{ signal: {} }], [{ answer: 'no' }], [null]])(
    'is not received with options that do not exist: %j',
    async (options) => {
      await using talk = await beginTalk();
      await expect(talk.say('Hello!', {}, options as never)).rejects.toMatchObject({ code: 'VARVE_OPTION_INVALID' });
      expect(await talk.host.sessions.list()).toEqual([]);
    },
  );

  it.each([[null], [undefined], ['text'], [7], [[]]])('is refused as a whole: %j', async (given) => {
    await using talk = await beginTalk();
    await expect(talk.sessions.receive(given as never)).rejects.toMatchObject({ code: 'VARVE_OPTION_INVALID' });
  });
});

it('peers of any characters each have a conversation of their own, in which their words stay', async () => {
  const peer = fc.oneof(
    fc.constantFrom('a:b', 'a%3Ab', 'a/b', '../a', 'a\u0000b', '~ada', 'Ada', 'ada', ' ', 'x'.repeat(10_000)),
    fc.string({ minLength: 1 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(peer, { minLength: 2, maxLength: 6 }), async (peers) => {
      await using talk = await beginTalk({ routing: { dmScope: 'per-channel-peer' } });
      const received = [];
      for (const one of peers) received.push(await talk.say(`I am ${JSON.stringify(one)}`, { peer: one }));
      expect(new Set(received.map(({ route }) => route.keyText)).size).toBe(peers.length);
      for (const [index, { sessionId }] of received.entries()) {
        const said = `I am ${JSON.stringify(peers[index])}`;
        expect(await linesIn(talk, sessionId)).toEqual([`user: ${said}`, `assistant: re: ${said}`]);
      }
    }),
    { numRuns: 40 },
  );
});

describe('the name of a channel', () => {
  it('is the same whatever the case of its letters: one conversation, one record, no message twice', async () => {
    await using talk = await beginTalk({ routing: { dmScope: 'per-channel-peer' } });
    const first = await talk.say('One', { channel: 'Telegram', messageId: '1' });
    const again = await talk.say('One', { channel: 'telegram', messageId: '1' });
    const next = await talk.say('Two', { channel: 'TELEGRAM', messageId: '2' });
    expect([first, again, next].map(({ status }) => status)).toEqual(['answered', 'duplicate', 'answered']);
    expect(new Set([first, again, next].map(({ sessionId }) => sessionId)).size).toBe(1);
    expect(first.reply).toMatchObject({ channel: 'telegram', keyText: 'agent:main:telegram:direct:123' });
    expect(await talk.host.sessions.get(first.sessionId)).toMatchObject({ channel: 'telegram' });
  });
});
