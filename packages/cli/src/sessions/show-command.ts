import { Command } from 'commander';
import pc from 'picocolors';
import { type ConfigFlags, configHelp, openConfig, rootHelp } from '../config/open-config.ts';
import { addGatewayOptions, type GatewayFlags, remoteGateway } from '../remote/remote-gateway.ts';
import { remoteSession } from '../remote/remote-sessions.ts';
import { showSession } from '../store/show-session.ts';
import { type CliIo, usesColours, writeTo } from '../terminal/cli-io.ts';
import { type ExitCode, exitCodes } from '../terminal/exit-code.ts';
import { readingExits } from '../terminal/exit-texts.ts';
import { printableJson } from '../terminal/printable-text.ts';
import { sessionReport } from './sessions-report.ts';

interface Flags extends ConfigFlags, GatewayFlags {
  readonly json?: boolean;
}

const examples = `
Examples:
  varve sessions show a1b2c3d4 --root journals/
  varve sessions show agent:main:main --json | jq .health

${readingExits}
`;

/** Makes `varve sessions show`. `done` is told the exit code. */
export function showCommand(io: CliIo, done: (code: ExitCode) => void): Command {
  const command = new Command('show')
    .summary('one session: counters, settings, last compaction, health')
    .description('Shows what is known of one session. Takes no lock and changes nothing.')
    .argument('<session>', 'session id, the beginning of one, or a key')
    .option('--root <folder>', rootHelp)
    .option('--config <file>', configHelp);
  return addGatewayOptions(command)
    .option('--json', 'print one JSON object instead')
    .addHelpText('after', examples)
    .action(async (session: string, flags: Flags) => done(await runShow(io, session, flags)));
}

async function runShow(io: CliIo, name: string, flags: Flags): Promise<ExitCode> {
  const { json = false } = flags;
  const gateway = await remoteGateway(flags, io);
  const session = await (gateway === null
    ? showSession(await openConfig(flags, io), name)
    : remoteSession(gateway, name));
  const colours = pc.createColors(usesColours(io.stdout, io.env));
  await writeTo(io.stdout, `${json ? printableJson(session) : sessionReport(session, { colours })}\n`);
  return exitCodes.done;
}
