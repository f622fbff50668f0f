import type { Clock } from '../clock.ts';
import { messageOfError, VarveError } from '../errors.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import { createEngineRegistry, type EngineRegistry } from './engine.ts';
import type { Events } from './events.ts';
import { guardTap } from './guard.ts';
import { createHooks, type Hooks } from './hooks.ts';
import type { Plugin, PluginContext } from './plugin.ts';
import { type PluginList, parsePluginOptions, resolvePlugins } from './resolve-plugins.ts';

/** Plugins that have tapped their hooks and registered their engines. */
export interface StartedPlugins {
  readonly hooks: Hooks;
  readonly engines: EngineRegistry;
  /** In the order in which they run, with the options that they were given. */
  readonly plugins: readonly { readonly name: string; readonly version: string; readonly options: unknown }[];
  /** Runs what the plugins left to clean up. Never rejects. */
  cleanUp(): Promise<readonly PromiseSettledResult<void>[]>;
}

/**
 * Checks plugins, puts them in order, lets each tap its hooks, and freezes the hooks. When one fails, those that have
 * started are cleaned up.
 */
export async function startPlugins(
  list: PluginList,
  context: { readonly events: Events; readonly clock: Clock; readonly tokens: TokenCounter },
): Promise<StartedPlugins> {
  const hooks = createHooks();
  const engines = createEngineRegistry();
  const cleanUps: (() => void | Promise<void>)[] = [];
  const started: { name: string; version: string; options: unknown }[] = [];
  const cleanUp = (): Promise<readonly PromiseSettledResult<void>[]> =>
    Promise.allSettled(cleanUps.splice(0).map(async (run) => run()));
  try {
    for (const plugin of resolvePlugins(list)) {
      const { name, version } = plugin;
      const options = await parsePluginOptions(plugin);
      const tappable = hooks.forPlugin(name, (hook, tapName, tap) => guardTap(name, hook, { name: tapName, tap }));
      const registerEngine: PluginContext['registerEngine'] = (id, create) => engines.register(id, create);
      const end = applyPlugin(plugin, { ...context, hooks: tappable, registerEngine }, options);
      if (typeof end === 'function') cleanUps.push(end);
      started.push({ name, version, options });
    }
  } catch (error) {
    await cleanUp();
    throw error;
  }
  hooks.freeze();
  return { hooks, engines, plugins: started, cleanUp };
}

/** Runs `apply` in the plugin's name: what it throws says whose it is. */
function applyPlugin(plugin: Plugin, context: PluginContext, options: unknown): ReturnType<Plugin['apply']> {
  try {
    const end: unknown = plugin.apply(context, options);
    if (isThenable(end)) {
      void Promise.resolve(end).catch(() => undefined);
      throw new VarveError('VARVE_PLUGIN_INVALID', `Plugin "${plugin.name}": apply must be synchronous.`, {
        fix: 'Tap hooks at once; do slow work inside taps.',
        details: { plugin: plugin.name },
      });
    }
    return end as ReturnType<Plugin['apply']>;
  } catch (error) {
    if (VarveError.is(error)) throw error;
    throw new VarveError('VARVE_PLUGIN_FAILED', `Plugin "${plugin.name}" could not start: ${messageOfError(error)}`, {
      fix: `Fix or remove the plugin "${plugin.name}".`,
      cause: error,
      details: { plugin: plugin.name },
    });
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
