import type { CommandReply } from '../../plugins/hooks.ts';
import type { SessionRuntime } from '../session-runtime.ts';

const lines: readonly (readonly [command: string, what: string])[] = [
  ['/compact [focus]', 'Summarises older messages now; the summary pays attention to the focus.'],
  ['/status', 'Shows the model, how full the prompt is, what was spent, and what fails.'],
  ['/context', 'Shows what is in the prompt, what is left out or shortened, and what takes most.'],
  ['/help', 'Shows this list.'],
];

/** Lists core's own commands. */
export async function showHelp({ hooks }: SessionRuntime): Promise<CommandReply> {
  const more = hooks.isUsed('command') ? ['Plugins of this host know further commands.'] : [];
  const slashes = 'A message that begins with a slash is written with two: //like this.';
  const text = [...lines.map(([command, what]) => `${command}: ${what}`), ...more, slashes].join('\n');
  return { text, data: { commands: lines.map(([command, what]) => ({ command, what })) } };
}
