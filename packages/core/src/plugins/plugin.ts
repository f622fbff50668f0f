import type { Clock } from '../clock.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import type { Deprecation } from './deprecation.ts';
import type { ContextEngine } from './engine.ts';
import type { Events } from './events.ts';
import type { CommandLine, PluginHooks } from './hooks.ts';
import type { PluginTools } from './plugin-tool.ts';

/** The part of the Standard Schema convention that core needs; zod, valibot and others have it. */
export interface OptionsSchema<Input, Output> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** What a schema says of a value. */
export type StandardResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[] };

/** What a plugin works with when the host starts. */
export interface PluginContext {
  readonly hooks: PluginHooks;
  readonly events: Events;
  readonly clock: Clock;
  readonly tokens: TokenCounter;
  /**
   * Registers a context engine under its id; see {@link ContextEngine}.
   *
   * @throws VARVE_PLUGIN_DUPLICATE  when the id is taken; VARVE_PLUGIN_INVALID for an empty one, or one that core keeps.
   */
  registerEngine(id: string, create: () => ContextEngine): void;
  /**
   * Lists a command that a tap of `hooks.command` answers, so that `/help` shows it.
   *
   * @throws VARVE_PLUGIN_INVALID  for a line without a command or an explanation.
   */
  listCommand(line: CommandLine): void;
}

/** What an author writes. */
export interface PluginDefinition<Input, Output, ToolInputs = unknown> {
  /** `ttl-pruning`; third parties put their name in front: `acme/foo`. `core`, `host` and `transcripts` are taken. */
  readonly name: string;
  /** The plugin's own version. */
  readonly version: string;
  /** Range of plugin API versions that it works with, such as `^1.0.0`. */
  readonly apiVersion: string;
  /** Plugins that run before this one where they are installed. */
  readonly after?: readonly string[];
  /** Plugins that run behind this one where they are installed. */
  readonly before?: readonly string[];
  /** Plugins that must be installed; they run before this one. */
  readonly requires?: readonly string[];
  /** Schema of the options; strict, so that a misspelt option is an error. */
  readonly options: OptionsSchema<Input, Output>;
  /** Options that still work and are going away, by name: who gives one is warned, once a process. @default none */
  readonly deprecated?: Readonly<Record<string, Deprecation>> | undefined;
  /**
   * Tools that the plugin offers to models, by name, or a function of the options that returns them; see
   * `session.tools()`. Where it is a function, make each with `defineTool`. @default none
   */
  readonly tools?: PluginTools<ToolInputs> | ((options: Output) => PluginTools<ToolInputs>) | undefined;
  /**
   * Called once, when the host starts: taps hooks, at once. It may not be asynchronous; slow work belongs into taps. May
   * return what cleans up when the host is closed.
   */
  apply(context: PluginContext, options: Output): void | (() => void | Promise<void>);
}

/** A plugin with its options, as it stands in the `plugins` array. */
export interface Plugin {
  readonly name: string;
  readonly version: string;
  readonly apiVersion: string;
  readonly after: readonly string[];
  readonly before: readonly string[];
  readonly requires: readonly string[];
  /** Checks the options that the plugin was made with; the result goes to `apply`. */
  readonly options: OptionsSchema<unknown, unknown>;
  readonly given: unknown;
  /** Options that are going away, by name. @default none */
  readonly deprecated?: Readonly<Record<string, Deprecation>> | undefined;
  /** The copy of core whose `definePlugin` made the plugin. */
  readonly madeBy: symbol;
  /** The tools that it offers with these options, unchecked. */
  toolsFor(options: unknown): unknown;
  apply(context: PluginContext, options: unknown): void | (() => void | Promise<void>);
}

/** Tells this copy of core from another one in the same process: two copies mean a broken installation. */
export const thisCopy: symbol = Symbol('@varve/core');

/** Makes a {@link Plugin} out of options; without an argument, of the defaults. */
export interface PluginFactory<Input> {
  (options?: Input): Plugin;
  readonly pluginName: string;
  /** Schema of the options, for documentation and checks. */
  readonly options: OptionsSchema<Input, unknown>;
}

/**
 * Describes a plugin. What it returns is called with the options in the host's `plugins` array:
 * `plugins: [ttlPruning({ ttl: '1h' })]`. Options are checked when the host starts.
 */
export function definePlugin<Input, Output, ToolInputs = unknown>(
  definition: PluginDefinition<Input, Output, ToolInputs>,
): PluginFactory<Input> {
  const create = (given?: Input): Plugin => ({
    name: definition.name,
    version: definition.version,
    apiVersion: definition.apiVersion,
    after: definition.after ?? [],
    before: definition.before ?? [],
    requires: definition.requires ?? [],
    options: definition.options as OptionsSchema<unknown, unknown>,
    given: given ?? {},
    deprecated: definition.deprecated,
    madeBy: thisCopy,
    toolsFor: (options) => {
      const { tools = {} } = definition;
      return typeof tools === 'function' ? tools(options as Output) : tools;
    },
    apply: (context, options) => definition.apply(context, options as Output),
  });
  return Object.assign(create, { pluginName: definition.name, options: definition.options });
}
