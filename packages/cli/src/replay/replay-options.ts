import { type Command, Option } from 'commander';
import {
  parseBudget,
  parseCacheTtl,
  parseGap,
  parseNumber,
  parsePluginNames,
  parseTokens,
} from '../terminal/parse-options.ts';
import { defaultPluginNames, loadPlugins, pluginNames } from './plugin-catalogue.ts';
import type { CacheTtl } from './prompt-cache.ts';
import { defaultBudgetTokens, defaultGapMs, type ReplayOptions } from './replay.ts';

/** The options that say how transcripts are read and measured. */
export interface TranscriptFlags {
  /** `Infinity` for none: commander takes `null` for an option without a value. */
  readonly budget: number;
  readonly systemTokens: number;
  readonly gap: number;
  readonly item?: number;
  readonly cacheTtl: CacheTtl | 'auto';
}

/** The options of a replay as the command line gives them. */
export interface ReplayFlags extends TranscriptFlags {
  readonly plugins: readonly string[];
}

/** Adds the options that say how a transcript is replayed. */
export function addReplayOptions(command: Command): Command {
  return addTranscriptOptions(command).addOption(
    new Option('--plugins <names>', `some of ${pluginNames.join(', ')}, with commas, or none`)
      .argParser(parsePluginNames)
      .default(defaultPluginNames, defaultPluginNames.join(',')),
  );
}

/** Adds the options that say how transcripts are read and measured, whatever the plugins. */
export function addTranscriptOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--budget <tokens>', 'what each request may take, as 32k, 32000, 1m, or none')
        .argParser(parseBudget)
        .default(defaultBudgetTokens, '32k'),
    )
    .option('--system-tokens <tokens>', 'size of a system prompt and tools that the file does not hold', parseTokens, 0)
    .addOption(
      new Option('--gap <time>', 'time between two calls where the file does not say, as 10s or 5m')
        .argParser(parseGap)
        .default(defaultGapMs, '10s'),
    )
    .option('--item <number>', 'only this conversation of the file, from 1', parseNumber)
    .addOption(
      new Option('--cache-ttl <time>', 'life of the prompt cache: 5m, 1h, or auto for what the file reports')
        .argParser(parseCacheTtl)
        .default('auto', 'auto'),
    );
}

/** What `replayTranscript` is asked for. */
export function replayOptionsOf(file: string, flags: ReplayFlags): ReplayOptions {
  return {
    file,
    budgetTokens: flags.budget === Infinity ? null : flags.budget,
    systemTokens: flags.systemTokens,
    gapMs: flags.gap,
    item: flags.item,
    cacheTtl: flags.cacheTtl,
    plugins: ({ cacheTtl }) => loadPlugins(flags.plugins, { cacheTtl }),
  };
}
