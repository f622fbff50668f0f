import { Command } from 'commander';
import { type ConfigFlags, configHelp, openConfig, rootHelp } from '../config/open-config.ts';
import { openSessions } from '../store/open-sessions.ts';
import { resolveSession } from '../store/resolve-session.ts';
import { type CliIo, writeTo } from '../terminal/cli-io.ts';
import { type ExitCode, exitCodes } from '../terminal/exit-code.ts';
import { writingExits } from '../terminal/exit-texts.ts';
import { printableJson, printableText } from '../terminal/printable-text.ts';

interface Flags extends ConfigFlags {
  readonly json?: boolean;
}

const examples = `
Examples:
  varve sessions list --state archived
  varve sessions restore 1f0c3a52                    that session goes on, under its key
  varve sessions restore agent:main:direct:123       the last session of a conversation that was archived

A journal that was compressed is as it was before. Where the conversation goes on in another session, that one is put into the archive. What it said of security, such as
/send off, holds in the restored one, too.

${writingExits}
`;

/** Makes `varve sessions restore`. `done` is told the exit code. */
export function restoreCommand(io: CliIo, done: (code: ExitCode) => void): Command {
  return new Command('restore')
    .summary('let a session go on that is in the archive')
    .description('Points a conversation back to one of its earlier sessions.')
    .argument('<session>', 'session id, the beginning of one, or a key')
    .option('--root <folder>', rootHelp)
    .option('--config <file>', configHelp)
    .option('--json', 'print one JSON object instead')
    .addHelpText('after', examples)
    .action(async (session: string, flags: Flags) => done(await runRestore(io, session, flags)));
}

async function runRestore(io: CliIo, name: string, flags: Flags): Promise<ExitCode> {
  const { json = false } = flags;
  await using opened = await openSessions(await openConfig(flags, io));
  const { key, sessionId, state } = await resolveSession(opened, name);
  let previousSessionId: string | null = null;
  if (key !== null) ({ previousSessionId } = await opened.sessions.restore(key, sessionId));
  else if (state === 'archived') {
    const { archives, sessions } = opened.host;
    if ((await archives?.isPacked(sessionId)) === true) await archives?.unpack(sessionId);
    await sessions.patch(sessionId, { state: 'open' });
  }
  const where = key === null ? '' : `, under ${printableText(key)}`;
  const said = `Session ${printableText(sessionId)} goes on${where}.`;
  await writeTo(io.stdout, `${json ? printableJson({ key, sessionId, previousSessionId }) : said}\n`);
  return exitCodes.done;
}
