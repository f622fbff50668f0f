import type { SessionFilter } from '@varve/sessions';
import { Command } from 'commander';
import pc from 'picocolors';
import { type ConfigFlags, configHelp, openConfig, rootHelp } from '../config/open-config.ts';
import { type OpenedSessions, openSessions } from '../store/open-sessions.ts';
import { resolveSession } from '../store/resolve-session.ts';
import { type CliIo, usesColours, writeTo } from '../terminal/cli-io.ts';
import { type ExitCode, exitCodes } from '../terminal/exit-code.ts';
import { manyExits } from '../terminal/exit-texts.ts';
import { usage } from '../terminal/parse-options.ts';
import { printableJson } from '../terminal/printable-text.ts';
import { changeText, hasFailed } from './change-lines.ts';
import { addFilterOptions, type FilterFlags, filterOf, hasFilter } from './filter-options.ts';

interface Flags extends ConfigFlags, FilterFlags {
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

const examples = `
Examples:
  varve sessions archive agent:main:direct:123
  varve sessions archive --kind hook --until 7d --dry-run      what would be archived
  varve sessions archive --kind hook --until 7d

What is archived is read, listed with --state archived, and restored; nothing is deleted. "varve sessions maintain"
packs its journal later. A session that another process
writes to, and one with sub-agents at work, is left alone, and its line says so.

${manyExits}
`;

/** Makes `varve sessions archive`. `done` is told the exit code. */
export function archiveCommand(io: CliIo, done: (code: ExitCode) => void): Command {
  const command = new Command('archive')
    .summary('put sessions away: named ones, or all that options find')
    .description('Archives sessions, and says what became of each.')
    .argument('[session...]', 'session ids, beginnings of ids, or keys')
    .option('--root <folder>', rootHelp)
    .option('--config <file>', configHelp);
  return addFilterOptions(command)
    .option('--dry-run', 'say what would be archived, and do nothing')
    .option('--json', 'print one JSON object instead')
    .addHelpText('after', examples)
    .action(async (sessions: readonly string[], flags: Flags) => done(await runArchive(io, sessions, flags)));
}

async function runArchive(io: CliIo, names: readonly string[], flags: Flags): Promise<ExitCode> {
  const { json = false } = flags;
  if (names.length === 0 && !hasFilter(flags)) {
    throw usage('No session is named.', 'Name sessions, or say which ones are meant: see --help.');
  }
  if (names.length > 0 && hasFilter(flags)) {
    throw usage('Sessions are named, and options say which ones are meant.', 'Give one or the other.');
  }
  await using opened = await openSessions(await openConfig(flags, io));
  const filter = names.length === 0 ? { state: 'open' as const, ...filterOf(flags) } : await named(opened, names);
  const options = { dryRun: flags.dryRun, signal: io.signal };
  const report = await opened.sessions.bulk(filter, { do: 'archive' }, options);
  const colours = pc.createColors(usesColours(io.stdout, io.env));
  const text = json ? printableJson(report) : changeText(report.lines, { colours, doing: 'archived' });
  await writeTo(io.stdout, `${text}\n`);
  if (report.isCutShort) return exitCodes.interrupted;
  return hasFailed(report.lines) ? exitCodes.failures : exitCodes.done;
}

async function named(opened: OpenedSessions, names: readonly string[]): Promise<SessionFilter> {
  const sessionIds: string[] = [];
  for (const name of names) sessionIds.push((await resolveSession(opened, name)).sessionId);
  return { sessionIds };
}
