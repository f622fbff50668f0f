import { defaultPluginNames, loadPlugins, pluginNames } from '../replay/plugin-catalogue.ts';
import type { ReplayOptions } from '../replay/replay.ts';
import { usage } from '../terminal/parse-options.ts';

/** A way to fill a prompt, by the name under which it stands in a comparison. */
export interface Strategy {
  readonly name: string;
  /** Plugins by name, in their order; `null` sends everything, whatever the budget. */
  readonly plugins: readonly string[] | null;
}

const named: Readonly<Record<string, readonly string[] | null>> = {
  everything: null,
  window: [],
  pruning: ['ttl-pruning'],
  compaction: ['summary-compaction'],
  default: defaultPluginNames,
  strata: ['strata'],
};

/** Names of strategies that are compared when nobody says which. */
export const defaultStrategyNames: readonly string[] = Object.keys(named);

/**
 * Reads `strata,window,ttl-pruning+recall`: names of strategies, of plugins, or of several plugins with `+`.
 *
 * @throws VARVE_USAGE
 */
export function parseStrategies(text: string): readonly Strategy[] {
  const names = [...new Set(text.split(',').map((name) => name.trim()))].filter((name) => name !== '');
  if (names.length === 0) throw usage('No strategy was named.', `Give some of: ${defaultStrategyNames.join(', ')}.`);
  return names.map(strategyOf);
}

const joinFix = `Put a comma between strategies; with + come plugins: ${pluginNames.join(', ')}.`;

function strategyOf(name: string): Strategy {
  if (Object.hasOwn(named, name)) return { name, plugins: named[name] ?? null };
  const plugins = name.split('+').map((plugin) => plugin.trim());
  const whole = plugins.find((plugin) => Object.hasOwn(named, plugin) && !pluginNames.includes(plugin));
  if (whole !== undefined) throw usage(`"${whole}" is a whole strategy, and cannot be joined with +.`, joinFix);
  const unknown = plugins.find((plugin) => !pluginNames.includes(plugin));
  if (unknown === undefined) return { name, plugins };
  throw usage(
    `There is no strategy or plugin "${unknown}".`,
    `Use some of: ${defaultStrategyNames.join(', ')}; or plugins with +: ${pluginNames.join(', ')}.`,
  );
}

/** The part of a replay's options that a strategy decides. */
export function optionsOf(
  { plugins }: Strategy,
  budgetTokens: number | null,
): Pick<ReplayOptions, 'budgetTokens' | 'plugins'> {
  if (plugins === null) return { budgetTokens: null, plugins: [] };
  return { budgetTokens, plugins: ({ cacheTtl }) => loadPlugins(plugins, { cacheTtl }) };
}
