import { Command, Option } from 'commander';
import pc from 'picocolors';
import { pluginNames } from '../replay/plugin-catalogue.ts';
import { addTranscriptOptions, type TranscriptFlags } from '../replay/replay-options.ts';
import { type CliIo, columnsOf, usesColours, writeTo } from '../terminal/cli-io.ts';
import { type ExitCode, exitCodes } from '../terminal/exit-code.ts';
import { printableText } from '../terminal/printable-text.ts';
import { createStepBar } from '../terminal/progress-bar.ts';
import { reportError } from '../terminal/report-error.ts';
import { type Comparison, compareStrategies } from './compare.ts';
import { compareTable } from './compare-table.ts';
import { defaultStrategyNames, parseStrategies, type Strategy } from './strategy.ts';

interface Flags extends TranscriptFlags {
  readonly with: readonly Strategy[];
  readonly json?: boolean;
}

const examples = `
Strategies:
  everything   all messages in every request, whatever the budget: what it is held against
  window       no plugin: the newest messages that fit
  pruning      ttl-pruning: old tool results are trimmed when the cache is cold
  compaction   summary-compaction: a digest in place of the older part
  default      both
  strata       the recommended set: pruning that pays, compaction with a digest, recall

  A plugin is a strategy, too, and so are several with +, such as ttl-pruning-auto+recall:
  ${pluginNames.join(', ')}

Examples:
  varve compare session.jsonl
  varve compare session.jsonl --budget 16k --with window,compaction,strata
  varve compare sessions/*.jsonl --json | jq '.replays[] | [.strategy, .costRatio]'

Exit codes: 0 done, 1 done, but a request could not be made or would be refused, or a plugin failed; 2 not done,
or not for one of the files; 130 interrupted by Ctrl-C, and what there was until then has been printed.
`;

/** Makes `varve compare`. `done` is told the exit code. */
export function compareCommand(io: CliIo, done: (code: ExitCode) => void): Command {
  const command = new Command('compare')
    .summary('replay transcripts with several strategies, side by side')
    .description(
      'Replays transcripts with several strategies and shows side by side what each would have cost, and how much of ' +
        'what the agent needed next, and of what the user had said, its prompts still held. No model has a part in it.',
    )
    .argument('<files...>', 'transcripts, as varve replay takes them');
  return addTranscriptOptions(command)
    .addOption(
      new Option('--with <strategies>', 'names with commas, see below')
        .argParser(parseStrategies)
        .default(parseStrategies(defaultStrategyNames.join(',')), defaultStrategyNames.join(',')),
    )
    .option('--json', 'print one JSON object instead')
    .addHelpText('after', examples)
    .action(async (files: string[], flags: Flags) => done(await runCompare(io, files, flags)));
}

async function runCompare(io: CliIo, files: readonly string[], flags: Flags): Promise<ExitCode> {
  const { budget, systemTokens, gap, item, cacheTtl, json = false } = flags;
  const errors = new Map<string, unknown>();
  const comparison = await withProgress(io, (onProgress) =>
    compareStrategies({
      files,
      strategies: flags.with,
      budgetTokens: budget === Infinity ? null : budget,
      systemTokens,
      gapMs: gap,
      item,
      cacheTtl,
      signal: io.signal,
      onProgress,
      // A strategy that does not start fails the same way on every file: that is said once.
      onFailure: ({ error }) => errors.set(String(error), error),
    }),
  );
  const colours = pc.createColors(usesColours(io.stdout, io.env));
  const columns = columnsOf(io.stdout);
  const text = json ? JSON.stringify(comparison, null, 2) : compareTable(comparison, { colours, columns });
  if (errors.size === 0 || comparison.replays.length > 0) await writeTo(io.stdout, `${text}\n`);
  for (const error of errors.values()) await reportError(error, io);
  return errors.size > 0 && !comparison.interrupted ? exitCodes.error : exitCodeOf(comparison);
}

async function withProgress(
  io: CliIo,
  run: (onProgress: NonNullable<Parameters<typeof compareStrategies>[0]['onProgress']>) => Promise<Comparison>,
): Promise<Comparison> {
  using bar = createStepBar(io.stderr);
  return await run(({ file, strategy, done, of }) =>
    bar.update({ done, of, doing: printableText(`${strategy} on ${file}`) }),
  );
}

function exitCodeOf({ replays, interrupted }: Comparison): ExitCode {
  if (interrupted) return exitCodes.interrupted;
  const hasFailed = replays.some(({ failed, invalid, health }) => failed + invalid > 0 || !health.ok);
  return hasFailed ? exitCodes.failures : exitCodes.done;
}
