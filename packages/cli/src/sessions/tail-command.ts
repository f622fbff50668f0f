import type { Entry } from '@varve/core';
import { Command } from 'commander';
import pc from 'picocolors';
import { type ConfigFlags, configHelp, openConfig, rootHelp } from '../config/open-config.ts';
import { addGatewayOptions, type GatewayFlags, type RemoteGateway, remoteGateway } from '../remote/remote-gateway.ts';
import { remoteFollow, remoteTail } from '../remote/remote-sessions.ts';
import { openSessions } from '../store/open-sessions.ts';
import { resolveSession } from '../store/resolve-session.ts';
import { type CliIo, lineColumnsOf, usesColours, writeTo } from '../terminal/cli-io.ts';
import { type ExitCode, exitCodes } from '../terminal/exit-code.ts';
import { parseNumber } from '../terminal/parse-options.ts';
import { printableJson, printableText } from '../terminal/printable-text.ts';
import { entryLine } from './entry-line.ts';
import { entriesFrom, firstOfLast, followEntries } from './follow-entries.ts';

interface Flags extends ConfigFlags, GatewayFlags {
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
  varve sessions tail agent:main:main --follow --gateway http://127.0.0.1:8137
  varve sessions tail agent:main:main --follow --json | jq -c 'select(.type == "message").message'

Exit codes: 0 done, 2 not done (no such session, a store that cannot be read), 130 interrupted by Ctrl-C.
`;

/** Makes `varve sessions tail`. `done` is told the exit code. */
export function tailCommand(io: CliIo, done: (code: ExitCode) => void): Command {
  const command = new Command('tail')
    .summary('the last entries of a session, and what is stored from then on')
    .description(
      'Prints the last entries of a journal, a line each; with --follow also those that are stored while it runs, by ' +
        'whichever process. A key is followed into its next generation. Takes no lock and changes nothing.',
    )
    .argument('<session>', 'session id, the beginning of one, or a key')
    .option('--root <folder>', rootHelp)
    .option('--config <file>', configHelp);
  return addGatewayOptions(command)
    .option('-n, --lines <number>', 'entries of the past', parseNumber, 20)
    .option('-f, --follow', 'go on with what is stored, until Ctrl-C')
    .option('--messages', 'messages alone')
    .option('--json', 'print each entry as one line of JSON')
    .addHelpText('after', examples)
    .action(async (session: string, flags: Flags) => done(await runTail(io, session, flags)));
}

async function runTail(io: CliIo, name: string, flags: Flags): Promise<ExitCode> {
  const { lines, follow = false, messages = false } = flags;
  const gateway = await remoteGateway(flags, io);
  if (gateway !== null) return tailRemote(gateway, { io, name, flags });
  await using opened = await openSessions(await openConfig(flags, io));
  const record = await resolveSession(opened, name);
  const { print, printGeneration } = printerOf(io, flags);
  const isWanted = ({ type }: Entry): boolean => !messages || type === 'message';
  const { sessionId, counters } = record;
  const place = { knownSeq: counters.countedSeq, count: lines, isWanted };
  const fromSeq = await firstOfLast(opened.store, sessionId, place);
  let lastSeq = fromSeq - 1;
  for await (const entry of entriesFrom(opened.store, sessionId, fromSeq)) {
    lastSeq = entry.seq;
    await print(entry);
  }
  if (!follow) return exitCodes.done;
  // Whoever names a session by its id wants that one, whatever becomes of its conversation.
  const key = sessionId.startsWith(name) ? null : record.key;
  const begin = { sessionId, afterSeq: lastSeq, key };
  for await (const found of followEntries(opened, begin, io.signal)) {
    if (found.kind === 'entry') await print(found.entry);
    else await printGeneration(found.sessionId);
  }
  return exitCodes.interrupted;
}

/** The same through a gateway. */
async function tailRemote(
  gateway: RemoteGateway,
  { io, name, flags }: { readonly io: CliIo; readonly name: string; readonly flags: Flags },
): Promise<ExitCode> {
  const { lines, follow = false, messages = false } = flags;
  const { print, printGeneration } = printerOf(io, flags);
  const { sessionId, entries } = await remoteTail(gateway, { name, lines, messages });
  for (const entry of entries) await print(entry);
  if (!follow) return exitCodes.done;
  const place = `${encodeURIComponent(sessionId)}:${entries.at(-1)?.seq ?? 0}`;
  for await (const found of remoteFollow(gateway, { name, place }, io.signal)) {
    if (found.kind === 'entry') await print(found.entry);
    else await printGeneration(found.sessionId);
  }
  return exitCodes.interrupted;
}

/** Prints what is wanted. */
function printerOf(
  io: CliIo,
  { messages = false, json = false }: Flags,
): { print(entry: Entry): Promise<void>; printGeneration(sessionId: string): Promise<void> } {
  const options = { columns: lineColumnsOf(io.stdout), colours: pc.createColors(usesColours(io.stdout, io.env)) };
  return {
    print: async (entry) => {
      if (messages && entry.type !== 'message') return;
      await writeTo(io.stdout, `${json ? printableJson(entry) : entryLine(entry, options)}\n`);
    },
    printGeneration: async (sessionId) => {
      const text = options.colours.yellow(`— session ${printableText(sessionId)} goes on —`);
      if (!json) await writeTo(io.stdout, `${text}\n`);
    },
  };
}
