import { modelRegistry } from '@varve/adapters/model-registry';
import type { HostOptions } from '@varve/core';
import { effectiveConfig, type VarveConfig } from '@varve/sessions/config';
import { type PluginsOfConfigOptions, pluginsOfConfig } from './plugins-of-config.ts';

/** What a configuration says of a host. */
export type HostOfConfig = Pick<HostOptions, 'plugins' | 'budget' | 'models'>;

/**
 * What `createHost` is told by a configuration, for a host that serves one agent; the store is the caller's.
 *
 * @throws VARVE_PLUGIN_OPTIONS, VARVE_OPTION_INVALID
 */
export function hostOptionsOf(config: VarveConfig, options: PluginsOfConfigOptions): HostOfConfig {
  const { budget } = effectiveConfig(config, { agentId: options.agentId }).values;
  const facts = Object.entries(config.models?.facts ?? {}).map(([name, own]) => {
    const said = Object.entries(own).filter(([, value]) => value !== undefined);
    return [name, { ...Object.fromEntries(said), source: 'configuration' }] as const;
  });
  return {
    plugins: pluginsOfConfig(config, options),
    budget,
    models: modelRegistry({ overrides: Object.fromEntries(facts) }),
  };
}
