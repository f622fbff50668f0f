import { createHost, VarveError } from '@varve/core';
import { createRouting, createSessions } from '@varve/sessions';
import {
  type ConfigProblem,
  defineConfig,
  maintenancePolicyOf,
  readConfig,
  resetPolicyOptionsOf,
  resolveModel,
  routingOptionsOf,
  sendPolicyOptionsOf,
  sessionsOptionsOf,
} from '@varve/sessions/config';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

function problemsOf(raw: unknown): readonly ConfigProblem[] {
  try {
    readConfig(raw, { name: 'varve.config.json5' });
    return [];
  } catch (error) {
    if (!VarveError.is(error, 'VARVE_CONFIG_INVALID')) throw error;
    const { problems } = error.details as { readonly problems: readonly ConfigProblem[] };
    return problems;
  }
}

const whole = defineConfig({
  store: { root: '~/journals', imports: [{ path: '~/.openclaw/agents/{agentId}/sessions/sessions.json' }] },
  models: {
    default: 'fast',
    names: { fast: 'anthropic/claude-haiku-4-5', local: 'ollama/llama3:8b' },
    providers: { ollama: { baseUrl: 'http://127.0.0.1:11434/v1', api: 'openai-chat', apiKeyVariable: 'OLLAMA_KEY' } },
    facts: { 'ollama/llama3:8b': { contextTokens: 8_192 } },
  },
  session: {
    scope: 'per-sender',
    dmScope: 'per-channel-peer',
    groupScope: 'per-group',
    identityLinks: { ada: ['telegram:1', 'discord:2'] },
    bindings: [{ agentId: 'ada', channel: 'telegram', account: 'work', chatType: 'direct', peer: '1' }],
    defaultAgentId: 'main',
    reset: { mode: 'daily', atHour: 0, timeZone: 'Asia/Shanghai', idleMinutes: 30, combine: 'all' },
    resetByType: { thread: { mode: 'none' }, group: { mode: 'idle' } },
    resetByChannel: { discord: { mode: 'idle', idleMinutes: 10_080 } },
    resetTriggers: ['/new'],
    resetAuthorised: { roles: ['owner', 'member'], ids: ['1'] },
    greeting: null,
    sendPolicy: {
      default: 'allow',
      timeZone: 'UTC',
      rules: [{ action: 'deny', match: { chatType: ['group', 'channel'], addressed: 'any' }, reason: 'not asked' }],
      block: { types: ['thread'] },
    },
    hibernate: { after: '10m', maxSessions: 100, maxBytes: '64mb' },
    subagents: { maxDepth: 2, timeout: '90s', model: 'fast', whenForkTooLarge: 'isolate' },
    maintenance: { dryRun: false, olderThan: '2w', runsOlderThan: false, maxSessions: 1_000, maxBytes: '1.5gb' },
    carryOver: { settings: { model: 'explicit' }, state: { todo: 'always' } },
    maxConcurrentTurns: 4,
  },
  global: { thinking: 'low', pruning: { prices: 'openai' }, compaction: { compactAtMessages: 80, models: ['fast'] } },
  agents: {
    main: {},
    ada: {
      model: 'local',
      instructions: 'Be brief.',
      budget: { contextTokens: 100_000 },
      memory: { dir: 'workspace', flush: { model: 'fast' } },
      recall: { enabled: false },
      reset: { mode: 'none' },
      send: { rules: [{ action: 'deny', match: { kind: 'reaction' } }] },
    },
  },
  channels: { telegram: { verbose: 'on', reset: { mode: 'idle' }, send: { block: { types: ['group'] } } } },
});

