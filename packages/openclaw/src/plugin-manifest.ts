import { engineId, engineVersion } from './engine-name.ts';
import { configJsonSchema } from './plugin-config.ts';

/** What stands in `openclaw.plugin.json`, which OpenClaw reads before it loads any code. */
export function pluginManifest(): object {
  return {
    id: engineId,
    name: 'Varve',
    description: 'A context engine with a journal, a budget and reasons.',
    version: engineVersion,
    kind: 'context-engine',
    activation: { onStartup: true },
    configSchema: configJsonSchema(),
  };
}
