import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import type { CliIo } from './cli-io.ts';
import { type ExitCode, exitCodes } from './exit-code.ts';
import { explainCommand } from './explain-command.ts';
import { replayCommand } from './replay-command.ts';
import { reportError } from './report-error.ts';

const examples = `
Exit codes: 0 done, 1 done but something failed, 2 not done, 130 interrupted.

Examples:
  varve replay session.jsonl --budget 32k
  varve explain session.jsonl --request 12
  varve explain session.jsonl --diff 12,13

In a clone it is pnpm -s varve …; without -s, pnpm prints lines of its own before the output.
`;

/**
 * Runs the command line. Never throws and never ends the process: what goes wrong is on standard error, and the exit
 * code says so.
 *
 * @param argv  Arguments behind the name of the program.
 */
export async function runCli(argv: readonly string[], io: CliIo): Promise<ExitCode> {
  let code: ExitCode = exitCodes.done;
  const done = (result: ExitCode): void => {
    code = result;
  };
  const program = new Command('varve')
    .description('Varve, a context engine for LLM agents: what is sent to the model, at what cost, and why.')
    .version(version(), '-v, --version', 'print the version')
    .addHelpText('after', examples);
  for (const command of [replayCommand(io, done), explainCommand(io, done)]) program.addCommand(command);
  for (const command of [program, ...program.commands]) {
    command
      .exitOverride()
      .configureOutput({
        writeOut: (text) => void io.stdout.write(text),
        writeErr: (text) => void io.stderr.write(text),
        // Errors are reported below, in the form that all errors have.
        outputError: () => undefined,
      })
      .helpOption('-h, --help', 'print this');
  }
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    return reportError(error, io);
  }
}

function version(): string {
  const manifest: { readonly version: string } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  );
  return manifest.version;
}
