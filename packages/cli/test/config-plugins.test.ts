import { type HostOfConfig, hostOptionsOf } from '@varve/cli';
import { createHost, type ModelPort, type ModelRef, type Plugin } from '@varve/core';
import { resolvePolicy } from '@varve/plugin-reset-policy';
import { strata } from '@varve/preset-strata';
import { effectiveConfig, readConfig, resetPolicyOptionsOf, type VarveConfig } from '@varve/sessions/config';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from './temporary-folder.ts';

const folder = temporaryFolder();

function portOf(ref: ModelRef): ModelPort {
  return { ref, generate: async () => ({ message: { role: 'assistant', content: 'noted' }, usage: null }) };
}

function optionsOf(config: VarveConfig, agentId = 'main'): HostOfConfig {
  return hostOptionsOf(readConfig(config, { name: 'test' }).config, { agentId, portOf });
}

function pluginsOf(config: VarveConfig, agentId = 'main'): readonly Plugin[] {
  return (optionsOf(config, agentId).plugins ?? []) as readonly Plugin[];
}

async function settled(plugin: Plugin | undefined): Promise<Record<string, unknown>> {
  const result = await plugin?.options['~standard'].validate(plugin.given);
  if (result === undefined || result.issues !== undefined) throw new Error(JSON.stringify(result?.issues));
  return result.value as Record<string, unknown>;
}

function named(plugins: readonly Plugin[], name: string): Plugin | undefined {
  return plugins.find((plugin) => plugin.name === name);
}

describe('the plugins of a configuration', () => {
  it('are the recommended set, with instructions and both policies around it', () => {
    expect(pluginsOf({}).map(({ name }) => name)).toEqual([
      'instructions',
      ...strata().map(({ name }) => name),
      'reset-policy',
      'send-policy',
    ]);
  });

  it.each(['ttl-pruning', 'summary-compaction', 'recall'])(
    'have the defaults of %s where nothing is said',
    async (name) => {
      const made = await settled(named(pluginsOf({}), name));
      expect(made).toEqual(await settled(named(strata(), name)));
    },
  );

  it('are left out where they are switched off', () => {
    const off = { enabled: false };
    const names = pluginsOf({ global: { pruning: off, compaction: off, recall: off } }).map(({ name }) => name);
    expect(names).toEqual(['instructions', 'reset-policy', 'send-policy']);
  });

  it('prune by the clock of the cache where the configuration says so', async () => {
    const pruning = { mode: 'cache-ttl', ttl: '10m', softTrim: { maxChars: 900 } } as const;
    const plugins = pluginsOf({ global: { pruning } });
    expect(plugins.map(({ name }) => name)).toEqual(pluginsOf({}).map(({ name }) => name));
    const made = await settled(named(plugins, 'ttl-pruning'));
    expect(made).toMatchObject({ mode: 'cache-ttl', ttl: '10m', softTrim: { maxChars: 900, headChars: 1_500 } });
  });

  it('are those of the agent that is asked for, in a host that starts', async () => {
    const config: VarveConfig = {
      models: { names: { fast: 'anthropic/claude-haiku-4-5' }, facts: { 'x/y': { contextTokens: 9_000 } } },
      global: { compaction: { models: ['fast'] } },
      agents: {
        main: {},
        ada: {
          instructions: 'Answer in verse.',
          budget: { contextTokens: 50_000 },
          memory: { dir: folder.folder('workspace'), flush: { model: 'fast' } },
        },
      },
      channels: { irc: { instructions: 'One line each.' }, mail: { instructions: null } },
    };
    expect(named(pluginsOf(config), 'memory-flush')).toBeUndefined();
    expect(await settled(named(pluginsOf(config), 'summary-compaction'))).toMatchObject({
      models: [{ name: 'anthropic/claude-haiku-4-5' }],
    });
    const options = optionsOf(config, 'ada');
    expect(options.models?.describe({ provider: 'x', model: 'y' })).toMatchObject({ contextTokens: 9_000 });
    expect(options.budget).toMatchObject({ contextTokens: 50_000, outputReserveRatio: 0.2 });
    await using host = await createHost(options);
    expect(host.plugins.map(({ name }) => name)).toEqual(expect.arrayContaining(['workspace-layers', 'memory-flush']));
    const said = await Promise.all(
      [undefined, 'irc', 'mail', 'IRC'].map(async (channel) => {
        const session = await host.open(`in-${channel}`, { agentId: 'ada', channel });
        await session.ingest({ role: 'user', content: 'Hello.' });
        const { system } = await session.assemble({ model: { provider: 'x', model: 'y' } });
        return JSON.stringify(system);
      }),
    );
    expect(said[0]).toContain('Answer in verse.');
    expect(said[1]).toContain('One line each.');
    expect(said[2]).not.toContain('verse');
    expect(said[3]).toContain('One line each.');
  });
});

describe('what the table says of resets', () => {
  const maybe = <Value>(arbitrary: fc.Arbitrary<Value>): fc.Arbitrary<Value | undefined> =>
    fc.option(arbitrary, { nil: undefined });
  const rules = fc.record({
    mode: maybe(fc.constantFrom('none', 'daily', 'idle')),
    atHour: maybe(fc.integer({ min: 0, max: 23 })),
    timeZone: maybe(fc.constantFrom(null, 'UTC', 'Asia/Shanghai')),
    idleMinutes: maybe(fc.constantFrom(null, 1, 90)),
    combine: maybe(fc.constantFrom('any', 'all')),
  });
  const configs = fc.record({
    session: fc.record({
      reset: maybe(rules),
      resetByType: fc.record({ dm: maybe(rules), group: maybe(rules), thread: maybe(rules) }),
      resetByChannel: fc.record({ irc: rules }, { requiredKeys: [] }),
    }),
    agents: fc.record({ main: fc.record({ reset: maybe(rules) }) }),
    channels: fc.record({ mail: fc.record({ reset: maybe(rules) }) }, { requiredKeys: [] }),
  });

  it('is what the plugin decides by, for every channel and type', () => {
    fc.assert(
      fc.property(
        configs,
        fc.constantFrom(null, 'irc', 'mail', 'other'),
        fc.constantFrom('direct', 'group', 'thread'),
        (config, channel, type) => {
          const { values } = effectiveConfig(config, { channel, type });
          const decided = resolvePolicy(resetPolicyOptionsOf(config, { agentId: 'main' }), { type, channel });
          expect(values.reset).toEqual(decided);
        },
      ),
    );
  });
});
