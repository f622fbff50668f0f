import { Command } from 'commander';
import pc from 'picocolors';
import { type ConfigFlags, configHelp, openConfig, rootHelp } from '../config/open-config.ts';
import { openSessions } from '../store/open-sessions.ts';
import { resolveSession } from '../store/resolve-session.ts';
import { type CliIo, usesColours, writeTo } from '../terminal/cli-io.ts';
import { type ExitCode, exitCodes } from '../terminal/exit-code.ts';
import { writingExits } from '../terminal/exit-texts.ts';
import { printableJson, printableText } from '../terminal/printable-text.ts';
import { changeText, hasFailed } from './change-lines.ts';

interface Flags extends ConfigFlags {
  readonly json?: boolean;
}

const examples = `
Examples:
  varve sessions list --state archived
  varve sessions restore 1f0c3a52                    that session goes on, under its key
  varve sessions restore agent:main:direct:123       the last session of a conversation that was archived

A packed journal is as it was before. Where the conversation goes on in another session, that one is archived. What it said
of security, such as /send off, holds in the restored one, too. Of a session without a key its line says what became of it.

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
  const { key, sessionId } = await resolveSession(opened, name);
  if (key === null) {
    const { lines } = await opened.sessions.bulk({ sessionIds: [sessionId] }, { do: 'restore' });
    const colours = pc.createColors(usesColours(io.stdout, io.env));
    const [line] = lines;
    const text = json
      ? printableJson({ ...line, previousSessionId: null })
      : changeText(lines, { colours, doing: 'restored' });
    await writeTo(io.stdout, `${text}\n`);
    return hasFailed(lines) ? exitCodes.failures : exitCodes.done;
  }
  const { previousSessionId } = await opened.sessions.restore(key, sessionId);
  const said = `Session ${printableText(sessionId)} goes on, under ${printableText(key)}.`;
  await writeTo(io.stdout, `${json ? printableJson({ key, sessionId, previousSessionId }) : said}\n`);
  return exitCodes.done;
}
