import { VarveError } from '@varve/core';
import { Command } from 'commander';
import { type ConfigFlags, configHelp, openConfig, rootHelp } from '../config/open-config.ts';
import { addGatewayOptions, type GatewayFlags, remoteGateway } from '../remote/remote-gateway.ts';
import { remoteUndo } from '../remote/remote-sessions.ts';
import { findEntry } from '../store/find-entry.ts';
import { openSessions } from '../store/open-sessions.ts';
import { resolveSession } from '../store/resolve-session.ts';
import { workWith } from '../store/work-with.ts';
import { type CliIo, writeTo } from '../terminal/cli-io.ts';
import { type ExitCode, exitCodes } from '../terminal/exit-code.ts';
import { writingExits } from '../terminal/exit-texts.ts';
import { printableJson, printableText } from '../terminal/printable-text.ts';

interface Flags extends ConfigFlags, GatewayFlags {
  readonly json?: boolean;
}

const examples = `
Examples:
  varve sessions undo agent:main:main              takes the newest compaction back
  varve sessions undo agent:main:main 419          takes entry #419 back: a compaction, an edit or a state

What it covered is in the next prompt again; messages that came later stay. Nothing is removed from the journal.

${writingExits}
`;

/** Makes `varve sessions undo`. `done` is told the exit code. */
export function undoCommand(io: CliIo, done: (code: ExitCode) => void): Command {
  const command = new Command('undo')
    .summary('take a compaction, an edit or a state back')
    .description('Takes an entry back that changed what prompts show.')
    .argument('<session>', 'session id, the beginning of one, or a key')
    .argument('[entry]', 'its number or id (default: the newest compaction that is in force)')
    .option('--root <folder>', rootHelp)
    .option('--config <file>', configHelp);
  return addGatewayOptions(command)
    .option('--json', 'print one JSON object instead')
    .addHelpText('after', examples)
    .action(async (session: string, entry: string | undefined, flags: Flags) =>
      done(await runUndo(io, { session, entry }, flags)),
    );
}

async function runUndo(
  io: CliIo,
  named: { readonly session: string; readonly entry: string | undefined },
  flags: Flags,
): Promise<ExitCode> {
  const { json = false } = flags;
  const { sessionId, undone } = await undo(io, named, flags);
  const { seq, id, type } = undone;
  const said = `Took back #${seq}, a ${printableText(type)}, of session ${printableText(sessionId)}.`;
  await writeTo(io.stdout, `${json ? printableJson({ sessionId, undone: { seq, id, type } }) : said}\n`);
  return exitCodes.done;
}

async function undo(
  io: CliIo,
  named: { readonly session: string; readonly entry: string | undefined },
  flags: Flags,
): ReturnType<typeof remoteUndo> {
  const gateway = await remoteGateway(flags, io);
  if (gateway !== null) return remoteUndo(gateway, named.session, named.entry);
  await using opened = await openSessions(await openConfig(flags, io));
  const record = await resolveSession(opened, named.session);
  const undone = await workWith(opened, record, async (session) => {
    const entry = named.entry === undefined ? session.view.compaction() : await findEntry(session, named.entry);
    if (entry === null) {
      throw new VarveError('VARVE_COMPACTION_UNKNOWN', `Session "${record.sessionId}" has no compaction in force.`, {
        fix: 'Name an edit or a state by its number, as varve sessions tail shows it.',
      });
    }
    await session.undo(entry.id);
    return entry;
  });
  return { sessionId: record.sessionId, undone };
}
