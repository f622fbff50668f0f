import type { ModelFacts } from '@varve/core';
import type { RoutingOptions } from '../route/routing.ts';
import type { CarryOverOptions } from '../settings/carry-over.ts';
import type { SubagentOptions } from '../subagent/subagent-options.ts';
import type { AgentSettings, ChannelSettings, GlobalSettings } from './agent-settings.ts';
import type { ResetByType, ResetSettings } from './reset-settings.ts';
import type { SendSettings } from './send-settings.ts';

/** Where journals are kept. Paths begin at the folder of the file; `~` is the home folder. */
export interface StoreSettings {
  /** @default VARVE_HOME, or ~/.varve */
  readonly root?: string | undefined;
  /** Stores of other tools that `varve sessions import` may read. Nothing is ever written there. @default none */
  readonly imports?: readonly ImportSource[] | undefined;
}

/** A store of another tool. */
export interface ImportSource {
  /** Its index; `{agentId}` stands for each agent. */
  readonly path: string;
  /** What the main conversation is called there. @default 'main' */
  readonly mainKey?: string | undefined;
}

/** Which models there are. Keys of providers are read from the environment, never from here. */
export interface ModelSettings {
  /** A short name, or `provider/model`. @default none: it is asked for */
  readonly default?: string | undefined;
  /** Short names: `{ opus: 'anthropic/claude-opus-4-5' }`. @default none */
  readonly names?: Readonly<Record<string, string>> | undefined;
  /** Where providers are reached. A base URL comes from here alone, never from a message. @default their own */
  readonly providers?: Readonly<Record<string, ProviderSettings>> | undefined;
  /** What is known better than the registry of models knows it, by `provider/model`. @default nothing */
  readonly facts?: Readonly<Record<string, ModelFactSettings>> | undefined;
}

/** How a provider is reached. */
export interface ProviderSettings {
  /** `https://…`, or `http://…` on the own machine or network. */
  readonly baseUrl?: string | undefined;
  /** The protocol it speaks. @default the provider's own, where it has one */
  readonly api?: 'anthropic' | 'openai-chat' | 'openai-responses' | undefined;
  /** Name of the environment variable with its key. @default the usual one of the provider */
  readonly apiKeyVariable?: string | undefined;
}

/** Sizes of a model. Its window is always said: of a model that the registry does not know, nobody else knows it. */
export type ModelFactSettings = Pick<ModelFacts, 'contextTokens'> & {
  readonly [Field in 'maxInputTokens' | 'maxOutputTokens']?: ModelFacts[Field] | undefined;
};

/** How conversations are told apart, when they end, and what may leave them. */
export interface SessionSettings extends RoutingOptions {
  readonly reset?: ResetSettings | undefined;
  /** What is different for a type of conversation. @default nothing */
  readonly resetByType?: ResetByType | undefined;
  /** Rules that hold in a channel instead of all others but the time zone: as `channels.<name>.reset`. @default none */
  readonly resetByChannel?: Readonly<Record<string, ResetSettings>> | undefined;
  /** Commands that end a conversation. @default ['/new', '/reset', '/restart'] */
  readonly resetTriggers?: readonly string[] | undefined;
  /** Who may use them. @default owners */
  readonly resetAuthorised?:
    | {
        readonly roles?: readonly ('owner' | 'member' | 'unknown')[] | undefined;
        readonly ids?: readonly string[] | undefined;
      }
    | undefined;
  /** What the model is asked when nothing follows the command; `null`: nothing is. @default a request for a greeting */
  readonly greeting?: string | null | undefined;
  readonly sendPolicy?: SendSettings | undefined;
  /** When conversations that nobody uses go to sleep. */
  readonly hibernate?:
    | {
        /** After so long: `30m`. @default '30m' */
        readonly after?: string | undefined;
        /** Most that are awake. @default 500 */
        readonly maxSessions?: number | undefined;
        /** Most that they take together: `512mb`. @default no limit */
        readonly maxBytes?: string | number | undefined;
      }
    | undefined;
  readonly subagents?: SubagentSettings | undefined;
  readonly maintenance?: MaintenanceSettings | undefined;
  /** What of a generation goes into the next one. The settings `send` and `incognito` always do. */
  readonly carryOver?: CarryOverOptions | undefined;
  /** Turns that run at once, across conversations. @default no limit */
  readonly maxConcurrentTurns?: number | undefined;
}

/** What sub-agents may do. */
export interface SubagentSettings
  extends Pick<
    SubagentOptions,
    | 'maxDepth'
    | 'maxChildren'
    | 'maxRunning'
    | 'allowAgents'
    | 'model'
    | 'maxResultChars'
    | 'forkTokens'
    | 'whenForkTooLarge'
    | 'onRestart'
  > {
  /** How long one may take: `10m`. @default '1h' */
  readonly timeout?: string | undefined;
}

/** What is archived when sessions are maintained, and what becomes of it later. `false` switches a rule off. */
export interface MaintenanceSettings {
  /** Only say what would be done. @default true */
  readonly dryRun?: boolean | undefined;
  /** Sessions that were not updated for so long. @default '30d' */
  readonly olderThan?: string | false | undefined;
  /** Runs of jobs and hooks, likewise. @default '24h' */
  readonly runsOlderThan?: string | false | undefined;
  /** Most open sessions. @default 5 000 */
  readonly maxSessions?: number | false | undefined;
  /** Most that their journals take: `10gb`. @default false */
  readonly maxBytes?: string | number | false | undefined;
  /** Sessions that were updated within that time are left alone. @default '1h' */
  readonly keepRecent?: string | undefined;
  /** Whether what a crash left open goes, too. @default true */
  readonly orphans?: boolean | undefined;
  /** Archived sessions that were not changed for so long are compressed. @default '30d' */
  readonly compressAfter?: string | false | undefined;
  /** Archived sessions that were not changed for so long are deleted, for good. @default false */
  readonly deleteArchivedAfter?: string | false | undefined;
}

/** All of a configuration file. Everything has a default. What is said later in this list goes before: global, agents, channels. */
export interface VarveConfig {
  readonly store?: StoreSettings | undefined;
  readonly models?: ModelSettings | undefined;
  readonly session?: SessionSettings | undefined;
  readonly global?: GlobalSettings | undefined;
  /** By id. @default the agent `main`, with what holds for all */
  readonly agents?: Readonly<Record<string, AgentSettings>> | undefined;
  /** By name. @default none */
  readonly channels?: Readonly<Record<string, ChannelSettings>> | undefined;
}

/** Gives a configuration back as it is: for `varve.config.ts`, where editors then know what may be said. */
export function defineConfig(config: VarveConfig): VarveConfig {
  return config;
}
