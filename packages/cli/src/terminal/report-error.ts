import { VarveError } from '@varve/core';
import { CommanderError } from 'commander';
import { type CliIo, writeTo } from './cli-io.ts';
import { type ExitCode, exitCodes } from './exit-code.ts';
import { usage } from './parse-options.ts';
import { printableLines, printableText } from './printable-text.ts';

/**
 * Says on standard error what went wrong and what to do about it, and gives the exit code. The stack is shown only with
 * `VARVE_DEBUG`, and for nothing that Varve knows.
 *
 * @param command  Whose help is of use when the command line was wrong. @default 'varve'
 */
export async function reportError(
  thrown: unknown,
  { stderr, env, signal }: CliIo,
  { command = 'varve' }: { readonly command?: string | undefined } = {},
): Promise<ExitCode> {
  if (isHelp(thrown)) return thrown.exitCode === 0 ? exitCodes.done : exitCodes.error;
  const error = thrown instanceof CommanderError ? usageErrorOf(thrown, command) : thrown;
  if (signal?.aborted === true && VarveError.is(error, 'VARVE_ABORTED')) {
    await say(stderr, 'interrupted\n');
    return exitCodes.interrupted;
  }
  const lines = VarveError.is(error)
    ? [`error: ${printableText(error.message)}`, `fix: ${printableText(error.fix)}`, `code: ${error.code}`]
    : [`error: ${printableText(String(error))}`, 'fix: Run it again with VARVE_DEBUG=1 and report what it prints.'];
  const { VARVE_DEBUG = '' } = env;
  const stack = VARVE_DEBUG === '' ? [] : [printableLines(stackOf(thrown))];
  await say(stderr, `${[...lines, ...stack].join('\n')}\n`);
  return exitCodes.error;
}

/** Where nothing can be said, the exit code still says that something went wrong. */
async function say(stderr: CliIo['stderr'], text: string): Promise<void> {
  await writeTo(stderr, text).catch(() => undefined);
}

/** Help and version were printed: that is no error, unless a command was missing. */
function isHelp(thrown: unknown): thrown is CommanderError {
  return thrown instanceof CommanderError && /^commander\.(help|version)/.test(thrown.code);
}

function usageErrorOf({ message }: CommanderError, command: string): VarveError {
  const text = message.replace(/^error: /, '').replaceAll('\n', ' ');
  const sentence = text.charAt(0).toUpperCase() + text.slice(1);
  return usage(/[.?)]$/.test(sentence) ? sentence : `${sentence}.`, `See ${command} --help.`);
}

function stackOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const cause = thrown.cause === undefined ? '' : `\ncaused by ${stackOf(thrown.cause)}`;
  return `${thrown.stack ?? thrown.message}${cause}`;
}
