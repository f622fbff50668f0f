export type { ComparedReplay, CompareOptions, Comparison, ComparisonStep } from './compare/compare.ts';
export { compareStrategies } from './compare/compare.ts';
export { createRetentionMeter, type Retention, type RetentionMeter } from './compare/retention.ts';
export type { Strategy } from './compare/strategy.ts';
export { type HostOfConfig, hostOptionsOf } from './config/host-options-of.ts';
export { type LoadedConfig, loadConfig } from './config/load-config.ts';
export type { PluginsOfConfigOptions } from './config/plugins-of-config.ts';
export { runCli } from './main.ts';
export { explainOrder, type PluginPlace } from './plugin/list/plugin-order.ts';
export type { LayerTokens } from './replay/layer-tokens.ts';
export {
  type CachedRequest,
  type CacheTtl,
  type CacheUse,
  createPromptCache,
  type PrefixPoint,
  type PromptCache,
} from './replay/prompt-cache.ts';
export type { Replay, ReplayedSession, ReplayObserver, ReplayOptions } from './replay/replay.ts';
export type { CacheTotals, RecordedTotals, ReplayTotals } from './replay/replay-totals.ts';
export { replayTranscript } from './replay/replay-transcript.ts';
export type { CompactionRow, RequestRow } from './replay/request-row.ts';
export type { CliInput, CliIo, CliStream } from './terminal/cli-io.ts';
export { type ExitCode, exitCodes } from './terminal/exit-code.ts';
