import type { Entry } from '@varve/core';
import { Command } from 'commander';
import pc from 'picocolors';
import { type ConfigFlags, configHelp, openConfig, rootHelp } from '../config/open-config.ts';
import { openSessions } from '../store/open-sessions.ts';
import { resolveSession } from '../store/resolve-session.ts';
import { type CliIo, lineColumnsOf, usesColours, writeTo } from '../terminal/cli-io.ts';
import { type ExitCode, exitCodes } from '../terminal/exit-code.ts';
import { parseNumber } from '../terminal/parse-options.ts';
import { printableJson } from '../terminal/printable-text.ts';
import { entryLine } from './entry-line.ts';
import { entriesFrom, firstOfLast, followEntries } from './follow-entries.ts';

interface Flags extends ConfigFlags {
  readonly lines: number;
  readonly follow?: boolean;
  readonly messages?: boolean;
  readonly json?: boolean;
}

const examples = `
Examples:
  varve sessions tail agent:main:main
  varve sessions tail agent:main:main --follow        what is stored from now on, until Ctrl-C
  varve sessions tail a1b2c3d4 --lines 100 --messages
  varve sessions tail agent:main:main --follow --json | jq -c 'select(.type == "message").message'

Exit codes: 0 done, 2 not done (no such session, a store that cannot be read), 130 interrupted by Ctrl-C.
`;

/** Makes `varve sessions tail`. `done` is told the exit code. */
export function tailCommand(io: CliIo, done: (code: ExitCode) => void): Command {
  return new Command('tail')
    .summary('the last entries of a session, and what is stored from then on')
    .description(
      'Prints the last entries of a journal, a line each; with --follow also those that are stored while it runs, by ' +
        'whichever process. A key is followed into its next generation. Takes no lock and changes nothing.',
    )
    .argument('<session>', 'session id, the beginning of one, or a key')
    .option('--root <folder>', rootHelp)
    .option('--config <file>', configHelp)
    .option('-n, --lines <number>', 'entries of the past', parseNumber, 20)
    .option('-f, --follow', 'go on with what is stored, until Ctrl-C')
    .option('--messages', 'messages alone')
    .option('--json', 'print each entry as one line of JSON')
    .addHelpText('after', examples)
    .action(async (session: string, flags: Flags) => done(await runTail(io, session, flags)));
}

async function runTail(io: CliIo, name: string, flags: Flags): Promise<ExitCode> {
  const { lines, follow = false, messages = false, json = false } = flags;
  await using opened = await openSessions(await openConfig(flags, io));
  const record = await resolveSession(opened, name);
  const options = { columns: lineColumnsOf(io.stdout), colours: pc.createColors(usesColours(io.stdout, io.env)) };
  const isWanted = ({ type }: Entry): boolean => !messages || type === 'message';
  const print = (entry: Entry): Promise<void> =>
    writeTo(io.stdout, `${json ? printableJson(entry) : entryLine(entry, options)}\n`);
  const { sessionId, counters } = record;
  const place = { knownSeq: counters.countedSeq, count: lines, isWanted };
  const fromSeq = await firstOfLast(opened.store, sessionId, place);
  let lastSeq = fromSeq - 1;
  for await (const entry of entriesFrom(opened.store, sessionId, fromSeq)) {
    lastSeq = entry.seq;
    if (isWanted(entry)) await print(entry);
  }
  if (!follow) return exitCodes.done;
  // Whoever names a session by its id wants that one, whatever becomes of its conversation.
  const key = sessionId.startsWith(name) ? null : record.key;
  const begin = { sessionId, afterSeq: lastSeq, key };
  for await (const found of followEntries(opened, begin, io.signal)) {
    if (found.kind === 'entry') {
      if (isWanted(found.entry)) await print(found.entry);
    } else if (!json) await writeTo(io.stdout, `${options.colours.yellow(`— session ${found.sessionId} goes on —`)}\n`);
  }
  return exitCodes.interrupted;
}