describe('a configuration', () => {
  it('is given back as it was written when all of it holds', () => {
    const read = readConfig(whole, { name: 'whole' });
    expect(read.config).toEqual(whole);
    expect(read.form).toBe('varve');
    expect(read.warnings).toEqual([]);
  });

  it('may be empty', () => {
    expect(readConfig({}, { name: 'empty' })).toMatchObject({ config: {}, warnings: [], form: 'varve' });
  });

  // what is written · where it is wrong · what is shown of it · why · what to do
  it.each<[raw: unknown, path: string, value: string | null, why: RegExp, fix: RegExp]>([
    [[], '(root)', '[]', /a list, where an object/, /./],
    ['text', '(root)', '"text"', /a string, where an object/, /./],
    [{ sesion: {} }, 'sesion', null, /no such setting/, /Did you mean "session"\?/],
    [{ nonsense: {} }, 'nonsense', null, /no such setting/, /known here are store, models, session/],
    [{ session: { dmscope: 'main' } }, 'session.dmscope', null, /no such setting/, /^Did you mean "dmScope"\?$/],
    [{ session: { scope: 'per-peer' } }, 'session.scope', '"per-peer"', /none of "per-sender", "global"/, /Use one of/],
    [
      { session: { dmScope: 'per-chanel-peer' } },
      'session.dmScope',
      '"per-chanel-peer"',
      /none of/,
      /"per-channel-peer"/,
    ],
    [{ session: { groupScope: 'all' } }, 'session.groupScope', '"all"', /none of/, /per-group, main/],
    [{ session: { reset: { atHour: 24 } } }, 'session.reset.atHour', '24', /24, is hour 0/, /0 to 23/],
    [{ session: { reset: { atHour: -1 } } }, 'session.reset.atHour', '-1', /no such hour/, /0 to 23/],
    [{ session: { reset: { atHour: 4.5 } } }, 'session.reset.atHour', '4.5', /whole number/, /whole hour/],
    [
      { session: { reset: { timeZone: 'Asia/Shangai' } } },
      'session.reset.timeZone',
      '"Asia/Shangai"',
      /no such time zone/,
      /"Asia\/Shanghai"/,
    ],
    [{ session: { reset: { timeZone: '+08:00' } } }, 'session.reset.timeZone', '"+08:00"', /no such/, /Name a place/],
    [{ session: { resetByType: { dms: {} } } }, 'session.resetByType.dms', null, /no such/, /"dm"/],
    [
      { session: { resetByType: { dm: {}, direct: {} } } },
      'session.resetByType.dm',
      '{}',
      /`dm` is `direct`/,
      /Keep one/,
    ],
    [{ session: { resetTriggers: ['new'] } }, 'session.resetTriggers[0]', '"new"', /no command/, /slash/],
    [
      { session: { identityLinks: { ada: ['telegram:1'], bob: ['telegram:1'] } } },
      'session.identityLinks.bob',
      '["telegram:1"]',
      /linked to both "ada" and "bob"/,
      /one person/,
    ],
    [
      { session: { identityLinks: { ada: ['bob'], bob: ['telegram:2'] } } },
      'session.identityLinks.ada',
      '["bob"]',
      /names the link "bob"/,
      /under one link/,
    ],
    [
      { session: { identityLinks: { ada: ['telegram:'] } } },
      'session.identityLinks.ada',
      '["telegram:"]',
      /holds/,
      /./,
    ],
    [
      { session: { identityLinks: { ada: 'telegram:1' } } },
      'session.identityLinks.ada',
      '"telegram:1"',
      /a list/,
      /list/,
    ],
    [
      { session: { sendPolicy: { rules: [{ action: 'forbid' }] } } },
      'session.sendPolicy.rules[0].action',
      '"forbid"',
      /none of/,
      /./,
    ],
    [
      { session: { sendPolicy: { rules: [{ match: {} }] } } },
      'session.sendPolicy.rules[0].action',
      null,
      /none of|missing/,
      /allow/,
    ],
    [
      { session: { sendPolicy: { rules: [{ action: 'deny', match: { chattype: 'dm' } }] } } },
      'session.sendPolicy.rules[0].match.chattype',
      null,
      /no such/,
      /"chatType"/,
    ],
    [
      { session: { maintenance: { olderThan: '30 fortnights' } } },
      'session.maintenance.olderThan',
      '"30 fortnights"',
      /./,
      /30d/,
    ],
    [{ session: { hibernate: { maxBytes: 'much' } } }, 'session.hibernate.maxBytes', '"much"', /no amount/, /512mb/],
    [
      { session: { carryOver: { settings: { send: 'never' } } } },
      'session.carryOver.settings.send',
      '"never"',
      /outlives every reset/,
      /always kept/,
    ],
    [
      { session: { defaultAgentId: 'adda' }, agents: { ada: {} } },
      'session.defaultAgentId',
      '"adda"',
      /no such agent/,
      /"ada"/,
    ],
    [{ agents: { ada: {}, bob: {} } }, 'session.defaultAgentId', null, /none is called "main"/, /ada, bob/],
    [{ models: { default: 'opus' } }, 'models.default', '"opus"', /no model/, /provider\/model/],
    [
      { models: { names: { sonnet: 'anthropic/claude' } }, agents: { main: { model: 'sonet' } } },
      'agents.main.model',
      '"sonet"',
      /no model/,
      /"sonnet"/,
    ],
    [{ global: { compaction: { models: ['x'] } } }, 'global.compaction.models[0]', '"x"', /no model/, /models\.names/],
    [{ models: { names: { 'a b': 'x/y' } } }, 'models.names["a b"]', '"x/y"', /one word/, /another name/],
    [{ models: { names: { a: 'y' } } }, 'models.names.a', '"y"', /provider and a model/, /"anthropic/],
    [
      { models: { providers: { openai: { baseUrl: 'ftp://x' } } } },
      'models.providers.openai.baseUrl',
      null,
      /no address/,
      /https/,
    ],
    [{ global: { model: 'x/y' } }, 'global.model', null, /no such setting/, /models\.default/],
    [{ global: { pruning: { ttl: '5m' } } }, 'global.pruning.ttl', '"5m"', /"auto" has no use/, /cache-ttl/],
    [
      { global: { pruning: { mode: 'cache-ttl', ttl: '5 minutes' } } },
      'global.pruning.ttl',
      '"5 minutes"',
      /./,
      /bare number is minutes/,
    ],
    [
      { global: { pruning: { softTrim: { maxChar: 1 } } } },
      'global.pruning.softTrim.maxChar',
      null,
      /no such/,
      /"maxChars"/,
    ],
    [{ global: { pruning: { prices: { read: 1 } } } }, 'global.pruning.prices.write', null, /missing/, /number/],
    [
      {
        global: { compaction: { compactAtMessages: 50 } },
        agents: { main: { compaction: { keepRecentMessages: 50 } } },
      },
      'agents.main.compaction.keepRecentMessages',
      '50',
      /leave them all/,
      /smaller/,
    ],
    [
      { agents: { main: { memory: { enabled: true } } } },
      'agents.main.memory.enabled',
      'true',
      /needs a folder/,
      /memory\.dir/,
    ],
    [
      { agents: { main: { budget: { outputReserveRatio: 1 } } } },
      'agents.main.budget.outputReserveRatio',
      '1',
      /too large/,
      /from 0 to 0\.99/,
    ],
    [
      { channels: { irc: { reset: {} } }, session: { resetByChannel: { irc: {} } } },
      'channels.irc.reset',
      null,
      /resetByChannel, too/,
      /Keep one/,
    ],
    [
      { channels: { IRC: { reset: {} } }, session: { resetByChannel: { irc: {} } } },
      'channels.IRC.reset',
      null,
      /resetByChannel, too/,
      /Keep one/,
    ],
    [{ channels: { irc: {}, IRC: {} } }, 'channels.IRC', null, /the channel "irc"/, /Keep one/],
    [
      { session: { resetByChannel: { irc: {}, Irc: {} } } },
      'session.resetByChannel.Irc',
      null,
      /the channel "irc"/,
      /Keep one/,
    ],
    [
      { channels: { irc: { send: { rules: [{ action: 'deny', match: { channel: 'irc' } }] } } } },
      'channels.irc.send.rules[0].match.channel',
      '"irc"',
      /about that channel/,
      /session\.sendPolicy/,
    ],
    [{ channels: { irc: { pruning: {} } } }, 'channels.irc.pruning', null, /no such setting/, /known here/],
  ])('%j is refused at %s', (raw, path, value, why, fix) => {
    const problem = problemsOf(raw).find((one) => one.path === path);
    expect(problem, JSON.stringify(problemsOf(raw))).toBeDefined();
    expect(problem?.value).toBe(value);
    expect(problem?.why).toMatch(why);
    expect(problem?.why).toMatch(/^[A-Z"`].*[.?]$/);
    expect(problem?.fix).toMatch(fix);
  });

  it('is refused with all its problems at once, the first of them in the message', () => {
    const raw = { session: { reset: { atHour: 24, mode: 'weekly' } }, agents: { main: { modle: 'x' } } };
    expect(problemsOf(raw).map(({ path }) => path)).toEqual([
      'session.reset.mode',
      'session.reset.atHour',
      'agents.main.modle',
    ]);
    expect(() => readConfig(raw, { name: 'varve.config.ts' })).toThrow(
      'varve.config.ts: session.reset.mode is "weekly": It is none of "none", "daily", "idle". There are 2 more problems.',
    );
  });

  it('never shows a value that may be a key', () => {
    const secret = 'sk-live-0123456789';
    for (const raw of [
      { models: { providers: { openai: { apiKey: secret } } } },
      { models: { providers: { openai: { apiKeyVariable: secret } } } },
      { models: { providers: { openai: { baseUrl: `https://me:${secret}@x` } } } },
      { apiKey: secret },
    ]) {
      expect(JSON.stringify(problemsOf(raw))).not.toContain(secret);
      expect(problemsOf(raw)).toHaveLength(1);
    }
  });

  it('is refused with a code, whatever JSON it is', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom('session', 'models', 'agents', 'global', 'channels', 'store'),
        (value, at) => {
          const problems = problemsOf({ [at]: value });
          for (const { path, why, fix } of problems) expect([path, why, fix].every((text) => text !== '')).toBe(true);
        },
      ),
    );
  });

  it('warns of what has no effect, or is likely misspelt', () => {
    const raw = {
      session: { identityLinks: { ada: ['telegram:1'] }, bindings: [{ agentId: 'boob', channel: 'irc' }] },
      agents: { main: { compaction: { keepRecentTokens: 9_000 } }, bob: {} },
    };
    expect(readConfig(raw, { name: 'x' }).warnings.map(({ path, text }) => `${path}: ${text}`)).toEqual([
      expect.stringMatching(/^session\.identityLinks: .*dmScope "main"/),
      expect.stringMatching(/^session\.bindings\[0\]\.agentId: "boob" is not among the agents\. Did you mean "bob"\?$/),
      expect.stringMatching(/^agents\.main\.compaction\.keepRecentTokens: 9000 is a wish/),
    ]);
  });
});

