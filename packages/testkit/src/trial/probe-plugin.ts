import type { Draft, HookContext, HookName, Plugin, PluginContext, PluginHooks } from '@varve/core';

/** One call of a tap, as the plugin saw it. */
interface TapCall {
  readonly hook: HookName;
  readonly tap: string;
  readonly input: unknown;
  /** What it returned; `undefined` until then. */
  output: unknown;
  /** What it threw; `null` for nothing. */
  error: unknown;
  isSettled: boolean;
  /** Whether what it was handed was another one afterwards. */
  changedInput: boolean;
}

/** A plugin that is watched from inside the host. */
export interface Probe {
  readonly plugin: Plugin;
  readonly calls: readonly TapCall[];
  readonly taps: readonly { readonly hook: HookName; readonly name: string }[];
  /** Taps that were added after the plugin had been applied, by hook. */
  readonly lateTaps: readonly string[];
  /** Fields of contexts that were used after their tap had ended. */
  readonly lateUses: readonly string[];
  /** What its clean-up threw. */
  readonly cleanUpErrors: readonly unknown[];
}

interface Notes extends Probe {
  readonly compares: boolean;
  readonly calls: TapCall[];
  readonly taps: { readonly hook: HookName; readonly name: string }[];
  readonly lateTaps: string[];
  readonly lateUses: string[];
  readonly cleanUpErrors: unknown[];
}

type AnyTap = (value: unknown, context: HookContext) => unknown;

/**
 * Wraps a plugin so that everything that passes between it and the host is noted. It behaves as before.
 *
 * @param options.compares  Whether what a tap is handed is compared with what it is afterwards; takes time. @default false
 */
export function probePlugin(plugin: Plugin, { compares = false }: { readonly compares?: boolean } = {}): Probe {
  const lists = { calls: [], taps: [], lateTaps: [], lateUses: [], cleanUpErrors: [], compares };
  const apply: Plugin['apply'] = (context, options) => {
    let isApplied = false;
    const hooks = watchedHooks(context.hooks, notes, () => isApplied);
    const watched: PluginContext = { ...context, hooks };
    const cleanUp = plugin.apply(watched, options);
    isApplied = true;
    if (typeof cleanUp !== 'function') return cleanUp;
    return async () => {
      try {
        await cleanUp();
      } catch (error) {
        notes.cleanUpErrors.push(error);
      }
    };
  };
  const notes: Notes = { ...lists, plugin: { ...plugin, apply } };
  return notes;
}

function watchedHooks(hooks: PluginHooks, notes: Notes, isApplied: () => boolean): PluginHooks {
  const names = Object.keys(hooks) as HookName[];
  const watched = names.map((hook) => {
    const tapPromise = (name: string, tap: AnyTap): void => {
      if (isApplied()) notes.lateTaps.push(hook);
      const add = hooks[hook].tapPromise as (name: string, tap: unknown) => void;
      add(name, typeof tap === 'function' ? watchedTap({ hook, name, tap }, notes) : tap);
      notes.taps.push({ hook, name });
    };
    return [hook, Object.freeze({ name: hook, tapPromise })];
  });
  return Object.freeze(Object.fromEntries(watched)) as PluginHooks;
}

function watchedTap({ hook, name, tap }: { hook: HookName; name: string; tap: AnyTap }, notes: Notes): AnyTap {
  return async (value, context) => {
    const call: TapCall = {
      ...{ hook, tap: name, input: value, output: undefined, error: null },
      ...{ isSettled: false, changedInput: false },
    };
    notes.calls.push(call);
    const { session } = context;
    const before = notes.compares ? snapshotOf(value, session) : '';
    try {
      call.output = await tap(value, watchedContext(context, { call, notes }));
      return call.output;
    } catch (error) {
      call.error = error;
      throw error;
    } finally {
      call.changedInput = notes.compares && snapshotOf(value, session) !== before;
      call.isSettled = true;
    }
  };
}

function watchedContext(context: HookContext, { call, notes }: { call: TapCall; notes: Notes }): HookContext {
  return new Proxy(context, {
    get: (target, property) => {
      if (call.isSettled && typeof property === 'string' && property !== 'then' && property !== 'signal') {
        notes.lateUses.push(`context.${property} in ${call.hook}: ${call.tap}`);
      }
      return Reflect.get(target, property) as unknown;
    },
  });
}

/** Everything that a tap could change of what it is handed, as text. */
function snapshotOf(value: unknown, session: HookContext['session']): string {
  const seen = [session.messages(), session.settings, session.compaction()];
  if (isDraft(value)) return JSON.stringify([partsOf(value), seen]);
  const { draft } = (typeof value === 'object' && value !== null ? value : {}) as { readonly draft?: Draft };
  return JSON.stringify([value, draft === undefined ? null : partsOf(draft), seen]);
}

function partsOf({ items, layers, budget }: Draft): unknown {
  return [items, layers, budget];
}

/** True for a draft, and for what pretends to be one. */
export function isDraft(value: unknown): value is Draft {
  return typeof value === 'object' && value !== null && 'addLayer' in value && 'items' in value;
}
