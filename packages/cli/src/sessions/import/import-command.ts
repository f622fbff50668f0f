import { canonicalKey, formatKey } from '@varve/core';
import { Command } from 'commander';
import pc from 'picocolors';
import { type ConfigFlags, configHelp, openConfig, rootHelp } from '../../config/open-config.ts';
import { createReplayClock } from '../../replay/replay-clock.ts';
import { openSessions } from '../../store/open-sessions.ts';
import { type CliIo, usesColours, writeTo } from '../../terminal/cli-io.ts';
import { type ExitCode, exitCodes } from '../../terminal/exit-code.ts';
import { counted } from '../../terminal/format-number.ts';
import { makeFolder } from '../../terminal/make-folder.ts';
import { parseNumber, usage } from '../../terminal/parse-options.ts';
import { printableJson, printableText } from '../../terminal/printable-text.ts';
import { importJournal, readBeginning } from './import-journal.ts';
import type { ImportParts } from './import-messages.ts';
import { importOpenClaw } from './import-openclaw.ts';
import { importTranscript } from './import-transcript.ts';
import type { ImportLine } from './imported.ts';
import { accountText } from './line-account.ts';
import { findOpenClaw } from './openclaw-sources.ts';

interface Flags extends ConfigFlags {
  readonly key?: string;
  readonly agent?: string;
  readonly id?: string;
  readonly item?: number;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

const examples = `
Examples:
  varve sessions import main.jsonl                          what varve sessions export has written
  varve sessions import session.jsonl --key agent:main:main
  varve sessions import ~/.openclaw/agents/main/sessions --dry-run
  varve sessions import ~/.openclaw/agents/main/sessions

Files are only read. Reads journals of Varve, stores of OpenClaw (~/.openclaw, the folder of one agent, sessions.json with
its transcripts, or, with Node 24, the database openclaw-agent.sqlite), and what varve replay reads: sessions of pi, OpenClaw and Claude Code, messages, trajectories. A conversation that goes on here already
gets what is imported as an earlier session, in the archive.

Exit codes: 0 done, 1 done, but a conversation failed or a message was not stored, 2 not done, 130 interrupted.
`;

/** Makes `varve sessions import`. `done` is told the exit code. */
export function importCommand(io: CliIo, done: (code: ExitCode) => void): Command {
  return new Command('import')
    .summary('bring sessions in: a journal, a store of OpenClaw, a transcript')
    .description('Brings conversations of other tools, and exported ones, into the store.')
    .argument('<path>', 'a file, or the folder of a store of OpenClaw')
    .option('--root <folder>', rootHelp)
    .option('--config <file>', configHelp)
    .option('--key <key>', 'key of the conversation, where the file holds one')
    .option('--agent <id>', 'whose conversations they are')
    .option(
      '--id <id>',
      'id of the session, where the file holds one (default: that of the journal, or always the same for a file)',
    )
    .option('--item <number>', 'only this conversation of the file, from 1', parseNumber)
    .option('--dry-run', 'say what would be imported, and do nothing')
    .option('--json', 'print one JSON object instead')
    .addHelpText('after', examples)
    .action(async (path: string, flags: Flags) => done(await runImport(io, path, flags)));
}

async function runImport(io: CliIo, path: string, flags: Flags): Promise<ExitCode> {
  const { dryRun = false, json = false } = flags;
  const place = await openConfig(flags, io);
  const { root } = place;
  const clock = createReplayClock();
  await using opened = await openSessions(place, { clock, make: true });
  if (!dryRun) await makeFolder(root, { option: '--root', mode: 0o700 });
  const lines = await importPath({ opened, clock, signal: io.signal }, path, flags);
  const colours = pc.createColors(usesColours(io.stdout, io.env));
  const text = json
    ? printableJson({ root, isDryRun: dryRun, lines })
    : [...lines.map((line) => lineText(line, colours)), sumText(lines)].join('\n');
  await writeTo(io.stdout, `${text}\n`);
  const isWrong = lines.some(({ outcome, refused }) => outcome === 'failed' || refused > 0);
  return isWrong ? exitCodes.failures : exitCodes.done;
}

async function importPath(parts: ImportParts, path: string, flags: Flags): Promise<readonly ImportLine[]> {
  const { agent: agentId, id: sessionId, item, dryRun: isDryRun = false } = flags;
  const key = flags.key === undefined ? null : formatKey(canonicalKey(flags.key));
  const sources = await findOpenClaw(path);
  if (sources !== null) {
    if (key !== null || sessionId !== undefined || item !== undefined) {
      throw usage('A store holds many conversations.', 'Leave --key, --id and --item out.');
    }
    return importOpenClaw(parts, sources, { agentId, isDryRun });
  }
  const beginning = await readBeginning(path);
  if (beginning === null) return importTranscript(parts, path, { key, agentId, sessionId, item, isDryRun });
  return [await importJournal(parts, { file: path, beginning }, { key, agentId, sessionId, isDryRun })];
}

function lineText(line: ImportLine, colours: ReturnType<typeof pc.createColors>): string {
  const { from, outcome, sessionId, key, messages, refused, why, lines } = line;
  const paint = { imported: colours.green, planned: colours.cyan, skipped: colours.dim, failed: colours.red }[outcome];
  const parts = [
    ...(key === null ? [] : [printableText(key)]),
    ...(sessionId === null ? [] : [`session ${printableText(sessionId)}`]),
    counted(messages, 'message'),
    ...(refused === 0 ? [] : [`${refused} not stored`]),
    ...(why === null ? [] : [printableText(why)]),
  ];
  const account = lines === undefined ? '' : `\n         ${printableText(accountText(lines))}`;
  return `${paint(outcome.padEnd(8))} ${printableText(from)}: ${parts.join(', ')}${account}`;
}

function sumText(lines: readonly ImportLine[]): string {
  const sums = (['imported', 'planned', 'skipped', 'failed'] as const).flatMap((outcome) => {
    const count = lines.filter((line) => line.outcome === outcome).length;
    return count === 0 ? [] : [`${counted(count, 'conversation')} ${outcome}`];
  });
  return sums.length === 0 ? 'There is no conversation in it.' : `${sums.join(', ')}.`;
}
