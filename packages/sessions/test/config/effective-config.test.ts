import { effectiveConfig, type VarveConfig } from '@varve/sessions/config';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const config: VarveConfig = {
  models: { default: 'fast', names: { fast: 'anthropic/haiku', deep: 'anthropic/opus' } },
  session: {
    reset: { mode: 'daily', atHour: 5, timeZone: 'Europe/London' },
    resetByType: { group: { mode: 'idle' }, dm: { idleMinutes: 240 } },
    resetByChannel: { discord: { mode: 'idle', idleMinutes: 10_080 } },
    sendPolicy: { rules: [{ action: 'deny', match: { chatType: 'group' } }] },
  },
  global: { thinking: 'low', pruning: { softTrim: { maxChars: 2_000 } } },
  agents: {
    main: {},
    ada: {
      model: 'deep',
      thinking: 'medium',
      pruning: { prices: 'none', softTrim: { headChars: 500 } },
      memory: { dir: '/ws' },
    },
    bob: { reset: { mode: 'none' }, send: { block: { types: ['dm'] } } },
  },
  channels: {
    telegram: { thinking: 'high', send: { rules: [{ action: 'deny', match: { kind: 'typing' }, name: 'quiet' }] } },
    irc: { send: { block: { types: ['group'] } } },
  },
};

describe('the effective configuration', () => {
  it.each<[about: object, setting: string, value: unknown, layer: string, path: string | null]>([
    [{}, 'verbose', 'off', 'default', null],
    [{}, 'thinking', 'low', 'global', 'global.thinking'],
    [{ agentId: 'ada' }, 'thinking', 'medium', 'agent', 'agents.ada.thinking'],
    [{ agentId: 'ada', channel: 'telegram' }, 'thinking', 'high', 'channel', 'channels.telegram.thinking'],
    [
      { agentId: 'ada', channel: 'telegram', settings: { thinking: 'off' } },
      'thinking',
      'off',
      'session',
      'settings.thinking',
    ],
    [{}, 'model', 'anthropic/haiku', 'global', 'models.default'],
    [{ agentId: 'ada' }, 'model', 'anthropic/opus', 'agent', 'agents.ada.model'],
    [{ settings: { model: 'openai/gpt-5' } }, 'model', 'openai/gpt-5', 'session', 'settings.model'],
    [{ agentId: 'ada' }, 'pruning.softTrim.maxChars', 2_000, 'global', 'global.pruning.softTrim.maxChars'],
    [{ agentId: 'ada' }, 'pruning.softTrim.headChars', 500, 'agent', 'agents.ada.pruning.softTrim.headChars'],
    [{ agentId: 'ada' }, 'pruning.softTrim.tailChars', 1_500, 'default', null],
    [{ agentId: 'ada' }, 'recall.mode', 'quality', 'default', null],
    [{}, 'recall.mode', 'cache-friendly', 'default', null],
    [{ agentId: 'ada' }, 'memory.enabled', true, 'agent', 'agents.ada.memory.dir'],
    [{}, 'memory.enabled', false, 'default', null],
    [{}, 'reset.atHour', 5, 'global', 'session.reset.atHour'],
    [{}, 'reset.idleMinutes', 240, 'global', 'session.resetByType.dm.idleMinutes'],
    [{ type: 'group' }, 'reset.mode', 'idle', 'global', 'session.resetByType.group.mode'],
    [{ type: 'group' }, 'reset.idleMinutes', 60, 'default', null],
    [{ type: 'group', agentId: 'bob' }, 'reset.mode', 'none', 'agent', 'agents.bob.reset.mode'],
    [{ channel: 'discord', agentId: 'bob' }, 'reset.mode', 'idle', 'channel', 'session.resetByChannel.discord.mode'],
    [{ channel: 'discord' }, 'reset.atHour', 4, 'default', null],
    [{ channel: 'Discord', agentId: 'bob' }, 'reset.mode', 'idle', 'channel', 'session.resetByChannel.discord.mode'],
    [{ agentId: 'ada', channel: 'Telegram' }, 'thinking', 'high', 'channel', 'channels.telegram.thinking'],
    [{ channel: 'discord' }, 'reset.timeZone', 'Europe/London', 'global', 'session.reset.timeZone'],
    [{ settings: { send: { mode: 'deny' } } }, 'send.override', { mode: 'deny' }, 'session', 'settings.send'],
    [{ agentId: 'nobody', channel: 'toString' }, 'thinking', 'low', 'global', 'global.thinking'],
  ])('of %j says %s: %j, from the layer %s', (about, setting, value, layer, path) => {
    const { values, sources } = effectiveConfig(config, about);
    const found = setting.split('.').reduce<unknown>((at, part) => (at as Record<string, unknown>)[part], values);
    expect(found).toEqual(value);
    expect(sources[setting]).toEqual({ layer, path });
  });

  it('adds up the rules of what may leave, each with its place, and leaves out those of other channels', () => {
    const { values, sources } = effectiveConfig(config, { agentId: 'bob', channel: 'telegram' });
    expect(values.send.rules.map(({ name }) => name)).toEqual([
      'session.sendPolicy.rules[0]',
      'agents.bob.send.block',
      'quiet',
    ]);
    expect(sources['send.rules[1]']).toEqual({ layer: 'agent', path: 'agents.bob.send.block' });
    expect(sources['send.rules[2]']).toEqual({ layer: 'channel', path: 'channels.telegram.send.rules[0]' });
  });

  it('is the same for a channel, whatever the case of its letters, here and there', () => {
    const { values } = effectiveConfig(config, { channel: 'TELEGRAM' });
    expect(values.send.rules.map(({ name }) => name)).toContain('quiet');
    const written = effectiveConfig(
      { channels: { IRC: { thinking: 'high', reset: { atHour: 6 } } } },
      { channel: 'irc' },
    );
    expect(written.values).toMatchObject({ thinking: 'high', reset: { atHour: 6 } });
    expect(written.sources['thinking']).toEqual({ layer: 'channel', path: 'channels.IRC.thinking' });
    expect(written.sources['reset.atHour']).toEqual({ layer: 'channel', path: 'channels.IRC.reset.atHour' });
  });

  it('names a source for every value, and a value for every source', () => {
    const leaves = (value: unknown, path: string): string[] => {
      const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
      if (!isObject) return [path];
      return Object.entries(value).flatMap(([name, inner]) => leaves(inner, path === '' ? name : `${path}.${name}`));
    };
    fc.assert(
      fc.property(
        fc.constantFrom(undefined, 'main', 'ada', 'bob'),
        fc.constantFrom(null, 'telegram', 'discord', 'irc'),
        fc.constantFrom('direct', 'group', 'thread'),
        (agentId, channel, type) => {
          const { values, sources } = effectiveConfig(config, { agentId, channel, type });
          const { rules: _, ...send } = values.send;
          const found = leaves({ ...values, send }, '');
          const named = Object.keys(sources).filter((name) => !name.startsWith('send.rules['));
          expect(named.toSorted()).toEqual(found.toSorted());
        },
      ),
    );
  });
});
