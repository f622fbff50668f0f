import type { TranscriptFormat } from '@varve/adapters/transcripts';
import type { HealthFinding, Message, MessageEntry, Milliseconds, PluginList, Prompt, Tokens } from '@varve/core';
import type { CacheTtl } from './prompt-cache.ts';
import type { ReplayTotals } from './replay-totals.ts';
import type { CompactionRow, RequestRow } from './request-row.ts';

/** What is to be replayed, and how. */
export interface ReplayOptions {
  /** Path of the transcript. */
  readonly file: string;
  /** What each request may take, in tokens; `null` for no limit. @default 32 000 */
  readonly budgetTokens?: Tokens | null | undefined;
  /** Tokens of system prompt and tools that are not in the transcript. @default 0 */
  readonly systemTokens?: Tokens | undefined;
  /** Time between two calls where the transcript does not say. @default 10 000 */
  readonly gapMs?: Milliseconds | undefined;
  /** Only this conversation of the file, from 1. @default all of them, each in a session of its own */
  readonly item?: number | undefined;
  /** Plugins, or a function that makes them once the life of the cache is known. @default none */
  readonly plugins?: PluginList | ((known: { readonly cacheTtl: CacheTtl }) => Promise<PluginList>) | undefined;
  /** How long the provider keeps prompts; `auto` is what the transcript reports, else 5 minutes. @default 'auto' */
  readonly cacheTtl?: CacheTtl | 'auto' | undefined;
  /** Folder in which the journals stay. @default a temporary one that is removed at the end */
  readonly root?: string | undefined;
  /** Folder that gets the exact body of every request. @default none */
  readonly bodies?: string | undefined;
  /** Told how far reading has come. *Contract:* not awaited; must not throw. */
  readonly onProgress?: ((bytes: { readonly read: number; readonly total: number }) => void) | undefined;
  /** Watches what is said and what would have been sent. *Contract:* not awaited; must not throw. */
  readonly observer?: ReplayObserver | undefined;
  /** Stops the replay; what has been done so far is the result. */
  readonly signal?: AbortSignal | undefined;
}

/** Watches a replay while it runs: what was said, and what Varve would have sent for each answer. */
export interface ReplayObserver {
  /** A conversation of the file begins; everything before belongs to another one. */
  begin(): void;
  /** A prompt was made for the answer that the transcript holds, before that answer became part of the conversation. */
  request(call: { readonly prompt: Prompt; readonly answer: Message }): void;
  /** A message was taken into the journal. */
  message(entry: MessageEntry): void;
}

/** A conversation of the file, and the session that it was replayed into. */
export interface ReplayedSession {
  readonly item: number;
  readonly title?: string;
  /** Name of the session in the journals' folder. */
  readonly session: string;
  readonly entries: number;
}

/** Everything that a replay found out. `varve replay --json` prints exactly this; fields are only ever added. */
export interface Replay {
  readonly file: string;
  readonly format: TranscriptFormat;
  /** Messages of all conversations. */
  readonly entries: number;
  readonly requests: readonly RequestRow[];
  readonly compactions: readonly CompactionRow[];
  readonly totals: ReplayTotals;
  /** What failed in plugins and engines, over all sessions. */
  readonly health: { readonly ok: boolean; readonly findings: readonly HealthFinding[] };
  readonly sessions: readonly ReplayedSession[];
  /** True when it was stopped before the end of the file. */
  readonly interrupted: boolean;
  readonly settings: {
    readonly budget: Tokens | null;
    readonly systemTokens: Tokens;
    readonly gapMs: Milliseconds;
    readonly cacheTtl: CacheTtl;
    /** `name@version`, in the order in which they ran. */
    readonly plugins: readonly string[];
  };
  /** What it took on this machine. */
  readonly run: { readonly wallMs: Milliseconds; readonly peakMemoryBytes: number };
}

/** What a prompt may take when nobody says. */
export const defaultBudgetTokens: Tokens = 32_000;
/** Time between two calls when nobody says. */
export const defaultGapMs: Milliseconds = 10_000;
