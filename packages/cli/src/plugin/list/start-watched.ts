import {
  createHost,
  type HookName,
  type HostOptions,
  type Milliseconds,
  type Plugin,
  type PluginHooks,
} from '@varve/core';
import { explainOrder, type PluginPlace } from './plugin-order.ts';

/** A plugin as it started. */
export interface StartedPlugin extends PluginPlace {
  readonly version: string;
  /** Its taps, in the order in which they were added. */
  readonly taps: readonly { readonly hook: HookName; readonly name: string }[];
  /** Ids of the engines that it registered. */
  readonly engines: readonly string[];
  /** How long its options were checked and it was applied, on the clock of this machine. */
  readonly startMs: Milliseconds;
}

interface Notes {
  readonly taps: { readonly hook: HookName; readonly name: string }[];
  readonly engines: string[];
  startMs: number;
}

type Tap = (name: string, tap: unknown) => void;

/**
 * Starts the plugins of a host on a store in memory, notes what each does meanwhile, and stops them again.
 *
 * @throws what a host throws that cannot start, such as VARVE_PLUGIN_CYCLE or VARVE_PLUGIN_OPTIONS
 */
export async function startWatched(
  plugins: readonly Plugin[],
  options: Omit<HostOptions, 'plugins'>,
): Promise<readonly StartedPlugin[]> {
  const notes = new Map<string, Notes>();
  const watched = plugins.map((plugin) => {
    const own: Notes = { taps: [], engines: [], startMs: 0 };
    notes.set(plugin.name, own);
    return watchedPlugin(plugin, own);
  });
  await using host = await createHost({ ...options, plugins: watched });
  const names = host.plugins.map(({ name }) => name);
  const versions = new Map(host.plugins.map(({ name, version }) => [name, version]));
  return explainOrder(plugins, names).map((place) => {
    const { taps = [], engines = [], startMs = 0 } = notes.get(place.name) ?? {};
    return { ...place, version: versions.get(place.name) ?? '', taps, engines, startMs };
  });
}

function watchedPlugin(plugin: Plugin, notes: Notes): Plugin {
  const timed = async <Value>(work: () => Value | Promise<Value>): Promise<Value> => {
    const begun = performance.now();
    try {
      return await work();
    } finally {
      notes.startMs += performance.now() - begun;
    }
  };
  const { '~standard': schema } = plugin.options;
  const options: Plugin['options'] = {
    '~standard': { ...schema, validate: (value) => timed(() => schema.validate(value)) },
  };
  const apply: Plugin['apply'] = (context, given) => {
    const registerEngine: typeof context.registerEngine = (id, create) => {
      context.registerEngine(id, create);
      notes.engines.push(id);
    };
    const begun = performance.now();
    try {
      return plugin.apply({ ...context, registerEngine, hooks: watchedHooks(context.hooks, notes) }, given);
    } finally {
      notes.startMs += performance.now() - begun;
    }
  };
  return { ...plugin, options, apply };
}

function watchedHooks(hooks: PluginHooks, { taps }: Notes): PluginHooks {
  const watched = (Object.keys(hooks) as HookName[]).map((hook) => {
    const tapPromise: Tap = (name, tap) => {
      (hooks[hook].tapPromise as Tap)(name, tap);
      taps.push({ hook, name });
    };
    return [hook, Object.freeze({ ...hooks[hook], tapPromise })];
  });
  return Object.freeze(Object.fromEntries(watched)) as PluginHooks;
}
