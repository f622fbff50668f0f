import { createHost, VarveError } from '@varve/core';
import { askReset } from '@varve/core/host';
import { type ResetPolicyOptions, resetPolicy, resetRequestOf } from '@varve/plugin-reset-policy';
import { describe, expect, it } from 'vitest';
import { conversation, inboundWith } from './conversation.ts';

const hour = 3_600_000;
const at = (iso: string) => Date.parse(iso);
const model = { provider: 'test', model: 'test-1' };
const owner = { id: 'anna', role: 'owner' } as const;
const models = { opus: 'anthropic/claude-opus-5', mini: 'openai/gpt-5-mini' };

describe('a message', () => {
  const evening = at('2026-03-07T22:00:00+08:00');
  const shanghai = { timeZone: 'Asia/Shanghai' } as const;

  it('begins a new conversation on the first question behind the hour, and says why', async () => {
    await using talk = await conversation({ policy: shanghai, now: evening });
    await talk.say('Good night');
    talk.turnTo(at('2026-03-08T03:59:59+08:00'));
    expect(await askReset(talk.session, { inbound: inboundWith() })).toBeNull();
    talk.turnTo(at('2026-03-08T04:00:00+08:00'));
    const answer = await askReset(talk.session, { inbound: inboundWith() });
    expect(answer).toEqual({ reason: 'daily', text: 'A new day began at 04:00 (Asia/Shanghai).' });
    expect(await askReset(talk.session)).toEqual(answer);
  });

  it('begins a new one after idle time, which only people end', async () => {
    await using talk = await conversation({ policy: { mode: 'idle', idleMinutes: 120 }, now: evening });
    await talk.say('Good night');
    talk.turnTo(evening + hour);
    await talk.session.ingest({ role: 'user', content: 'Tick.' }, { provenance: { kind: 'system-event' } });
    talk.turnTo(evening + 2 * hour);
    expect(await askReset(talk.session, { inbound: inboundWith() })).toBeNull();
    talk.turnTo(evening + 2 * hour + 1);
    const answer = { reason: 'idle', text: 'Nobody wrote for 2 h.' };
    expect(await askReset(talk.session, { inbound: inboundWith() })).toEqual(answer);
  });

  it.each([
    ['of a job never begins a new one', { key: 'agent:main:cron:report' }, {}, null],
    ['in a channel goes by its rules', { key: 'agent:main:main', channel: 'discord' }, {}, null],
    ['in a group goes by those of groups', { key: 'agent:main:irc:group:lake' }, { chatType: 'group' }, 'idle'],
    ['in a direct chat goes by the base', { key: 'agent:main:main' }, {}, 'daily'],
  ] as const)('%s', async (_what, names, inbound, reason) => {
    const policy: ResetPolicyOptions = {
      ...shanghai,
      resetByType: { group: { mode: 'idle', idleMinutes: 30 } },
      resetByChannel: { discord: { mode: 'none' } },
    };
    await using talk = await conversation({ policy, now: evening, ...names });
    await talk.say('Good night');
    talk.turnTo(evening + 12 * hour);
    const answer = await askReset(talk.session, { inbound: inboundWith(inbound) });
    expect(answer?.reason ?? null).toBe(reason);
  });

  it('that is a trigger is left to the command, unless it is from somebody who may not use it', async () => {
    await using talk = await conversation({ policy: shanghai, now: evening });
    await talk.say('Good night');
    talk.turnTo(evening + 24 * hour);
    expect(await askReset(talk.session, { inbound: inboundWith({ text: '/NEW again' }) })).toBeNull();
    const stranger = inboundWith({ text: '/new', sender: { id: 'eve', role: 'member' } });
    expect((await askReset(talk.session, { inbound: stranger }))?.reason).toBe('daily');
    expect((await askReset(talk.session, { inbound: inboundWith({ text: '/news' }) }))?.reason).toBe('daily');
  });
});

