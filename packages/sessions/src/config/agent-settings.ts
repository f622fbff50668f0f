import type { BudgetOptions, Tokens } from '@varve/core';
import type { ThinkingLevel, VerboseLevel } from '../settings/setting-values.ts';
import type { ResetSettings } from './reset-settings.ts';
import type { SendRules } from './send-settings.ts';

/** When old tool results are pruned, and how. Sizes in characters; see the plugin `ttl-pruning`. */
export interface PruningSettings {
  /** @default true */
  readonly enabled?: boolean | undefined;
  /** `auto`: when it pays by the prices of the cache; `cache-ttl`: when the cache has expired. @default 'auto' */
  readonly mode?: 'auto' | 'cache-ttl' | undefined;
  /** For `auto`, and for recall: what the provider's prompt cache costs. @default 'anthropic-5m' */
  readonly prices?:
    | 'anthropic-5m'
    | 'anthropic-1h'
    | 'openai'
    | 'none'
    | {
        readonly read: number;
        readonly write: number;
        readonly ttl: string | number;
        readonly minTokens?: Tokens | undefined;
      }
    | undefined;
  /** For `cache-ttl`: how long a prompt is kept, as `5m`; a bare number is minutes. @default '5m' */
  readonly ttl?: string | number | undefined;
  /** @default 3 */
  readonly keepLastAssistants?: number | undefined;
  /** For `cache-ttl`. @default 0.3 */
  readonly softTrimRatio?: number | undefined;
  /** For `cache-ttl`. @default 0.5 */
  readonly hardClearRatio?: number | undefined;
  /** @default 50 000 */
  readonly minPrunableToolChars?: number | undefined;
  /** @default 4 000, 1 500 and 1 500 */
  readonly softTrim?:
    | {
        readonly maxChars?: number | undefined;
        readonly headChars?: number | undefined;
        readonly tailChars?: number | undefined;
      }
    | undefined;
  readonly hardClear?:
    | { readonly enabled?: boolean | undefined; readonly placeholder?: string | undefined }
    | undefined;
  readonly tools?:
    | { readonly allow?: readonly string[] | undefined; readonly deny?: readonly string[] | undefined }
    | undefined;
  /** @default 'keep' */
  readonly images?: 'keep' | 'replace' | undefined;
}

/** When a session is compacted, what stays, and which model writes the prose; see the plugin `summary-compaction`. */
export interface CompactionSettings {
  /** Without it, only what does not fit is left out of a prompt. @default true */
  readonly enabled?: boolean | undefined;
  /** Models that write the prose, in the order they are asked: short names, or `provider/model`. @default none */
  readonly models?: readonly string[] | undefined;
  /** @default true */
  readonly waitForProse?: boolean | undefined;
  /** @default true */
  readonly compactAtHardLimit?: boolean | undefined;
  /** Share of the window, such as 0.7; `null`: never for that. @default null */
  readonly compactAtRatio?: number | null | undefined;
  /** Visible messages, such as 80; `null`: never for that. @default null */
  readonly compactAtMessages?: number | null | undefined;
  /** Bytes of the visible messages; `null`: never for that. @default null */
  readonly compactAtBytes?: number | null | undefined;
  /** A wish, capped at what the budget leaves; `null`: all of that. @default null */
  readonly keepRecentTokens?: Tokens | null | undefined;
  /** A wish, capped at what the budget leaves. @default null */
  readonly keepRecentMessages?: number | null | undefined;
  /** @default 2 */
  readonly maskToolResultsAfterAssistants?: number | null | undefined;
}

/** How what a question needs comes back; see the plugin `recall`. */
export interface RecallSettings {
  /** @default true */
  readonly enabled?: boolean | undefined;
  /** @default 'cache-friendly', or 'quality' where `pruning.prices` is 'none' */
  readonly mode?: 'cache-friendly' | 'quality' | undefined;
  /** @default 600 */
  readonly noteTokens?: Tokens | undefined;
  /** @default 0.5 */
  readonly minScore?: number | undefined;
  /** @default true */
  readonly tools?: boolean | undefined;
}

/** Long-term memory; see the plugins `workspace-layers` and `memory-flush`. */
export interface MemorySettings {
  /** @default true where `dir` is given, else there is none */
  readonly enabled?: boolean | undefined;
  /** The workspace: a folder with AGENTS.md and its like, MEMORY.md, and `memory/`. From the folder of the file. */
  readonly dir?: string | undefined;
  /** Zone in which a day of notes begins and ends. @default null, the machine's own */
  readonly timeZone?: string | null | undefined;
  /** Identities of the owner; `null`: whoever has a direct chat is the owner. @default null */
  readonly owners?: readonly string[] | null | undefined;
  /** Most characters of one file. @default 20 000 */
  readonly fileChars?: number | undefined;
  /** Most characters of each layer. @default 60 000 */
  readonly totalChars?: number | undefined;
  /** Whether groups see notes that are for all sessions of the owner. @default false */
  readonly shareWithGroups?: boolean | undefined;
  /** Notes before a compaction. */
  readonly flush?:
    | {
        /** @default true */
        readonly enabled?: boolean | undefined;
        /** Model that writes them: a short name, or `provider/model`; `null`: they come from the digest. @default null */
        readonly model?: string | null | undefined;
        readonly prompt?: string | null | undefined;
        readonly inputTokens?: Tokens | undefined;
      }
    | undefined;
}

/** What holds for all agents. Which model is in `models.default`, when conversations end and what leaves in `session`. */
export interface GlobalSettings {
  /** `null`: the model's own way. @default null */
  readonly thinking?: ThinkingLevel | null | undefined;
  /** @default 'off' */
  readonly verbose?: VerboseLevel | undefined;
  /** What the agent is told about itself, at the front of every prompt. @default none */
  readonly instructions?: string | null | undefined;
  readonly budget?: BudgetOptions | undefined;
  readonly pruning?: PruningSettings | undefined;
  readonly compaction?: CompactionSettings | undefined;
  readonly recall?: RecallSettings | undefined;
  readonly memory?: MemorySettings | undefined;
}

/** What holds for one agent, in the place of what holds for all. */
export interface AgentSettings extends GlobalSettings {
  /** A short name, or `provider/model`. @default models.default */
  readonly model?: string | undefined;
  /** What is different from `session.reset`, for every type of conversation. */
  readonly reset?: ResetSettings | undefined;
  /** Rules beside those of `session.sendPolicy`. */
  readonly send?: SendRules | undefined;
}

/** What holds in one channel, in the place of what holds for the agent. */
export interface ChannelSettings {
  readonly model?: string | undefined;
  readonly thinking?: ThinkingLevel | null | undefined;
  readonly verbose?: VerboseLevel | undefined;
  readonly instructions?: string | null | undefined;
  /** Instead of all other rules but the time zone. */
  readonly reset?: ResetSettings | undefined;
  /** Rules beside the others. */
  readonly send?: SendRules | undefined;
}
