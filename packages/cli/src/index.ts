export type { CliIo, CliStream } from './cli-io.ts';
export { type ExitCode, exitCodes } from './exit-code.ts';
export type { LayerTokens } from './layer-tokens.ts';
export { runCli } from './main.ts';
export {
  type CachedRequest,
  type CacheTtl,
  type CacheUse,
  createPromptCache,
  type PrefixPoint,
  type PromptCache,
} from './prompt-cache.ts';
export type { Replay, ReplayedSession, ReplayOptions } from './replay.ts';
export type { CacheTotals, RecordedTotals, ReplayTotals } from './replay-totals.ts';
export { replayTranscript } from './replay-transcript.ts';
export type { CompactionRow, RequestRow } from './request-row.ts';
