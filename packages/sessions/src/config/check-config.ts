import { VarveError } from '@varve/core';
import { entryOfChannel } from '../route/channel-name.ts';
import { createRouting } from '../route/create-routing.ts';
import { securitySettings } from '../settings/carry-over.ts';
import type { ConfigProblem } from './config-problem.ts';
import { effectiveConfig } from './effective-config.ts';
import { didYouMean } from './near-names.ts';
import { pathText } from './path-text.ts';
import { resolveModel } from './resolve-model.ts';
import { defaultAgentOf, routingOptionsOf } from './routing-options-of.ts';
import { shownValue } from './shown-value.ts';
import type { VarveConfig } from './varve-config.ts';

/** What does not go together, though each part is well formed: links, models, agents, channels, and what layers add up to. */
export function checkConfig(config: VarveConfig): readonly ConfigProblem[] {
  return [
    ...routingProblems(config),
    ...modelProblems(config),
    ...agentProblems(config),
    ...channelProblems(config),
    ...sameChannelProblems(config),
    ...carryOverProblems(config),
  ];
}

function routingProblems(config: VarveConfig): readonly ConfigProblem[] {
  try {
    createRouting(routingOptionsOf(config));
    return [];
  } catch (error) {
    if (!VarveError.is(error, 'VARVE_ROUTING_INVALID')) throw error;
    const { message, fix, details } = error;
    const { person, people: several } = details;
    const people = [person, several].flat().filter((one) => typeof one === 'string');
    const link = people.at(-1);
    const path = ['session', 'identityLinks', ...(link === undefined ? [] : [link])];
    const names = link === undefined ? undefined : config.session?.identityLinks?.[link];
    return [{ path: pathText(path), value: shownValue(path, names), why: message, fix }];
  }
}

function modelProblems(config: VarveConfig): readonly ConfigProblem[] {
  const { models = {}, agents = {}, channels = {} } = config;
  const general = config.global ?? {};
  const sections = [
    { at: ['global'], settings: general },
    ...Object.entries(agents).map(([id, settings]) => ({ at: ['agents', id], settings })),
  ];
  const named: { readonly path: readonly PropertyKey[]; readonly name: string | null | undefined }[] = [
    { path: ['models', 'default'], name: models.default },
    { path: ['session', 'subagents', 'model'], name: config.session?.subagents?.model },
    ...Object.entries(agents).map(([id, { model }]) => ({ path: ['agents', id, 'model'], name: model })),
    ...Object.entries(channels).map(([id, { model }]) => ({ path: ['channels', id, 'model'], name: model })),
    ...sections.map(({ at, settings }) => ({
      path: [...at, 'memory', 'flush', 'model'],
      name: settings.memory?.flush?.model,
    })),
    ...sections.flatMap(({ at, settings }) =>
      (settings.compaction?.models ?? []).map((name, index) => ({
        path: [...at, 'compaction', 'models', index],
        name,
      })),
    ),
  ];
  const known = Object.keys(models.names ?? {});
  return named.flatMap(({ path, name }) => {
    if (typeof name !== 'string' || resolveModel(config, name) !== null) return [];
    const fix = didYouMean(name, known, `Write it as "provider/model", or add "${name}" to models.names.`);
    return [{ path: pathText(path), value: shownValue(path, name), why: 'There is no model of that name.', fix }];
  });
}

/** What makes no sense only when the layers are laid over each other. */
function agentProblems(config: VarveConfig): readonly ConfigProblem[] {
  const { agents = {}, session = {} } = config;
  const ids = Object.keys(agents);
  const problems: ConfigProblem[] = [];
  const chosen = defaultAgentOf(config);
  if (ids.length > 0 && !ids.includes(chosen)) {
    const isSaid = session.defaultAgentId !== undefined;
    problems.push({
      path: 'session.defaultAgentId',
      value: isSaid ? JSON.stringify(chosen) : null,
      why: isSaid ? 'There is no such agent.' : 'There are several agents, and none is called "main".',
      fix: didYouMean(chosen, ids, `Name one of: ${ids.join(', ')}.`),
    });
  }
  // An agent that only a binding names has what holds for all.
  const bound = (session.bindings ?? []).map(({ agentId }) => agentId);
  for (const agentId of [...(ids.length === 0 ? [chosen] : ids), ...bound])
    problems.push(...layerProblems(config, agentId));
  return uniqueByPath(problems);
}

