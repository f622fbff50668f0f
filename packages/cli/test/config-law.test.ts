import { hostOptionsOf } from '@varve/cli';
import { createHost, type ModelPort, type ModelRef, VarveError } from '@varve/core';
import { createSessions } from '@varve/sessions';
import {
  defaultAgentOf,
  maintenancePolicyOf,
  readConfig,
  sessionsOptionsOf,
  type VarveConfig,
} from '@varve/sessions/config';
import fc from 'fast-check';
import { expect, it } from 'vitest';

const numbers = [-1, 0, 0.5, 0.99, 0.995, 1, 1.5, 2, 5, 6, 23, 24, 199, 200, 999, 1_000, 2 ** 53 - 1, 2 ** 53, null];
const texts = ['', ' ', 'a', ' a ', 'x'.repeat(100), 'x'.repeat(101), 'x'.repeat(500), `${'x'.repeat(500)} `, null];
const spans = ['0s', '0.4ms', '1ms', '5m', '10000w', 'soon', false];
const sizes = ['0', 0, 0.2, '1kb', '10gb', 'big', false];
const times = ['00:00', '00:01', '07:30', '23:59', '24:00', '7:30', '24:01'];
const zones = ['UTC', 'Asia/Shanghai', '+02:00', 'Nowhere', '', null];
const flags = [true, false, null];
const models = ['openai/gpt-5', 'openai:gpt-5', 'fast', 'offline', 'x', ':/x', 'a:b/c', 'a/b/c', ' a/b ', ''];
const kinds = ['dm', 'direct', 'group', 'channel', 'thread', 'other', []];
const commands = ['/new', '/NEW', '/help', '/send', '/model', 'new', '/', '/a b', ''];

/** Places in a configuration, and what may be written there: on both sides of every limit. */
const places: readonly (readonly [path: string, values: readonly unknown[]])[] = [
  ['models.default', models],
  ['models.names.fast', models],
  ['models.names.offline', models],
  ['models.names.a:b', models],
  ...['openai/gpt-5', 'new/one', ':/x', 'a:b/c'].flatMap((name) =>
    ['contextTokens', 'maxInputTokens', 'maxOutputTokens'].map(
      (fact) => [`models.facts.${name}.${fact}`, numbers] as const,
    ),
  ),
  ...['maxSessions'].map((name) => [`session.hibernate.${name}`, numbers] as const),
  ['session.hibernate.after', spans],
  ['session.hibernate.maxBytes', sizes],
  ...['maxDepth', 'maxChildren', 'maxRunning', 'maxResultChars', 'forkTokens'].map(
    (name) => [`session.subagents.${name}`, numbers] as const,
  ),
  ['session.subagents.timeout', spans],
  ['session.subagents.model', models],
  ['session.subagents.allowAgents.0', texts],
  ['session.maxConcurrentTurns', numbers],
  ...['olderThan', 'runsOlderThan', 'keepRecent', 'compressAfter', 'deleteArchivedAfter'].map(
    (name) => [`session.maintenance.${name}`, spans] as const,
  ),
  ['session.maintenance.maxSessions', [...numbers, false]],
  ['session.maintenance.maxBytes', sizes],
  ['session.resetTriggers.0', commands],
  ['session.resetTriggers', [[]]],
  ['session.resetAuthorised.ids.0', texts],
  ['session.greeting', texts],
  ['session.carryOver.settings.send', ['always', 'never', 'explicit']],
  ['session.carryOver.settings.model', ['always', 'never', 'explicit', 'now']],
  ['session.identityLinks.ada.0', ['telegram:1', '1', ':1', 'telegram:', 'bob']],
  ['session.identityLinks.bob.0', ['telegram:1', 'Telegram:1', '1', 'bob']],
  ['session.bindings.0.agentId', texts],
  ['session.sendPolicy.timeZone', zones],
  ['session.sendPolicy.default', ['allow', 'deny', 'maybe']],
  ...['session.reset', 'session.resetByType.direct', 'session.resetByType.dm', 'session.resetByChannel.irc'].flatMap(
    (at) => [
      [`${at}.mode`, ['none', 'daily', 'idle', 'weekly']] as const,
      [`${at}.atHour`, numbers] as const,
      [`${at}.idleMinutes`, numbers] as const,
      [`${at}.timeZone`, zones] as const,
    ],
  ),
  ...['session.sendPolicy', 'agents.main.send', 'channels.irc.send'].flatMap((at) => [
    [`${at}.rules.0.reason`, texts] as const,
    [`${at}.rules.0.name`, texts] as const,
    [`${at}.rules.0.match.chatType`, kinds] as const,
    [`${at}.rules.0.match.keyPrefix`, texts] as const,
    [`${at}.rules.0.match.recipient`, texts] as const,
    [`${at}.rules.0.match.during.from`, times] as const,
    [`${at}.rules.0.match.during.to`, times] as const,
    [`${at}.rules.0.match.during.timeZone`, zones] as const,
    [`${at}.block.types.0`, kinds] as const,
    [`${at}.block.reason`, texts] as const,
  ]),
  ...['global', 'agents.main'].flatMap((at) => [
    ...['windowTokens', 'contextTokens', 'inputTokens', 'outputReserveRatio', 'reservedTokens', 'safetyTokens'].map(
      (name) => [`${at}.budget.${name}`, numbers] as const,
    ),
    [`${at}.budget.inputBytes`, numbers] as const,
    [`${at}.pruning.mode`, ['auto', 'cache-ttl']] as const,
    [`${at}.pruning.enabled`, flags] as const,
    [
      `${at}.pruning.prices`,
      ['none', 'openai', { read: 0, write: 0, ttl: 0 }, { read: 2, write: 1, ttl: 'x' }],
    ] as const,
    [`${at}.pruning.ttl`, [0, '5m', '5', '1w', -1]] as const,
    ...['keepLastAssistants', 'softTrimRatio', 'hardClearRatio', 'minPrunableToolChars'].map(
      (name) => [`${at}.pruning.${name}`, numbers] as const,
    ),
    ...['maxChars', 'headChars', 'tailChars'].map((name) => [`${at}.pruning.softTrim.${name}`, numbers] as const),
    [`${at}.pruning.hardClear.placeholder`, texts] as const,
    [`${at}.pruning.tools.deny.0`, texts] as const,
    [`${at}.compaction.enabled`, flags] as const,
    [`${at}.compaction.models.0`, models] as const,
    ...['Ratio', 'Messages', 'Bytes'].map((name) => [`${at}.compaction.compactAt${name}`, numbers] as const),
    ...['keepRecentTokens', 'keepRecentMessages', 'maskToolResultsAfterAssistants'].map(
      (name) => [`${at}.compaction.${name}`, numbers] as const,
    ),
    [`${at}.recall.noteTokens`, numbers] as const,
    [`${at}.recall.minScore`, numbers] as const,
    [`${at}.memory.dir`, texts] as const,
    [`${at}.memory.enabled`, flags] as const,
    [`${at}.memory.timeZone`, zones] as const,
    [`${at}.memory.owners.0`, texts] as const,
    [`${at}.memory.fileChars`, numbers] as const,
    [`${at}.memory.totalChars`, numbers] as const,
    [`${at}.memory.flush.prompt`, texts] as const,
    [`${at}.memory.flush.model`, models] as const,
    [`${at}.memory.flush.inputTokens`, numbers] as const,
  ]),
];