describe('a trigger', () => {
  const greeting = 'Say hello.';

  const ask = async (
    text: string,
    options: { policy?: ResetPolicyOptions; sender?: { id: string; role?: 'member' } } = {},
  ) => {
    await using talk = await conversation({ policy: { models, greeting, ...options.policy } });
    return talk.session.command(text, { model, sender: options.sender ?? owner });
  };

  it.each([
    ['/new', { model: null, message: null, greeting }],
    ['/reset', { model: null, message: null, greeting }],
    ['  /ReStart  ', { model: null, message: null, greeting }],
    ['/new opus', { model: 'anthropic/claude-opus-5', message: null, greeting }],
    [
      '/new OPUS  What  is\na varve?',
      { model: 'anthropic/claude-opus-5', message: 'What  is\na varve?', greeting: null },
    ],
    ['/new openai/gpt-5-mini', { model: 'openai/gpt-5-mini', message: null, greeting }],
    ['/new OpenAI:GPT-5-mini', { model: 'openai/gpt-5-mini', message: null, greeting }],
    ['/new openai gpt-5-mini hi', { model: 'openai/gpt-5-mini', message: 'hi', greeting: null }],
    ['/new What is a varve?', { model: null, message: 'What is a varve?', greeting: null }],
    ['/new opuses are works', { model: null, message: 'opuses are works', greeting: null }],
    ['/new python-3.12 does not start', { model: null, message: 'python-3.12 does not start', greeting: null }],
    ['/new 2026-03-08', { model: null, message: '2026-03-08', greeting: null }],
    ['/new constructor', { model: null, message: 'constructor', greeting: null }],
  ])('%j asks for a new conversation', async (text, expected) => {
    const trigger = text.trim().split(/\s/)[0]?.toLowerCase();
    expect(resetRequestOf(await ask(text))).toEqual({ reason: 'command', trigger, ...expected });
  });

  it('says what has begun', async () => {
    expect((await ask('/new'))?.text).toBe('A new conversation begins.');
    expect((await ask('/new mini'))?.text).toBe('A new conversation begins with openai/gpt-5-mini.');
  });

  it.each([
    '/new no-such-model',
    '/new gpt-6 hello',
    '/new anthropic/claude-9 hello',
    '/new anthropic:claude-9 hello',
    '/new some/where',
  ])('with a model that nobody knows changes nothing, and names those that are known: %s', async (text) => {
    const reply = await ask(text);
    expect(resetRequestOf(reply)).toBeNull();
    expect(reply?.text).toContain('opus (anthropic/claude-opus-5), mini (openai/gpt-5-mini)');
    expect(reply?.data).toMatchObject({ error: 'unknown-model', model: text.split(' ')[1] });
  });

  it('chooses no model where none is named in the options', async () => {
    const reply = await ask('/new anthropic/claude-opus-5', { policy: { models: {} } });
    expect(resetRequestOf(reply)).toBeNull();
    expect(reply?.text).toContain('No model can be chosen here.');
  });

  it('chooses the models that the host names with the command, too, and its own names go before', async () => {
    await using talk = await conversation({ policy: { models: { mini: 'openai/gpt-5-mini' } } });
    const host = { small: 'test/small', mini: 'test/mini' };
    const chosen = async (text: string) =>
      resetRequestOf(await talk.session.command(text, { model, sender: owner, models: host }))?.model;
    expect(await chosen('/new SMALL')).toBe('test/small');
    expect(await chosen('/new test:small')).toBe('test/small');
    expect(await chosen('/new mini')).toBe('openai/gpt-5-mini');
    const unknown = await talk.session.command('/new test/huge', { model, sender: owner, models: host });
    expect(unknown?.text).toContain('small (test/small), mini (openai/gpt-5-mini)');
  });

  it('asks for no greeting where there is none', async () => {
    expect(resetRequestOf(await ask('/new', { policy: { greeting: null } }))).toMatchObject({
      greeting: null,
      message: null,
    });
  });

  it.each([
    ['a member', { id: 'eve', role: 'member' as const }],
    ['somebody whose role is not known', { id: 'eve' }],
    ['somebody whose id is that of a role', { id: 'owner' }],
  ])('from %s is an ordinary message', async (_who, sender) => {
    expect(await ask('/new', { sender })).toBeNull();
  });

  it('may be used by ids, by roles, and where the host knows nobody', async () => {
    const byId = { policy: { authorised: { ids: ['eve'] } }, sender: { id: 'eve' } };
    expect(resetRequestOf(await ask('/new', byId))).not.toBeNull();
    const byRole = {
      policy: { authorised: { roles: ['member' as const] } },
      sender: { id: 'eve', role: 'member' as const },
    };
    expect(resetRequestOf(await ask('/new', byRole))).not.toBeNull();
    await using talk = await conversation({});
    expect(resetRequestOf(await talk.session.command('/new', { model }))).not.toBeNull();
  });

  it.each(['/news', '//new', 'new', 'please /new', '/other'])('is not %j', async (text) => {
    expect(await ask(text)).toBeNull();
  });

  it('can be another word, or none', async () => {
    expect(resetRequestOf(await ask('/fresh', { policy: { triggers: ['/Fresh'] } }))?.trigger).toBe('/fresh');
    expect(await ask('/new', { policy: { triggers: [] } })).toBeNull();
  });

  it('is not what another command answers', async () => {
    expect(resetRequestOf(await ask('/help'))).toBeNull();
    expect(resetRequestOf(null)).toBeNull();
  });
});

