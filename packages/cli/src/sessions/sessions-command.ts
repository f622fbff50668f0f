import { Command } from 'commander';
import type { CliIo } from '../terminal/cli-io.ts';
import type { ExitCode } from '../terminal/exit-code.ts';
import { archiveCommand } from './archive-command.ts';
import { compactCommand } from './compact-command.ts';
import { expandCommand } from './expand-command.ts';
import { exportCommand } from './export/export-command.ts';
import { forkCommand } from './fork-command.ts';
import { importCommand } from './import/import-command.ts';
import { listCommand } from './list-command.ts';
import { maintainCommand } from './maintain-command.ts';
import { resetCommand } from './reset-command.ts';
import { restoreCommand } from './restore-command.ts';
import { showCommand } from './show-command.ts';
import { tailCommand } from './tail-command.ts';
import { treeCommand } from './tree-command.ts';
import { undoCommand } from './undo-command.ts';

const examples = `
Examples:
  varve sessions list --root journals/
  varve sessions tree
  varve sessions show agent:main:main
  varve sessions tail agent:main:main --follow
  varve sessions compact agent:main:main
  varve sessions maintain

A session is named by its id, the beginning of one, or the key of its conversation. The store is --root, else the folder
in VARVE_HOME, else ~/.varve. What only looks takes no lock, and works while another process writes; what changes a
session is refused while another process writes to it, and says which one.

Exit codes: 0 done, 1 done, but something went wrong with a session, 2 not done, 130 interrupted by Ctrl-C.
`;

/** Makes `varve sessions` with its subcommands. `done` is told the exit code. */
export function sessionsCommand(io: CliIo, done: (code: ExitCode) => void): Command {
  const command = new Command('sessions')
    .summary('the sessions of a store: look at them, change them, look after them')
    .description('Says which sessions a store holds and how they are, changes them, and puts old ones away.')
    .addHelpText('after', examples);
  const looking = [listCommand, treeCommand, showCommand, tailCommand, expandCommand, exportCommand];
  const changing = [compactCommand, undoCommand, forkCommand, resetCommand, archiveCommand, restoreCommand];
  for (const make of [...looking, ...changing, importCommand, maintainCommand]) command.addCommand(make(io, done));
  return command;
}