/** Options of the pruning that only one of its modes has a use for. */
const cacheTtlAlone = ['ttl', 'softTrimRatio', 'hardClearRatio'] as const;

function layerProblems(config: VarveConfig, agentId: string): readonly ConfigProblem[] {
  const { values, sources } = effectiveConfig(config, { agentId });
  const { pruning, compaction, memory } = values;
  const problem = (name: string, rest: Omit<ConfigProblem, 'path'>): ConfigProblem => {
    return { path: sources[name]?.path ?? name, ...rest };
  };
  const useless = cacheTtlAlone.filter((name) => pruning.mode === 'auto' && pruning[name] !== undefined);
  const { keepRecentMessages: kept, compactAtMessages: most } = compaction;
  return [
    ...useless.map((name) =>
      problem(`pruning.${name}`, {
        value: JSON.stringify(pruning[name]),
        why: 'The mode "auto" has no use for it: it goes by prices.',
        fix:
          name === 'ttl'
            ? 'Say it in pruning.prices, or set pruning.mode to "cache-ttl".'
            : 'Remove it, or set pruning.mode to "cache-ttl".',
      }),
    ),
    ...(typeof kept === 'number' && typeof most === 'number' && kept >= most
      ? [
          problem('compaction.keepRecentMessages', {
            value: String(kept),
            why: `A compaction at ${most} messages would leave them all.`,
            fix: 'Make it smaller than compaction.compactAtMessages.',
          }),
        ]
      : []),
    ...(memory.enabled === true && memory.dir === undefined
      ? [
          problem('memory.enabled', {
            value: 'true',
            why: 'Memory needs a folder.',
            fix: 'Give memory.dir, the workspace folder, or leave memory out.',
          }),
        ]
      : []),
  ];
}

function channelProblems({ session = {}, channels = {} }: VarveConfig): readonly ConfigProblem[] {
  return Object.entries(channels).flatMap(([channel, { reset, send }]) => {
    const at = ['channels', channel];
    const twice = reset !== undefined && entryOfChannel(session.resetByChannel, channel) !== null;
    const elsewhere = (send?.rules ?? []).flatMap(({ match }, index) => {
      if (match?.channel === undefined) return [];
      const path = [...at, 'send', 'rules', index, 'match', 'channel'];
      const why = 'The rules of a channel are about that channel.';
      return [
        {
          path: pathText(path),
          value: shownValue(path, match.channel),
          why,
          fix: 'Remove it, or move the rule to session.sendPolicy.',
        },
      ];
    });
    const double: ConfigProblem = {
      path: pathText([...at, 'reset']),
      value: null,
      why: 'It is said in session.resetByChannel, too.',
      fix: 'Keep one of the two.',
    };
    return [...(twice ? [double] : []), ...elsewhere];
  });
}

/** Channels that are named twice, by another case of their letters. */
function sameChannelProblems({ session = {}, channels = {} }: VarveConfig): readonly ConfigProblem[] {
  const sections = [
    { at: ['channels'], all: channels },
    { at: ['session', 'resetByChannel'], all: session.resetByChannel ?? {} },
  ];
  return sections.flatMap(({ at, all }) =>
    Object.keys(all).flatMap((name) => {
      const first = entryOfChannel<unknown>(all, name)?.name ?? name;
      if (first === name) return [];
      const why = `It is the channel "${first}": the case of its letters says nothing.`;
      return [{ path: pathText([...at, name]), value: null, why, fix: 'Keep one of the two.' }];
    }),
  );
}

function carryOverProblems({ session = {} }: VarveConfig): readonly ConfigProblem[] {
  return Object.entries(session.carryOver?.settings ?? {}).flatMap(([name, rule]) => {
    if (!securitySettings.includes(name) || rule === 'always') return [];
    const path = ['session', 'carryOver', 'settings', name];
    const why = 'A setting that holds something back outlives every reset.';
    return [{ path: pathText(path), value: shownValue(path, rule), why, fix: 'Leave it out; it is always kept.' }];
  });
}

function uniqueByPath(problems: readonly ConfigProblem[]): readonly ConfigProblem[] {
  return [...new Map(problems.map((problem) => [`${problem.path} ${problem.why}`, problem])).values()];
}
