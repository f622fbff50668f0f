import { Command } from 'commander';
import pc from 'picocolors';
import { type CliIo, columnsOf, usesColours, writeTo } from '../terminal/cli-io.ts';
import { type ExitCode, exitCodes } from '../terminal/exit-code.ts';
import { createHeapBound } from '../terminal/heap-bound.ts';
import { createProgressBar } from '../terminal/progress-bar.ts';
import type { Replay, ReplayOptions } from './replay.ts';
import { addReplayOptions, type ReplayFlags, replayOptionsOf } from './replay-options.ts';
import { replaySummary } from './replay-summary.ts';
import { replayTable } from './replay-table.ts';
import { replayTranscript } from './replay-transcript.ts';
import { openReport } from './report/open-report.ts';
import { strataChart } from './strata-chart.ts';
import { writeReplayJson } from './write-replay-json.ts';

interface Flags extends ReplayFlags {
  readonly root?: string;
  readonly bodies?: string;
  readonly report?: string;
  readonly json?: boolean;
  readonly all?: boolean;
}

const examples = `
Examples:
  varve replay session.jsonl
  varve replay session.jsonl --budget 64k --system-tokens 12k
  varve replay session.jsonl --budget none --plugins none      what sending everything costs
  varve replay session.jsonl --json | jq .totals
  varve replay session.jsonl --bodies out/                     the exact body of every request
  varve replay session.jsonl --report out.html                 all of it as one page, to be opened in a browser
  varve replay session.jsonl --root journals/                  keep the journals for varve explain

Exit codes: 0 done, 1 done, but a request could not be made or would be refused, a message was not stored, or a plugin
failed; 2 not done; 130 interrupted by Ctrl-C, and what there was until then has been printed.

In a clone: pnpm -s varve replay … (without -s, pnpm prints lines of its own before the output).
`;

/** Makes `varve replay`. `done` is told the exit code. */
export function replayCommand(io: CliIo, done: (code: ExitCode) => void): Command {
  const command = new Command('replay')
    .summary('show what Varve would have sent for each model call of a transcript')
    .description(
      'Replays the transcript of an agent session: shows, request by request, what Varve would have sent within ' +
        'a budget, what it pruned and compacted, and what that would have cost. Needs no key, no network, no model.',
    )
    .argument('<file>', 'transcript: a session of pi, OpenClaw or Claude Code, messages, or a trajectory');
  return addReplayOptions(command)
    .option('--root <folder>', 'keep the journals there (default: a temporary folder)')
    .option(
      '--bodies <folder>',
      'write the body and manifest of every request there, in the place of an earlier replay’s',
    )
    .option('--report <file>', 'write all of it as one page of HTML, which needs nothing besides a browser')
    .option('--all', 'print a row for every request')
    .option('--json', 'print one JSON object instead')
    .addHelpText('after', examples)
    .action(async (file: string, flags: Flags) => done(await runReplay(io, file, flags)));
}

async function runReplay(io: CliIo, file: string, flags: Flags): Promise<ExitCode> {
  const { root, bodies, report, json = false, all = false } = flags;
  // The page is made out of the journals: they have to be there until it is.
  await using kept = report === undefined ? null : await openReport(report, root);
  const replay = await withProgress(io, (onProgress) =>
    replayTranscript({
      ...replayOptionsOf(file, flags),
      root: kept?.root ?? root,
      bodies,
      onProgress,
      signal: io.signal,
    }),
  );
  await kept?.write(replay);
  if (json) await writeReplayJson(io.stdout, replay);
  else await writeTo(io.stdout, replayReport(replay, { io, all, root }));
  return exitCodeOf(replay);
}

/** Runs a replay under a progress bar, in little memory if the file is large. */
export async function withProgress(
  io: CliIo,
  run: (onProgress: NonNullable<ReplayOptions['onProgress']>) => Promise<Replay>,
): Promise<Replay> {
  using bar = createProgressBar(io.stderr, { doing: 'replaying' });
  const boundHeap = createHeapBound();
  return await run((bytes) => {
    boundHeap(bytes.total);
    bar.update(bytes);
  });
}

function replayReport(
  replay: Replay,
  { io, all, root }: { readonly io: CliIo; readonly all: boolean; readonly root: string | undefined },
): string {
  const colours = pc.createColors(usesColours(io.stdout, io.env));
  const columns = columnsOf(io.stdout);
  const { requests } = replay;
  return [
    requests.length === 0 ? 'The transcript holds no call of a model: there is nothing to send.' : '',
    requests.length === 0 ? '' : replayTable(requests, { all, columns, colours }),
    strataChart(requests, { columns, colours }),
    replaySummary(replay, { colours, root }),
  ]
    .filter((part) => part !== '')
    .map((part) => `${part}\n`)
    .join('\n');
}

function exitCodeOf({ interrupted, totals, health }: Replay): ExitCode {
  if (interrupted) return exitCodes.interrupted;
  const failures = totals.failed + totals.refused + totals.invalid;
  return failures > 0 || !health.ok ? exitCodes.failures : exitCodes.done;
}
