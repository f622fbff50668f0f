import type { SessionRecord } from '@varve/core';
import type { MaintenancePolicy, MaintenanceReport } from '@varve/sessions';
import { Command } from 'commander';
import pc from 'picocolors';
import { type ConfigFlags, configHelp, openConfig, rootHelp } from '../config/open-config.ts';
import { findJournals } from '../store/list-sessions.ts';
import { openSessions } from '../store/open-sessions.ts';
import { type CliIo, usesColours, writeTo } from '../terminal/cli-io.ts';
import { type ExitCode, exitCodes } from '../terminal/exit-code.ts';
import { manyExits } from '../terminal/exit-texts.ts';
import { counted } from '../terminal/format-number.ts';
import { parseAgeOrNone, parseBytesOrNone, parseCountOrNone } from '../terminal/parse-moment.ts';
import { printableJson } from '../terminal/printable-text.ts';
import { changeText, hasFailed } from './change-lines.ts';

interface Flags extends ConfigFlags {
  readonly olderThan?: number | false;
  readonly most?: number | false;
  readonly mostBytes?: number | false;
  readonly runsOlderThan?: number | false;
  readonly keepRecent?: number | false;
  readonly compressAfter?: number | false;
  readonly deleteArchivedAfter?: number | false;
  readonly orphans: boolean;
  readonly apply?: boolean;
  readonly json?: boolean;
}

const examples = `
Examples:
  varve sessions maintain                            what would be archived, and why
  varve sessions maintain --apply                    archives it
  varve sessions maintain --older-than 14d --most 1000 --keep-recent 2d --apply
  varve sessions maintain --older-than none --most none --apply      runs, hooks and leftovers alone
  varve sessions maintain --delete-archived-after 90d                what would be deleted, too

What is archived is read, listed with --state archived, and restored, also when its journal has been compressed. Nothing is
deleted without --delete-archived-after. A session that somebody works with, here or in another process, and one with
sub-agents at work, is left alone.

${manyExits}
`;

/** Makes `varve sessions maintain`. `done` is told the exit code. */
export function maintainCommand(io: CliIo, done: (code: ExitCode) => void): Command {
  return new Command('maintain')
    .summary('archive what is old, too much, or left over, and compress it later; says first what it would do')
    .description('Looks for sessions to archive, and for archived ones to compress. Changes nothing without --apply.')
    .option('--root <folder>', rootHelp)
    .option('--config <file>', configHelp)
    .option('--older-than <age>', 'archive what was not updated for so long, or none (default: 30d)', parseAgeOrNone)
    .option(
      '--most <number>',
      'archive what is beyond so many open sessions, or none (default: 5000)',
      parseCountOrNone,
    )
    .option('--most-bytes <size>', 'archive what is beyond that size, or none (default: none)', parseBytesOrNone)
    .option('--runs-older-than <age>', 'archive runs of jobs, and hooks, or none (default: 24h)', parseAgeOrNone)
    .option('--keep-recent <age>', 'leave alone what was updated since, or none (default: 1h)', parseAgeOrNone)
    .option(
      '--compress-after <age>',
      'pack journals of what was archived for so long, or none (default: 30d)',
      parseAgeOrNone,
    )
    .option(
      '--delete-archived-after <age>',
      'delete what was archived for so long, for good, or none (default: none)',
      parseAgeOrNone,
    )
    .option('--no-orphans', 'leave alone what a crash has left over')
    .option('--apply', 'do it')
    .option('--json', 'print one JSON object instead')
    .addHelpText('after', examples)
    .action(async (flags: Flags) => done(await runMaintain(io, flags)));
}

async function runMaintain(io: CliIo, flags: Flags): Promise<ExitCode> {
  const { apply = false, json = false } = flags;
  const place = await openConfig(flags, io);
  const { root } = place;
  await using opened = await openSessions(place);
  const options = { dryRun: !apply, signal: io.signal };
  const report = await opened.sessions.maintain(await policyOf(root, flags), options);
  const { lines, isCutShort } = report;
  if (json) await writeTo(io.stdout, `${printableJson({ root, ...report })}\n`);
  else {
    const colours = pc.createColors(usesColours(io.stdout, io.env));
    const hint = !apply && lines.length > 0 ? '\nNothing was changed: --apply does it.' : '';
    await writeTo(io.stdout, `${reportText(report, colours)}${hint}\n`);
  }
  if (isCutShort) return exitCodes.interrupted;
  return hasFailed(lines) ? exitCodes.failures : exitCodes.done;
}

/** What was done with each session, then sums of each kind of change. */
function reportText(
  { lines, looked, lookedArchived }: MaintenanceReport,
  colours: ReturnType<typeof pc.createColors>,
): string {
  const parts = (['archive', 'compress', 'delete'] as const).flatMap((action) => {
    const own = lines.filter((line) => line.action === action);
    // An action that finds nothing is told only where no other one finds anything either.
    const isTold = own.length > 0 || (lines.length === 0 && action === 'archive');
    return !isTold ? [] : [changeText(own, { colours, doing: doneWith[action] })];
  });
  const archived = lookedArchived === 0 ? '' : ` and ${lookedArchived} archived`;
  return `${parts.join('\n')} Looked at ${counted(looked, 'open session')}${archived}.`;
}

const doneWith = { archive: 'archived', compress: 'packed', delete: 'deleted' } as const;

async function policyOf(root: string, flags: Flags): Promise<MaintenancePolicy> {
  const { olderThan, most, mostBytes = false, runsOlderThan, keepRecent, orphans } = flags;
  const { compressAfter, deleteArchivedAfter } = flags;
  return {
    ...{ olderThanMs: olderThan, maxSessions: most, cronRunsOlderThanMs: runsOlderThan },
    keepRecentMs: keepRecent === false ? 0 : keepRecent,
    ...{ orphans, maxBytes: mostBytes },
    ...{ compressArchivedAfterMs: compressAfter, deleteArchivedAfterMs: deleteArchivedAfter },
    ...(mostBytes === false ? {} : { bytesOf: await journalSizes(root) }),
  };
}

/** Sizes of the files of journals, as they are now. */
async function journalSizes(root: string): Promise<(record: SessionRecord) => number> {
  const journals = await findJournals(root);
  const sizes = new Map(journals.map(({ sessionId, bytes }) => [sessionId, bytes]));
  return ({ sessionId }) => sizes.get(sessionId) ?? 0;
}