type Written = readonly [path: string, value: unknown];

/** A configuration in which these things are written, and nothing else. */
function written(all: readonly Written[]): object {
  const config: Record<string, unknown> = {};
  for (const [path, value] of all) {
    // Names of models have a slash and never a dot here.
    const parts = path.split('.');
    let at: Record<string, unknown> = config;
    for (const [index, part] of parts.slice(0, -1).entries()) {
      const next = parts[index + 1] === '0' ? [] : {};
      const there = at[part];
      if (typeof there !== 'object' || there === null) at[part] = next;
      at = at[part] as Record<string, unknown>;
    }
    at[parts.at(-1) ?? ''] = value;
    if (path.includes('.rules.0.')) ruleIn(config, parts)['action'] = 'deny';
  }
  return config;
}

function ruleIn(config: Record<string, unknown>, parts: readonly string[]): Record<string, unknown> {
  return parts.slice(0, parts.indexOf('rules') + 2).reduce((at, part) => at[part] as Record<string, unknown>, config);
}

function accepted(raw: object): VarveConfig | null {
  try {
    return readConfig(raw, { name: 'the configuration' }).config;
  } catch (error) {
    if (VarveError.is(error, 'VARVE_CONFIG_INVALID')) return null;
    throw error;
  }
}

const portOf = (ref: ModelRef): ModelPort => ({ ref, generate: () => Promise.reject(new Error('Nobody is asked.')) });

/** Starts everything that a configuration is for. Throws what the product says of it. */
async function start(config: VarveConfig): Promise<void> {
  const ids = Object.keys(config.agents ?? {});
  const bound = (config.session?.bindings ?? []).map(({ agentId }) => agentId);
  for (const agentId of new Set([...(ids.length === 0 ? [defaultAgentOf(config)] : ids), ...bound])) {
    await using host = await createHost(hostOptionsOf(config, { agentId, portOf }));
    await using sessions = createSessions({ ...sessionsOptionsOf(config), host });
    const { policy } = maintenancePolicyOf(config);
    await sessions.maintain({ ...policy, bytesOf: () => 0 }, { dryRun: true });
  }
}

async function outcome(all: readonly Written[]): Promise<string> {
  const config = accepted(written(all));
  if (config === null) return 'refused';
  return start(config).then(
    () => 'started',
    (error: unknown) => `accepted, and then: ${error instanceof Error ? error.message : String(error)}`,
  );
}

it('lets the product start with every value that is accepted', async () => {
  const counts = { refused: 0, started: 0 };
  const wrong: string[] = [];
  for (const [path, values] of places) {
    for (const value of values) {
      const came = await outcome([[path, value]]);
      if (came === 'refused' || came === 'started') counts[came] += 1;
      else wrong.push(`${path} = ${JSON.stringify(value)}: ${came}`);
    }
  }
  expect(wrong).toEqual([]);
  // Both sides of the limits were tried.
  expect(Math.min(counts.refused, counts.started)).toBeGreaterThan(300);
});

it('lets the product start with values that are accepted together', async () => {
  const one = fc
    .constantFrom(...places)
    .chain(([path, values]) => fc.tuple(fc.constant(path), fc.constantFrom(...values)));
  const some = fc.uniqueArray(one, { minLength: 2, maxLength: 5, selector: ([path]) => path });
  await fc.assert(
    fc.asyncProperty(some, async (all) => {
      expect(['refused', 'started']).toContain(await outcome(all));
    }),
    { numRuns: 1_000 },
  );
});
