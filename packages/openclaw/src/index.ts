import { VarveError } from '@varve/core';
import { createEngine } from './engine.ts';
import { engineId } from './engine-name.ts';
import type { OpenClawApi } from './openclaw-api.ts';
import { readPluginConfig } from './plugin-config.ts';

export type {
  AssembleCall,
  AssembleResult,
  CommitTurnCall,
  CompactCall,
  CompactResult,
  EngineCall,
  EngineContext,
  IngestCall,
  MessagesCall,
  OpenClawApi,
  OpenClawEngine,
  OpenClawLogger,
  RuntimeSettings,
} from './openclaw-api.ts';
export type { PluginConfig } from './plugin-config.ts';
export { pluginManifest } from './plugin-manifest.ts';

/** A plugin, as OpenClaw loads it. */
export interface OpenClawPlugin {
  readonly id: string;
  readonly name: string;
  /** May be called several times in a process. */
  register(api: OpenClawApi): void;
}

const plugin: OpenClawPlugin = {
  id: engineId,
  name: 'Varve',
  register: (api) => {
    if (typeof api?.registerContextEngine !== 'function') {
      throw new VarveError('VARVE_OPTION_INVALID', 'This OpenClaw has no context engines for plugins.', {
        fix: 'Use OpenClaw 2026.3 or newer.',
        details: { path: 'registerContextEngine' },
      });
    }
    const config = readPluginConfig(api.pluginConfig);
    api.registerContextEngine(engineId, () => createEngine({ config, logger: api.logger }));
  },
};

/**
 * The plugin: registers the context engine `varve`.
 *
 * @throws VARVE_CONFIG_INVALID  for what stands under `plugins.entries.varve.config`; VARVE_OPTION_INVALID where OpenClaw has
 *   no context engines.
 */
export default plugin;
