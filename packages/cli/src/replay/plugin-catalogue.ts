import type { Plugin } from '@varve/core';
import { usage } from '../terminal/parse-options.ts';
import type { CacheTtl } from './prompt-cache.ts';

/** What plugins are told about a replay. */
interface CatalogueSettings {
  readonly cacheTtl: CacheTtl;
}

type Load = (settings: CatalogueSettings) => Promise<readonly Plugin[]>;

/** Plugins and presets that the command line brings along, by name; loaded when they are used. */
const catalogue: Readonly<Record<string, Load>> = {
  'legacy-engine': async () => [(await import('@varve/plugin-legacy-engine')).legacyEngine()],
  'ttl-pruning': async ({ cacheTtl }) => [(await import('@varve/plugin-ttl-pruning')).ttlPruning({ ttl: cacheTtl })],
  'ttl-pruning-auto': async ({ cacheTtl }) => {
    const { ttlPruning } = await import('@varve/plugin-ttl-pruning');
    return [ttlPruning({ mode: 'auto', prices: `anthropic-${cacheTtl}` })];
  },
  'summary-compaction': async () => [(await import('@varve/plugin-summary-compaction')).summaryCompaction()],
  recall: async () => [(await import('@varve/plugin-recall')).recall()],
  strata: async ({ cacheTtl }) => (await import('@varve/preset-strata')).strata({ prices: `anthropic-${cacheTtl}` }),
};

/** What can be named. */
export const pluginNames: readonly string[] = Object.keys(catalogue);

/** The plugins of a replay that names none. */
export const defaultPluginNames: readonly string[] = ['legacy-engine', 'ttl-pruning', 'summary-compaction'];

/** Makes the named plugins, in the order given. @throws VARVE_USAGE  for a name that is not in the catalogue. */
export async function loadPlugins(names: readonly string[], settings: CatalogueSettings): Promise<readonly Plugin[]> {
  const loads = names.map((name) => {
    const load = Object.hasOwn(catalogue, name) ? catalogue[name] : undefined;
    if (load !== undefined) return load;
    throw usage(`There is no plugin "${name}".`, `Use some of: ${pluginNames.join(', ')}; or none.`);
  });
  return (await Promise.all(loads.map((load) => load(settings)))).flat();
}
