import { VarveError } from '@varve/core';
import { type CheckedConfig, effectiveConfig, readConfig, sendPolicyOptionsOf } from '@varve/sessions/config';
import { describe, expect, it } from 'vitest';

function read(raw: unknown, env: Record<string, string> = {}): CheckedConfig {
  return readConfig(raw, { name: 'openclaw.json', env });
}

function warnings(raw: unknown, env?: Record<string, string>): readonly string[] {
  return read(raw, env).warnings.map(({ path, text }) => `${path}: ${text}`);
}

/** A variable of the environment, as files name it. */
function variable(name: string): string {
  return `$\{${name}}`;
}

/** Everything that a short file says, in the places where people put it. */
const short = {
  session: {
    scope: 'per-sender',
    dmScope: 'main',
    identityLinks: { grace: ['telegram:42', 'discord:77'] },
    reset: { mode: 'daily', atHour: 3, idleMinutes: 90 },
    resetByType: {
      thread: { mode: 'daily', atHour: 5 },
      dm: { mode: 'idle', idleMinutes: 200 },
      group: { mode: 'none' },
    },
    resetByChannel: { irc: { mode: 'idle', idleMinutes: 5_000 } },
    resetTriggers: ['/new', '/reset', '/restart'],
    sendPolicy: { block: { types: ['group', 'thread'], reason: 'moving house' } },
    store: '~/.openclaw/agents/{agentId}/sessions/sessions.json',
    mainKey: 'main',
  },
  agent: {
    contextPruning: {
      mode: 'cache-ttl',
      ttl: '10m',
      keepLastAssistants: 4,
      softTrim: { maxChars: 3_000, headChars: 1_000, tailChars: 1_000 },
      hardClear: { enabled: true, placeholder: '[gone]' },
    },
    defaults: { compaction: { enabled: true, keepRecentMessages: 40 } },
  },
};

