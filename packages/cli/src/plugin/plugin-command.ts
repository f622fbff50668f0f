import { Command } from 'commander';
import type { CliIo } from '../terminal/cli-io.ts';
import type { ExitCode } from '../terminal/exit-code.ts';
import { checkCommand } from './check/check-command.ts';
import { listPluginsCommand } from './list/list-command.ts';
import { newCommand } from './new/new-command.ts';

const examples = `
Examples:
  varve plugin new @acme/varve-notes
  varve plugin check
  varve plugin list

Exit codes: 0 done, 1 a plugin failed, 2 not done, 130 interrupted by Ctrl-C.
`;

/** Makes `varve plugin` with its subcommands. `done` is told the exit code. */
export function pluginCommand(io: CliIo, done: (code: ExitCode) => void): Command {
  const command = new Command('plugin')
    .summary('begin a plugin, check one, or list those of the configuration')
    .description('For those who write plugins, engines and stores, and for those who put them together.')
    .addHelpText('after', examples);
  for (const make of [newCommand, checkCommand, listPluginsCommand]) command.addCommand(make(io, done));
  return command;
}
