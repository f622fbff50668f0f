import type { Clock } from '../clock.ts';
import { messageOfError, VarveError } from '../errors.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import { deprecationNotices } from './deprecation.ts';
import { endInTime, endingDeadlineMs } from './end-in-time.ts';
import { createEngineRegistry, type EngineRegistry } from './engine.ts';
import { type EventBus, noSession } from './events.ts';
import { createHooks, type Hooks } from './hooks.ts';
import type { Plugin, PluginContext } from './plugin.ts';
import { type PluginList, parsePluginOptions, resolvePlugins } from './resolve-plugins.ts';
import { createToolRegistry, type RegisteredTool } from './tool-registry.ts';

/** Plugins that have tapped their hooks and registered their engines. */
export interface StartedPlugins {
  readonly hooks: Hooks;
  readonly engines: EngineRegistry;
  /** What the plugins offer to models. */
  readonly tools: readonly RegisteredTool[];
  /** In the order in which they run, with the options that they were given. */
  readonly plugins: readonly { readonly name: string; readonly version: string; readonly options: unknown }[];
  /** What there is to say of the options that they were given; see `tellNotices`. */
  readonly notices: readonly string[];
  /** Runs what the plugins left to clean up, each within its deadline. Never rejects. */
  cleanUp(): Promise<readonly PromiseSettledResult<void>[]>;
}

/**
 * Checks plugins, puts them in order, lets each tap its hooks, and freezes the hooks. When one fails, those that have
 * started are cleaned up.
 */
export async function startPlugins(
  list: PluginList,
  context: { readonly events: EventBus; readonly clock: Clock; readonly tokens: TokenCounter },
): Promise<StartedPlugins> {
  const hooks = createHooks();
  const engines = createEngineRegistry();
  const tools = createToolRegistry();
  const cleanUps: CleanUp[] = [];
  const notices: string[] = [];
  const started: { name: string; version: string; options: unknown }[] = [];
  const cleanUp = (): Promise<readonly PromiseSettledResult<void>[]> =>
    Promise.allSettled(cleanUps.splice(0).map((own) => runCleanUp(own, context)));
  try {
    for (const plugin of resolvePlugins(list)) {
      const { name, version } = plugin;
      const options = await parsePluginOptions(plugin);
      const tappable = hooks.forPlugin(name);
      const registerEngine: PluginContext['registerEngine'] = (id, create) => engines.register(id, create);
      const listCommand: PluginContext['listCommand'] = (line) => hooks.listCommand(name, line);
      const end = applyPlugin(plugin, { ...context, hooks: tappable, registerEngine, listCommand }, options);
      if (typeof end === 'function') cleanUps.push({ plugin: name, end });
      inName(plugin, () => tools.add(name, plugin.toolsFor(options)));
      started.push({ name, version, options });
      notices.push(...deprecationNotices(plugin));
    }
  } catch (error) {
    await cleanUp();
    throw error;
  }
  hooks.freeze();
  return { hooks, engines, tools: tools.tools, plugins: started, notices, cleanUp };
}

interface CleanUp {
  readonly plugin: string;
  readonly end: () => void | Promise<void>;
}

/** Runs a clean-up; one that is late is left to itself, with a warning. */
async function runCleanUp(
  { plugin, end }: CleanUp,
  { events, clock }: { readonly events: EventBus; readonly clock: Clock },
): Promise<void> {
  if (await endInTime(end, clock)) return;
  const text = `Plugin "${plugin}" did not clean up within ${endingDeadlineMs} ms; the host was closed without it.`;
  events.emit('warning', { ...noSession, text });
}

function applyPlugin(plugin: Plugin, context: PluginContext, options: unknown): ReturnType<Plugin['apply']> {
  return inName(plugin, () => {
    const end: unknown = plugin.apply(context, options);
    if (!isThenable(end)) return end as ReturnType<Plugin['apply']>;
    void Promise.resolve(end).catch(() => undefined);
    throw new VarveError(
      'VARVE_PLUGIN_INVALID',
      `Plugin "${plugin.name}": apply must be synchronous, so that all its taps are there when the host has started.`,
      {
        fix: 'Tap hooks at once; do slow work inside taps.',
        details: { plugin: plugin.name },
      },
    );
  });
}

/** Runs code of a plugin while the host starts: what it throws says whose it is. */
function inName<Result>(plugin: Plugin, code: () => Result): Result {
  try {
    return code();
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