describe('a file of OpenClaw', () => {
  it('loads as it is, with one warning for everything that is read otherwise', () => {
    const { form, config } = read(short);
    expect(form).toBe('openclaw');
    expect(warnings(short)).toEqual([
      'session.store: is a source for imports alone, where nothing is ever written; sessions are kept in VARVE_HOME, or ~/.varve.',
      'session.reset: goes by the beginning of a conversation for the hour, and by the last message of a person for idle time.',
      'session.resetTriggers: are for owners alone: there is no list of authorised senders here.',
      'session.sendPolicy.block: is one more rule that denies: no reply, typing, reaction or announcement leaves such chats.',
      'agent: holds for all agents, as agents.defaults does.',
      'agent.contextPruning.mode: pruned results stay pruned until the next compaction, images stay, and every provider is pruned for.',
      'session.identityLinks: direct chats share one conversation under dmScope "main"; links decide about memory alone.',
      'agent.defaults.compaction.keepRecentMessages: 40 is a wish: a compaction keeps them as far as the budget has room behind the digest.',
    ]);
    expect(config.store).toEqual({ imports: [{ path: short.session.store, mainKey: 'main' }] });
    const { values } = effectiveConfig(config, { type: 'group' });
    expect(values).toMatchObject({
      pruning: { mode: 'cache-ttl', ttl: '10m', hardClear: { placeholder: '[gone]' } },
      compaction: { enabled: true, keepRecentMessages: 40 },
      reset: { mode: 'none', idleMinutes: 90 },
      send: { rules: [{ action: 'deny', match: { chatType: ['group', 'thread'] }, reason: 'moving house' }] },
    });
  });

  it('says where its settings stand in its own words', () => {
    const { config, originOf } = read(short);
    const { sources } = effectiveConfig(config, { originOf });
    expect(sources['pruning.softTrim.maxChars']).toEqual({
      layer: 'global',
      path: 'agent.contextPruning.softTrim.maxChars',
    });
    expect(sources['compaction.keepRecentMessages']?.path).toBe('agent.defaults.compaction.keepRecentMessages');
    expect(sources['reset.idleMinutes']?.path).toBe('session.resetByType.dm.idleMinutes');
  });

  it('is read with everything that its newer form has', () => {
    const raw = {
      session: {
        dmScope: 'per-channel-peer',
        groupScope: 'main',
        identityLinks: { grace: ['telegram:42'] },
        parentForkMaxTokens: 0,
        idleMinutes: 45,
        maintenance: { mode: 'enforce', pruneDays: 14, maxEntries: 200, maxDiskBytes: '2gb', rotateBytes: '5mb' },
        sendPolicy: { rules: [{ match: { channel: 'irc', rawKeyPrefix: 'agent:main:' } }], default: 'deny' },
        agentToAgent: { maxPingPongTurns: 3 },
      },
      cron: { sessionRetention: '2d' },
      agents: {
        defaults: {
          model: { primary: 'deep', fallbacks: ['openai/gpt-5'] },
          models: { 'anthropic/claude-opus-4-5': { alias: 'deep' }, 'openai/gpt-5': {} },
          thinkingDefault: 'medium',
          contextTokens: 120_000,
          workspace: '~/work',
          bootstrapMaxChars: 10_000,
          contextPruning: { mode: 'off', ttl: '5m' },
          compaction: {
            mode: 'safeguard',
            reserveTokens: 20_000,
            keepRecentTokens: 15_000,
            model: 'haiku-x',
            maxActiveTranscriptBytes: '2mb',
            memoryFlush: { enabled: false, softThresholdTokens: 4_000 },
          },
          subagents: { maxSpawnDepth: 2, maxConcurrent: 4, runTimeoutSeconds: 600, archiveAfterMinutes: 60 },
        },
        list: [
          { id: 'main', default: true, name: 'Main' },
          { id: 'ops', model: 'openai/gpt-5', contextTokens: 50_000, identity: { emoji: 'x' } },
        ],
      },
      models: {
        providers: {
          local: {
            baseUrl: `${variable('LOCAL_URL')}/v1`,
            apiKey: variable('LOCAL_KEY'),
            api: 'openai-completions',
            models: [{ id: 'llama', contextWindow: 8_192, maxTokens: 1_024 }],
          },
        },
      },
      bindings: [
        { agentId: 'ops', match: { channel: 'discord', guildId: '1' } },
        { agentId: 'main', match: { channel: 'telegram' } },
        { agentId: 'ops', match: { channel: 'telegram', accountId: '*', peer: { kind: 'group', id: '-100' } } },
      ],
      channels: { telegram: { botToken: 'secret-token' } },
      messages: { queue: { mode: 'collect' } },
      plugins: { slots: { contextEngine: 'legacy', memory: 'memory-core' } },
      gateway: { port: 18_789 },
    };
    const { config } = read(raw, { LOCAL_URL: 'http://127.0.0.1:9', LOCAL_KEY: 'sk-1' });
    expect(config).toEqual({
      session: {
        dmScope: 'per-channel-peer',
        groupScope: 'main',
        identityLinks: { grace: ['telegram:42'] },
        reset: { mode: 'idle', idleMinutes: 45 },
        maintenance: { dryRun: false, olderThan: '14d', maxSessions: 200, maxBytes: '2gb', runsOlderThan: '2d' },
        sendPolicy: {
          rules: [{ match: { channel: 'irc', rawKeyPrefix: 'agent:main:' }, action: 'allow' }],
          default: 'deny',
        },
        subagents: { forkTokens: Number.MAX_SAFE_INTEGER, maxDepth: 2, maxRunning: 4, timeout: '600s' },
        defaultAgentId: 'main',
        bindings: [
          { agentId: 'ops', channel: 'telegram', chatType: 'group', peer: '-100' },
          { agentId: 'ops', channel: 'telegram', chatType: 'channel', peer: '-100' },
          { agentId: 'main', channel: 'telegram' },
        ],
      },
      global: {
        thinking: 'medium',
        budget: { contextTokens: 120_000 },
        pruning: { enabled: false },
        compaction: { keepRecentTokens: 15_000, compactAtBytes: 2 * 1_024 ** 2, models: ['anthropic/haiku-x'] },
        memory: { dir: '~/work', fileChars: 10_000, flush: { enabled: false } },
      },
      agents: { main: { budget: {} }, ops: { model: 'openai/gpt-5', budget: { contextTokens: 50_000 } } },
      models: {
        default: 'deep',
        names: { deep: 'anthropic/claude-opus-4-5' },
        providers: { local: { baseUrl: 'http://127.0.0.1:9/v1', api: 'openai-chat' } },
        facts: { 'local/llama': { contextTokens: 8_192, maxOutputTokens: 1_024 } },
      },
    });
    const said = warnings(raw, { LOCAL_URL: 'http://127.0.0.1:9' });
    const places = said.map((line) => line.slice(0, line.indexOf(': ')));
    expect(places.toSorted()).toEqual(
      [
        'agents.defaults.compaction.keepRecentTokens',
        'agents.defaults.compaction.memoryFlush.softThresholdTokens',
        'agents.defaults.compaction.mode',
        'agents.defaults.compaction.model',
        'agents.defaults.compaction.reserveTokens',
        'agents.defaults.model.fallbacks',
        'agents.defaults.subagents.archiveAfterMinutes',
        'agents.list[1].identity',
        'bindings[0]',
        'channels',
        'gateway',
        'messages.queue',
        'models.providers.local.apiKey',
        'plugins.slots.memory',
        'session.agentToAgent',
        'session.identityLinks',
        'session.maintenance',
        'session.maintenance.rotateBytes',
        'session.sendPolicy.rules[0]',
      ].toSorted(),
    );
    expect(said.join()).not.toMatch(/secret-token|sk-1/);
  });

  it('leaves a workspace in ~/.openclaw alone', () => {
    const raw = { agents: { defaults: { workspace: '~/.openclaw/workspace', compaction: { memoryFlush: {} } } } };
    expect(read(raw).config.global?.memory).toBeUndefined();
    expect(warnings(raw)).toEqual([
      expect.stringMatching(/^session: says nothing of resets: conversations end at 4/),
      expect.stringMatching(/^agents\.defaults\.workspace: lies in ~\/\.openclaw, where nothing is written/),
      expect.stringMatching(/^agents\.defaults\.compaction\.memoryFlush: is not read/),
    ]);
  });

  it('puts right the numbers that OpenClaw puts right, and says so', () => {
    const raw = {
      session: { mainKey: 'home', reset: { atHour: 24, idleMinutes: 0 }, resetTriggers: ['/new', 'fresh'] },
    };
    expect(read(raw).config.session).toMatchObject({ reset: { atHour: 23, idleMinutes: 1 }, resetTriggers: ['/new'] });
    expect(warnings(raw)).toEqual(
      expect.arrayContaining([
        'session.reset.atHour: 24 is read as 23, as OpenClaw does.',
        'session.reset.idleMinutes: 0 is read as 1, as OpenClaw does.',
        'session.resetTriggers: "fresh" is not read: a trigger is a slash and a word.',
        'session.mainKey: is read for imports alone: here the main conversation is always called main.',
      ]),
    );
  });

  it('says of a variable that is not there that it is not, and of a link that it unites more here', () => {
    const raw = {
      session: {
        idleMinutes: 5,
        dmScope: 'per-account-channel-peer',
        identityLinks: { ada: ['irc:ada'] },
        mainKey: 'main',
      },
      models: { providers: { local: { baseUrl: `http://${variable('NOWHERE')}/` } } },
    };
    expect(() => read(raw)).toThrow('models.providers.local.baseUrl');
    const { models: _, ...rest } = raw;
    expect(warnings(rest)).toEqual([expect.stringMatching(/^session\.identityLinks: make one conversation/)]);
  });

  it('is held to its schema where it is read, and the error names the place in the file', () => {
    const raw = {
      agents: { defaults: { contextPruning: { mode: 'cache-ttl', ttl: 'soon', softTrim: { maxChar: 1 } } } },
    };
    try {
      read(raw);
      expect.unreachable();
    } catch (error) {
      expect(VarveError.is(error, 'VARVE_CONFIG_INVALID')).toBe(true);
      expect(VarveError.is(error) && error.details).toMatchObject({
        problems: [
          { path: 'agents.defaults.contextPruning.ttl' },
          { path: 'agents.defaults.contextPruning.softTrim.maxChar', fix: 'Did you mean "maxChars"?' },
        ],
      });
    }
  });

  it('is refused when it includes another file: what holds something back may be in there', () => {
    for (const raw of [
      { $include: './base.json', agents: { list: [] } },
      { agents: { defaults: { compaction: { $include: 'x' } } } },
    ]) {
      expect(() => read(raw)).toThrow(/Other files are not read/);
    }
    const unread = { channels: { telegram: { $include: 'x' } }, gateway: {}, session: { idleMinutes: 5 } };
    expect(warnings(unread)).toHaveLength(2);
  });

  it.each([
    { agents: { main: { modle: 'x' } } },
    { agent: { model: 'x' } },
    { session: { dmScope: 'main' } },
    { store: {}, session: { mainKey: 'x' } },
    { tools: {}, agents: { main: {} } },
    { meta: {}, models: { default: 'offline' } },
    { plugins: 'all' },
    { plugins: ['recall'] },
    { plugins: { recall: {} } },
    [],
    null,
  ])('is not seen in %j', (raw) => {
    let form = 'varve';
    try {
      ({ form } = readConfig(raw, { name: 'x' }));
    } catch (error) {
      expect(VarveError.is(error, 'VARVE_CONFIG_INVALID')).toBe(true);
      expect(String(error)).not.toContain('OpenClaw');
    }
    expect(form).toBe('varve');
  });

  it.each([[{ plugins: { entries: {} } }], [{ gateway: {} }]])(
    'is seen in %j, and what is wrong in it says so',
    (raw) => {
      expect(readConfig(raw, { name: 'x' }).form).toBe('openclaw');
      const wrong = { ...raw, session: { reset: { mode: 'sometimes' } } };
      expect(() => readConfig(wrong, { name: 'x' })).toThrow('x (read as a configuration of OpenClaw): ');
    },
  );

  it('keeps the order of nothing: a binding that is narrower goes first', () => {
    const raw = {
      session: { idleMinutes: 5 },
      bindings: [
        { agentId: 'a', match: {} },
        { agentId: 'b', match: { channel: 'irc' } },
        { agentId: 'c', match: { channel: 'irc', accountId: 'work' } },
        { agentId: 'd', match: { peer: { kind: 'dm', id: '1' } } },
      ],
    };
    expect(read(raw).config.session?.bindings?.map(({ agentId }) => agentId)).toEqual(['d', 'c', 'b', 'a']);
    expect(sendPolicyOptionsOf(read(raw).config, { agentId: 'a' }).rules).toEqual([]);
  });
});
