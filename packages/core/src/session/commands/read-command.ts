import type { Command, CommandSender } from '../../plugins/hooks.ts';

/**
 * Reads a line as a command: a slash and a word, alone or with more behind it. Two slashes are for a message that begins
 * with one. `null` for what is none.
 */
export function readCommand(text: string, sender: CommandSender | null): Command | null {
  const [, name, rest = ''] = /^\s*\/([a-z][\w-]*)(?:\s+([\s\S]*))?$/i.exec(text) ?? [];
  return name === undefined ? null : { name: name.toLowerCase(), rest: rest.trim(), text, sender };
}
