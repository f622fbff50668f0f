import type { Inbound, Tool } from '@varve/core';
import { thinkingLevels, verboseLevels } from '@varve/sessions/config';
import { describe, expect, it } from 'vitest';
import { beginTalk, gate, linesIn, plugin, reply, resetting, type Script, type Talk } from './talk.ts';

const key = 'agent:main:main';
const member: Partial<Inbound> = { sender: { id: '9', role: 'member' } };
const stranger: Partial<Inbound> = { sender: { id: '8', role: 'unknown' } };

async function settingsOf(talk: Talk): Promise<Readonly<Record<string, unknown>>> {
  return talk.sessions.use(key, async ({ view }) => view.settings);
}

describe('a command', () => {
  it('is answered, leaves nothing in the conversation, and its reply leaves as an answer does', async () => {
    await using talk = await beginTalk();
    const received = await talk.say('/status', { messageId: '7' });
    expect(received).toMatchObject({ status: 'command', turn: null, reply: { kind: 'reply', inReplyTo: '7' } });
    expect(received.command?.text).toContain('Model: test/large');
    expect(talk.words).toEqual([`reply: ${received.command?.text}`]);
    expect(await linesIn(talk, received.sessionId)).toEqual([]);
    expect(talk.asked).toEqual([]);
  });

  it('that is delivered again is carried out once', async () => {
    let times = 0;
    const counting = plugin('acme/counting', ({ hooks }) =>
      hooks.command.tapPromise('count', ({ name }) => {
        if (name !== 'count') return undefined;
        times += 1;
        return { text: `${times}` };
      }),
    );
    await using talk = await beginTalk({ plugins: [counting] });
    const [one, two] = await Promise.all([
      talk.say('/count', { messageId: '1' }),
      talk.say('/count', { messageId: '1' }),
    ]);
    expect([one.status, two.status]).toEqual(['command', 'duplicate']);
    expect(await talk.say('/count', { messageId: '1' })).toMatchObject({ status: 'duplicate', reply: null });
    expect(await talk.say('/count', { messageId: '2' })).toMatchObject({ status: 'command', command: { text: '2' } });
  });

  it.each(['/model is a word', '/think about it', '/verbose text please', '//nothing'])(
    '%s is none, and is answered as a message',
    async (text) => {
      await using talk = await beginTalk();
      expect(await talk.say(text)).toMatchObject({
        status: 'answered',
        command: null,
        reply: { text: `re: ${text.replace('//', '/')}` },
      });
    },
  );

  it.each<[text: string, says: RegExp]>([
    ['/neww', /no command \/neww.*Nothing was done or stored/],
    ['/bogus and more', /no command \/bogus/],
    ['/send off', /needs the plugin send-policy/],
    ['/new', /needs the plugin reset-policy/],
    ['/think xhighh', /^Say \/think \[off\|/],
    ['/verbose maybe', /^Say \/verbose \[off\|/],
  ])('%s is told to be wrong, and neither stored nor answered by a model', async (text, says) => {
    await using talk = await beginTalk();
    const received = await talk.say(text);
    expect(received).toMatchObject({ status: 'command', turn: null, reply: { text: expect.stringMatching(says) } });
    expect(await linesIn(talk, received.sessionId)).toEqual([]);
    expect(talk.asked).toEqual([]);
    expect(await talk.sessions.use(key, async ({ view }) => view.settings)).toEqual({});
  });

  it('that nobody knows is a message in a room, where it may be for another program, unless the agent is spoken to', async () => {
    await using talk = await beginTalk();
    const room = { chatType: 'group', peer: '-7' } as const;
    expect(await talk.say('/roll 6', room)).toMatchObject({ status: 'answered', command: null });
    expect(await talk.say('/roll 6', { ...room, addressed: 'mention' })).toMatchObject({ status: 'command' });
  });

  it('that a plugin lists and leaves alone is a message', async () => {
    await using talk = await beginTalk({ plugins: [resetting()] });
    expect(await talk.say('/new', member)).toMatchObject({ status: 'answered', reply: { text: 're: /new' } });
  });

  it('/help lists those of core, of plugins and of conversations', async () => {
    const listing = plugin('acme/listing', ({ listCommand, hooks }) => {
      listCommand({ command: '/shout', what: 'Shouts.' });
      hooks.command.tapPromise('shout', () => undefined);
    });
    await using talk = await beginTalk({ plugins: [listing] });
    const { command } = await talk.say('/help', stranger);
    for (const line of ['/compact [focus]: ', '/status: ', '/shout: Shouts.', '/model ', '/think ', '/verbose ']) {
      expect(command?.text).toContain(line);
    }
  });

  it.each(['/status', '/context'])('%s shows nothing to whom nobody knows, and something to a member', async (text) => {
    await using talk = await beginTalk();
    await talk.say('A secret.');
    const hidden = await talk.say(text, stranger);
    expect(hidden).toMatchObject({ status: 'command', command: { data: { status: 'refused' } } });
    expect(hidden.command?.text).not.toContain('secret');
    expect((await talk.say(text, member)).command?.text).toContain('tokens');
  });
});

describe('/model', () => {
  it('shows which model answers, and which have names', async () => {
    await using talk = await beginTalk();
    const { command } = await talk.say('/model', member);
    expect(command?.text).toBe('test/large answers (the default). Known: large (test/large), small (test/small).');
  });

  it('chooses another by its short name or its whole one, and goes back to the default', async () => {
    await using talk = await beginTalk();
    expect((await talk.say('/model Small')).command?.text).toBe('test/small answers from now on.');
    await talk.say('One');
    expect((await talk.say('/model')).command?.data).toEqual({ model: 'test/small', chosen: true });
    await talk.say('/model test/large');
    await talk.say('Two');
    await talk.say('/model default');
    await talk.say('Three');
    expect(talk.chosen).toEqual(['test/small', 'test/large', 'test/large']);
    expect((await talk.say('/model')).command?.data).toEqual({ model: 'test/large', chosen: false });
  });

  it('changes nothing for a model that nobody knows, nor for somebody else than the owner', async () => {
    await using talk = await beginTalk();
    const unknown = await talk.say('/model test/huge');
    expect(unknown.command).toMatchObject({ data: { error: 'unknown-model', known: ['test/large', 'test/small'] } });
    for (const who of [member, stranger]) {
      expect((await talk.say('/model small', who)).command?.data).toEqual({ status: 'refused' });
    }
    expect(await settingsOf(talk)).not.toHaveProperty('model');
  });

  it('R-25: the budget is that of the model that answers now, there and back', async () => {
    const budget = ({ model }: { readonly model: string }) => ({
      windowTokens: model === 'large' ? 1_000_000 : 200_000,
    });
    await using talk = await beginTalk({ host: { budget } });
    const windowOf = async (): Promise<unknown> => {
      const { command } = await talk.say('/status');
      return JSON.parse(JSON.stringify(command?.data ?? null))?.budget?.window;
    };
    expect(await windowOf()).toBe(1_000_000);
    await talk.say('One');
    await talk.say('/model small');
    expect(await windowOf()).toBe(200_000);
    await talk.say('Two');
    await talk.say('/model large');
    expect(await windowOf()).toBe(1_000_000);
  });

  it('that is not there any more gives way to the default one, and people are told', async () => {
    await using talk = await beginTalk();
    await talk.sessions.use(key, (session) => session.set('model', 'test/gone'));
    const received = await talk.say('One');
    const notice = 'The model test/gone is not there any more; test/large answers.';
    expect(received).toMatchObject({ status: 'answered', notices: [notice] });
    expect(talk.words).toEqual(['typing: ', `reply: ${notice}`, 'reply: re: One']);
  });
});

describe('/think', () => {
  it('says how much the model thinks, until it is told otherwise', async () => {
    await using talk = await beginTalk();
    await talk.say('/think high');
    await talk.say('One');
    await talk.say('/think off');
    await talk.say('Two');
    await talk.say('/think default');
    await talk.say('Three');
    expect(talk.chosen).toEqual(['test/large high', 'test/large off', 'test/large']);
    expect((await talk.say('/think', stranger)).command?.data).toEqual({ thinking: null });
    expect((await talk.say('/think low', member)).command?.data).toEqual({ status: 'refused' });
  });
});

describe('a level', () => {
  it.each(thinkingLevels.map((level) => [level]))('of thinking may be %s, in whatever case', async (level) => {
    await using talk = await beginTalk();
    expect((await talk.say(`/think ${level.toUpperCase()}`)).command?.data).toEqual({ thinking: level });
    await talk.say('One');
    expect(talk.chosen).toEqual([`test/large ${level}`]);
  });

  it.each(verboseLevels.map((level) => [level]))('of what is told may be %s', async (level) => {
    await using talk = await beginTalk();
    expect((await talk.say(`/verbose ${level}`)).command?.data).toEqual({ verbose: level });
    expect(await settingsOf(talk)).toEqual({ verbose: level });
  });

  it.each([
    [true, 'on'],
    [false, 'off'],
    ['full', 'full'],
    ['loud', 'off'],
    [7, 'off'],
  ])('of what is told is read from a setting that holds %j', async (value, level) => {
    await using talk = await beginTalk();
    await talk.say('One');
    await talk.sessions.use(key, (session) => session.set('verbose', value));
    expect((await talk.say('/verbose')).command?.data).toEqual({ verbose: level });
  });
});

describe('/verbose', () => {
  it('full tells of the tools that a turn called, on does not', async () => {
    const tool: Tool = {
      name: 'dig',
      description: 'Digs.',
      inputSchema: { type: 'object' },
      execute: async () => ({ type: 'text', value: 'clay' }),
    };
    const calls = (id: string) => ({ type: 'tool-call', toolCallId: id, toolName: 'dig', input: {} }) as const;
    const script: Script = ({ prompt }) =>
      prompt.messages.at(-1)?.role === 'tool'
        ? 'Done.'
        : { message: { role: 'assistant', content: [calls('a'), calls('b')], stop: 'tool-calls' }, usage: null };
    await using talk = await beginTalk({ tools: [tool], script });
    expect((await talk.say('Dig!')).notices).toEqual([]);
    await talk.say('/verbose full');
    expect((await talk.say('Dig!')).notices).toEqual(['Called: dig ×2.']);
    await talk.say('/verbose on');
    expect((await talk.say('Dig!')).notices).toEqual([]);
  });

  const long = 'clay '.repeat(400);
  const eager = plugin('acme/eager', ({ hooks }) =>
    hooks.shouldCompact.tapPromise('when it is full', ({ level }) => level !== 'none'),
  );
  const small = { plugins: [eager], host: { budget: { inputTokens: 4_000 } } } as const;

  it('tells of an automatic compaction, in a message of its own before the answer', async () => {
    await using talk = await beginTalk({ ...small, script: () => long });
    await talk.say('/verbose on');
    const told = [];
    for (let turn = 0; turn < 12; turn += 1) told.push(...(await talk.say(`${turn} ${long}`)).notices);
    expect(told[0]).toMatch(/^Compacted: \d+k? → \d+k? tokens; a summary stands for #\d+ to #\d+\.$/);
    expect(talk.words).toContain(`reply: ${told[0]}`);
  });

  it('tells with the next message of one that ran in the background', async () => {
    const background = plugin('acme/background', ({ hooks }) =>
      hooks.shouldCompact.tapPromise('beside', ({ trigger, level }) => trigger === 'background' && level !== 'none'),
    );
    await using talk = await beginTalk({ ...small, plugins: [background], script: () => long });
    await talk.say('/verbose on');
    const committed: string[] = [];
    talk.host.events.on('compaction-committed', ({ reason }) => committed.push(reason));
    let turns = 0;
    while (committed.length === 0 && turns < 12) {
      turns += 1;
      const { notices } = await talk.say(`${turns} ${long}`);
      expect(notices).toEqual([]);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(committed).toEqual(['background']);
    const { notices } = await talk.say('And now?');
    expect(notices[0]).toMatch(/^Compacted: /);
    expect((await talk.say('And now?')).notices).toEqual([]);
  });

  it('off says nothing of it', async () => {
    await using talk = await beginTalk({ ...small, script: () => long });
    const told = [];
    for (let turn = 0; turn < 12; turn += 1) told.push(...(await talk.say(`${turn} ${long}`)).notices);
    expect(told).toEqual([]);
    const record = await talk.sessions.current(key);
    expect(record?.counters.compactions).toBeGreaterThan(0);
    expect((await talk.say('/verbose on', stranger)).command?.data).toEqual({ status: 'refused' });
    expect((await talk.say('/verbose')).command?.data).toEqual({ verbose: 'off' });
  });
});

describe('/compact', () => {
  it('keeps nobody from speaking: what comes meanwhile is stored and answered', async () => {
    const begun = gate();
    const wait = gate();
    const slow = plugin('acme/slow', ({ hooks }) =>
      hooks.summarize.tapPromise('wait', async () => {
        begun.open();
        await wait.opened;
        return 'It was about clay.';
      }),
    );
    await using talk = await beginTalk({ plugins: [slow], script: () => reply('silt '.repeat(2_000)) });
    for (let turn = 0; turn < 6; turn += 1) await talk.say(`${turn} ${'clay '.repeat(2_000)}`);
    const compacting = talk.say('/compact the clay');
    await begun.opened;
    expect(await talk.say('Meanwhile')).toMatchObject({ status: 'answered' });
    wait.open();
    const compacted = await compacting;
    expect(compacted).toMatchObject({ status: 'command', command: { data: { status: 'compacted' } } });
    const record = await talk.sessions.current(key);
    expect((await linesIn(talk, record?.sessionId ?? '')).filter((line) => line === 'user: Meanwhile')).toHaveLength(1);
  });

  it('ends when the conversation is begun anew, which does not wait for it', async () => {
    const begun = gate();
    const slow = plugin('acme/slow', ({ hooks }) =>
      hooks.summarize.tapPromise('wait', async () => {
        begun.open();
        return new Promise<string>(() => undefined);
      }),
    );
    await using talk = await beginTalk({ plugins: [slow, resetting()], script: () => 'silt '.repeat(2_000) });
    for (let turn = 0; turn < 6; turn += 1) await talk.say(`${turn} ${'clay '.repeat(2_000)}`);
    const compacting = talk.say('/compact');
    await begun.opened;
    expect(await talk.say('/new Hello!')).toMatchObject({ status: 'reset' });
    expect(['aborted', 'command']).toContain((await compacting).status);
  });
});

describe('a command that takes long', () => {
  it('of a plugin keeps nobody from speaking, and is carried out once, however often it is delivered', async () => {
    const begun = gate();
    const wait = gate();
    let times = 0;
    const digging = plugin('acme/digging', ({ hooks, listCommand }) => {
      listCommand({ command: '/dig', what: 'Digs.', takesLong: true });
      hooks.command.tapPromise('dig', async ({ name }) => {
        if (name !== 'dig') return undefined;
        times += 1;
        begun.open();
        await wait.opened;
        return { text: 'Clay.' };
      });
    });
    await using talk = await beginTalk({ plugins: [digging] });
    const digs = talk.say('/dig', { messageId: 'dig' });
    await begun.opened;
    expect(await talk.say('Meanwhile')).toMatchObject({ status: 'answered' });
    expect(await talk.say('/dig', { messageId: 'dig' })).toMatchObject({ status: 'duplicate' });
    wait.open();
    expect(await digs).toMatchObject({ status: 'command', command: { text: 'Clay.' }, reply: { text: 'Clay.' } });
    expect(await talk.say('/dig', { messageId: 'dig' })).toMatchObject({ status: 'duplicate' });
    expect(times).toBe(1);
    expect(await talk.say('/dig')).toMatchObject({ status: 'command' });
    expect(times).toBe(2);
  });
});

describe('how full a conversation is', () => {
  it('is the number that /status shows, with the tools of its turns; and begins none', async () => {
    const look: Tool = {
      name: 'look',
      description: 'Looks. '.repeat(200),
      inputSchema: { type: 'object' },
      execute: async () => ({ type: 'text', value: 'seen' }),
    };
    await using talk = await beginTalk({ tools: [look] });
    expect(await talk.sessions.pressure(key)).toBeNull();
    expect(await talk.host.sessions.list()).toEqual([]);
    await talk.say('Hello!');
    const pressure = await talk.sessions.pressure(key);
    const { command } = await talk.say('/status');
    expect(command?.data).toMatchObject({ tokens: pressure?.tokens, level: pressure?.level });
    expect(pressure?.tokens).toBeGreaterThan(200);
    expect(pressure?.model).toEqual({ provider: 'test', model: 'large' });
  });
});
