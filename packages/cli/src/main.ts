import { Command } from 'commander';
import { chatCommand } from './chat/chat-command.ts';
import { compareCommand } from './compare/compare-command.ts';
import { doctorCommand } from './doctor/doctor-command.ts';
import { explainCommand } from './explain/explain-command.ts';
import { pluginCommand } from './plugin/plugin-command.ts';
import { replayCommand } from './replay/replay-command.ts';
import { serveCommand } from './serve/serve-command.ts';
import { sessionsCommand } from './sessions/sessions-command.ts';
import { type CliIo, columnsOf, writeTo } from './terminal/cli-io.ts';
import { type ExitCode, exitCodes } from './terminal/exit-code.ts';
import { reportError } from './terminal/report-error.ts';
import { wrapHelp } from './terminal/wrap-help.ts';
import { tokenCommand } from './token/token-command.ts';
import { ownVersion } from './version.ts';

const examples = `
Examples:
  varve replay session.jsonl --budget 32k
  varve compare session.jsonl --budget 32k
  varve explain session.jsonl --request 12
  varve serve
  varve sessions list --root journals/
  varve doctor

Exit codes:
  0    done
  1    done, but something failed: varve <command> --help says what counts
  2    not done; standard error says what happened, and what to do about it
  130  interrupted by Ctrl-C

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
    .version(ownVersion(), '-v, --version', 'print the version')
    .addHelpText('after', examples);
  const looking = [replayCommand, compareCommand, explainCommand];
  const serving = [serveCommand, tokenCommand];
  for (const make of [...looking, chatCommand, ...serving, sessionsCommand, pluginCommand, doctorCommand])
    program.addCommand(make(io, done));
  const help = collectHelp(program, columnsOf(io.stdout));
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    try {
      for (const stream of ['stdout', 'stderr'] as const) {
        const text = help[stream].join('');
        if (text !== '') await writeTo(io[stream], text);
      }
      return await reportError(error, io, { command: help.wrongIn });
    } catch (failed) {
      return reportError(failed, io);
    }
  }
}

/** What commander would have printed, and the command whose arguments it found wrong. */
interface CollectedHelp {
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
  readonly wrongIn: string;
}

/** Help is collected, so that writing it can fail as any other output can. Errors are reported in their own form. */
function collectHelp(program: Command, columns: number): CollectedHelp {
  const help = { stdout: [] as string[], stderr: [] as string[], wrongIn: program.name() };
  const prepare = (command: Command, path: string): void => {
    command
      .exitOverride((error) => {
        help.wrongIn = path;
        throw error;
      })
      .configureOutput({
        writeOut: (text) => void help.stdout.push(wrapHelp(text, columns)),
        writeErr: (text) => void help.stderr.push(wrapHelp(text, columns)),
        getOutHelpWidth: () => columns,
        getErrHelpWidth: () => columns,
        outputError: () => undefined,
      })
      .helpOption('-h, --help', 'print this');
    for (const one of command.commands) prepare(one, `${path} ${one.name()}`);
  };
  prepare(program, program.name());
  return help;
}
