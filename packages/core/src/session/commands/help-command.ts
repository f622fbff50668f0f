import type { CommandReply } from '../../plugins/hooks.ts';
import type { SessionRuntime } from '../session-runtime.ts';
import type { CommandRun } from './command.ts';
import { ownLines } from './own-lines.ts';

/** Lists the commands of core, of plugins that say what theirs are, and of the host. */
export async function showHelp({ hooks }: SessionRuntime, { commands }: CommandRun): Promise<CommandReply> {
  const listed = hooks.commands();
  const lines = [...ownLines, ...listed, ...commands].map(({ command, what }) => ({ command, what }));
  const isOpen = hooks.isUsed('command') && listed.length === 0;
  const more = isOpen ? ['Plugins of this host know further commands.'] : [];
  const slashes = 'A message that begins with a slash is written with two: //like this.';
  return {
    text: [...lines.map(({ command, what }) => `${command}: ${what}`), ...more, slashes].join('\n'),
    data: { commands: lines },
  };
}
