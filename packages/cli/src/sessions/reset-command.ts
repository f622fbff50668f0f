import type { ResetResult } from '@varve/sessions';
import { Command } from 'commander';
import { type ConfigFlags, configHelp, openConfig, rootHelp } from '../config/open-config.ts';
import { addGatewayOptions, type GatewayFlags, remoteGateway } from '../remote/remote-gateway.ts';
import { remoteReset, remoteSession } from '../remote/remote-sessions.ts';
import { openSessions } from '../store/open-sessions.ts';
import { resolveSession } from '../store/resolve-session.ts';
import { keyOf } from '../store/work-with.ts';
import { type CliIo, writeTo } from '../terminal/cli-io.ts';
import { type ExitCode, exitCodes } from '../terminal/exit-code.ts';
import { writingExits } from '../terminal/exit-texts.ts';
import { printableJson, printableText } from '../terminal/printable-text.ts';

interface Flags extends ConfigFlags, GatewayFlags {
  readonly reason: string;
  readonly json?: boolean;
}

const examples = `
Examples:
  varve sessions reset agent:main:main
  varve sessions reset telegram:direct:123 --reason "new project"

The conversation begins anew; the session before stays in the archive, and varve sessions restore lets it go on again.
Settings go into the new one, and those of security always do.

${writingExits}
`;

/** Makes `varve sessions reset`. `done` is told the exit code. */
export function resetCommand(io: CliIo, done: (code: ExitCode) => void): Command {
  const command = new Command('reset')
    .summary('begin a conversation anew; the old session stays in the archive')
    .description('Begins a new generation of a conversation.')
    .argument('<session>', 'a key, or the id of a session of the conversation')
    .option('--root <folder>', rootHelp)
    .option('--config <file>', configHelp);
  return addGatewayOptions(command)
    .option('--reason <text>', 'why, for those who listen', 'asked')
    .option('--json', 'print one JSON object instead')
    .addHelpText('after', examples)
    .action(async (session: string, flags: Flags) => done(await runReset(io, session, flags)));
}

async function runReset(io: CliIo, name: string, flags: Flags): Promise<ExitCode> {
  const { json = false } = flags;
  const { key, sessionId, previousSessionId } = await reset(io, name, flags);
  const before = previousSessionId === null ? '' : `; ${printableText(previousSessionId)} is in the archive`;
  const said = `${printableText(key)} goes on in session ${printableText(sessionId)}${before}.`;
  await writeTo(io.stdout, `${json ? printableJson({ key, sessionId, previousSessionId }) : said}\n`);
  return exitCodes.done;
}

async function reset(
  io: CliIo,
  name: string,
  flags: Flags,
): Promise<Pick<ResetResult, 'sessionId' | 'previousSessionId'> & { readonly key: string }> {
  const { reason } = flags;
  const gateway = await remoteGateway(flags, io);
  if (gateway !== null) {
    const { record } = await remoteSession(gateway, name);
    return { key: keyOf(record, 'reset'), ...(await remoteReset(gateway, name, reason)) };
  }
  await using opened = await openSessions(await openConfig(flags, io));
  const key = keyOf(await resolveSession(opened, name), 'reset');
  return { key, ...(await opened.sessions.reset(key, { reason, by: 'varve sessions reset' })) };
}
