import type { ModelPort, ModelRef, Plugin } from '@varve/core';
import { resetPolicy } from '@varve/plugin-reset-policy';
import { sendPolicy } from '@varve/plugin-send-policy';
import { ttlPruning } from '@varve/plugin-ttl-pruning';
import { type StrataOptions, strata } from '@varve/preset-strata';
import {
  type EffectiveSettings,
  effectiveConfig,
  resetPolicyOptionsOf,
  resolveModel,
  sendPolicyOptionsOf,
  type VarveConfig,
} from '@varve/sessions/config';
import { instructionsPlugin } from './instructions-plugin.ts';

/** Whose plugins are made, and how models are reached. */
export interface PluginsOfConfigOptions {
  readonly agentId: string;
  /** Makes the port of a model that writes prose or notes. Called once for each that the configuration names. */
  readonly portOf: (model: ModelRef) => ModelPort;
}

/**
 * The plugins of a host that serves one agent: the set `strata` as the configuration changes it, its instructions, and
 * the policies of resets and sends. Options are checked when the host starts.
 *
 * @throws VARVE_PLUGIN_OPTIONS  for what the set refuses.
 */
export function pluginsOfConfig(config: VarveConfig, { agentId, portOf }: PluginsOfConfigOptions): readonly Plugin[] {
  const { values } = effectiveConfig(config, { agentId });
  const port = (name: string): ModelPort => {
    const ref = resolveModel(config, name);
    // Names were looked up when the configuration was read.
    return portOf(ref ?? { provider: 'unknown', model: name });
  };
  const { instructions: text } = values;
  const byChannel = Object.entries(config.channels ?? {}).flatMap(([channel, { instructions }]) =>
    instructions === undefined ? [] : [[channel, instructions] as const],
  );
  return [
    instructionsPlugin({ text, byChannel: Object.fromEntries(byChannel) }),
    ...setOf(values, port),
    resetPolicy(resetPolicyOptionsOf(config, { agentId })),
    sendPolicy(sendPolicyOptionsOf(config, { agentId })),
  ];
}

/** The set, without what is switched off, and with pruning in the mode that was chosen. */
function setOf(values: EffectiveSettings, port: (name: string) => ModelPort): readonly Plugin[] {
  const { pruning, compaction, recall, memory } = values;
  const { enabled: prunes, prices: _, mode, ...pruningRest } = pruning;
  const off = new Set([
    ...(prunes === false ? ['ttl-pruning'] : []),
    ...(compaction.enabled === false ? ['summary-compaction'] : []),
    ...(recall.enabled === false ? ['recall'] : []),
    ...(memory.flush?.enabled === false ? ['memory-flush'] : []),
  ]);
  const set = strata(strataOptionsOf(values, port)).filter(({ name }) => !off.has(name));
  if (mode !== 'cache-ttl') return set;
  const own = ttlPruning({ ...pruningRest, mode });
  return set.map((plugin) => (plugin.name === own.name ? own : plugin));
}

function strataOptionsOf(values: EffectiveSettings, port: (name: string) => ModelPort): StrataOptions {
  const { pruning, compaction, recall } = values;
  const {
    enabled: _prunes,
    mode: _mode,
    prices,
    ttl: _ttl,
    softTrimRatio: _trim,
    hardClearRatio: _clear,
    ...rest
  } = pruning;
  const { enabled: _compacts, models = [], ...compactionRest } = compaction;
  const { enabled: _recalls, ...recallRest } = recall;
  return {
    prices,
    pruning: rest,
    compaction: { ...compactionRest, models: models.map(port) },
    recall: recallRest,
    memory: memoryOf(values.memory, port),
  };
}

function memoryOf(
  { enabled, dir, timeZone = null, owners = null, flush = {}, ...layers }: EffectiveSettings['memory'],
  port: (name: string) => ModelPort,
): StrataOptions['memory'] {
  if (enabled !== true || dir === undefined) return null;
  const { enabled: _flushes, model = null, ...flushRest } = flush;
  return { dir, timeZone, owners, layers, flush: { ...flushRest, model: model === null ? null : port(model) } };
}