describe('what a configuration says', () => {
  it('makes a routing', () => {
    const routing = createRouting(routingOptionsOf(whole));
    expect(routing).toMatchObject({ defaultAgentId: 'main', dmScope: 'per-channel-peer' });
    expect(routing.personOf('discord', '2')).toBe('ada');
    expect(routingOptionsOf({ agents: { solo: {} } }).defaultAgentId).toBe('solo');
    expect(routingOptionsOf({}).defaultAgentId).toBe('main');
  });

  it('tells conversations when to sleep, what to carry over and what sub-agents may do', async () => {
    const options = sessionsOptionsOf(whole);
    expect(options).toMatchObject({
      live: { idleMs: 600_000, maxSessions: 100, maxBytes: 64 * 1_024 ** 2 },
      subagents: { maxDepth: 2, timeoutMs: 90_000, model: 'fast', whenForkTooLarge: 'isolate' },
      carryOver: { settings: { model: 'explicit' }, state: { todo: 'always' } },
      maxConcurrentTurns: 4,
    });
    await using host = await createHost();
    for (const config of [whole, {}]) await createSessions({ host, ...sessionsOptionsOf(config) }).close();
  });

  it('makes a policy of maintenance, which only looks unless it is told otherwise', () => {
    expect(maintenancePolicyOf(whole)).toMatchObject({
      dryRun: false,
      policy: {
        olderThanMs: 14 * 86_400_000,
        cronRunsOlderThanMs: false,
        maxSessions: 1_000,
        maxBytes: Math.round(1.5 * 1_024 ** 3),
      },
    });
    expect(maintenancePolicyOf({}).dryRun).toBe(true);
  });

  it('puts the rules of an agent over those of types, and the channels beside them', () => {
    const options = resetPolicyOptionsOf(whole, { agentId: 'ada' });
    expect(options).toMatchObject({
      mode: 'none',
      atHour: 0,
      resetByType: { thread: { mode: 'none' }, group: { mode: 'none' } },
      resetByChannel: { discord: { mode: 'idle', idleMinutes: 10_080 }, telegram: { mode: 'idle' } },
      triggers: ['/new'],
      models: { fast: 'anthropic/claude-haiku-4-5' },
      greeting: null,
    });
    expect(resetPolicyOptionsOf(whole, { agentId: 'main' })).toMatchObject({
      mode: 'daily',
      resetByType: { group: { mode: 'idle' } },
    });
  });

  it('names each rule of the send policy after its place', () => {
    const { rules } = sendPolicyOptionsOf(whole, { agentId: 'ada' });
    expect(rules.map(({ name }) => name)).toEqual([
      'session.sendPolicy.block',
      'session.sendPolicy.rules[0]',
      'agents.ada.send.rules[0]',
      'channels.telegram.send.block',
    ]);
    expect(rules.at(-1)).toMatchObject({ action: 'deny', match: { chatType: ['group'], channel: 'telegram' } });
    expect(sendPolicyOptionsOf(whole, { agentId: 'main' }).rules).toHaveLength(3);
  });

  it('finds a model by its short name, by provider and model, and the one without a provider', () => {
    expect(resolveModel(whole, 'local')).toEqual({ provider: 'ollama', model: 'llama3:8b' });
    expect(resolveModel(whole, 'openai:gpt-5')).toEqual({ provider: 'openai', model: 'gpt-5' });
    expect(resolveModel(whole, 'openrouter/meta/llama')).toEqual({ provider: 'openrouter', model: 'meta/llama' });
    expect(resolveModel(whole, 'offline')).toEqual({ provider: 'offline', model: 'offline' });
    expect(resolveModel(whole, 'constructor')).toBeNull();
  });
});