describe('the options', () => {
  it.each([
    [{ atHour: 24 }, 'atHour', 'the end of a day, 24, is hour 0'],
    [{ atHour: -1 }, 'atHour', 'from 0 to 23'],
    [{ atHour: 4.5 }, 'atHour', 'whole hour'],
    [{ timeZone: 'Asia/Shangai' }, 'timeZone', 'Did you mean "Asia/Shanghai"?'],
    [{ timeZone: 'new york' }, 'timeZone', '"America/New_York"'],
    [{ timeZone: '+08:00' }, 'timeZone', 'Name a place'],
    [{ timeZone: '2026-01-01T00:00[Asia/Tokyo]' }, 'timeZone', 'There is no time zone'],
    [{ idleMinutes: 0 }, 'idleMinutes', '1'],
    [{ idleMinutes: Number.POSITIVE_INFINITY }, 'idleMinutes', ''],
    [{ mode: 'weekly' }, 'mode', 'daily'],
    [{ resetByType: { room: {} } }, 'resetByType', 'direct (or dm), group and thread, but no room'],
    [{ resetByType: { dm: {}, direct: {} } }, 'resetByType', '`dm` is `direct`'],
    [{ resetByType: { group: { atHour: 24 } } }, 'resetByType.group.atHour', 'hour 0'],
    [{ resetByChannel: { discord: { timeZone: 'Mars/Base' } } }, 'resetByChannel.discord.timeZone', 'no time zone'],
    [{ resetByChannel: { discord: {}, Discord: {} } }, 'resetByChannel', 'named twice'],
    [{ resetByChannel: { discord: { triggers: [] } } }, 'resetByChannel.discord', 'triggers'],
    [{ triggers: ['new'] }, 'triggers', 'a slash and a word'],
    [{ triggers: ['/new chat'] }, 'triggers', 'a slash and a word'],
    [{ authorised: { roles: ['admin'] } }, 'authorised.roles', 'owner'],
    [{ models: { opus: 'claude' } }, 'models.opus', 'provider/model'],
    [{ models: { 'an opus': 'anthropic/claude' } }, 'models', 'one word'],
    [{ greeting: ' ' }, 'greeting', ''],
    [{ atHours: 4 }, '', 'atHours'],
  ])('refuse %j by its path, with what is right', async (options, path, part) => {
    const error = await createHost({ plugins: [resetPolicy(options as ResetPolicyOptions)] }).catch((one) => one);
    expect(VarveError.is(error, 'VARVE_PLUGIN_OPTIONS')).toBe(true);
    expect(error.message).toContain(path);
    expect(error.message).toContain(part);
  });

  it.each([
    {},
    { timeZone: 'asia/shanghai' },
    { timeZone: 'UTC' },
    {
      mode: 'daily',
      atHour: 4,
      idleMinutes: 120,
      resetByType: { thread: { mode: 'daily', atHour: 4 }, dm: { mode: 'idle', idleMinutes: 240 } },
      resetByChannel: { discord: { mode: 'idle', idleMinutes: 10_080 } },
      triggers: ['/new', '/reset', '/restart'],
    },
  ] as const)('take %j', async (options) => {
    await using host = await createHost({ plugins: [resetPolicy(options)] });
    expect(host.plugins.map(({ name }) => name)).toEqual(['reset-policy']);
  });
});
