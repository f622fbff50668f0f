import type { CommandReply } from '@varve/core';

/** Commands of plugins that most hosts have. */
const plugins: ReadonlyMap<string, string> = new Map([
  ['send', 'send-policy'],
  ['new', 'reset-policy'],
  ['reset', 'reset-policy'],
  ['restart', 'reset-policy'],
]);

/** The reply to a line that looks like a command and is none: more often somebody misspelt it than meant a message. */
export function unknownCommandReply(name: string): CommandReply {
  const plugin = plugins.get(name);
  const why =
    plugin === undefined ? `There is no command /${name}` : `/${name} needs the plugin ${plugin}, which is not here`;
  const text = `${why}. Nothing was done or stored. /help lists the commands; a message is written with two slashes: //${name}.`;
  return { text, data: { error: 'unknown-command', command: name } };
}

/** The reply to a command with one word behind it that it does not know. With more behind it, it is a sentence. */
export function usageReply(name: string, usage: string): CommandReply {
  const text = `Say ${usage}. Nothing was changed. A message is written with two slashes: //${name}.`;
  return { text, data: { error: 'usage', command: name } };
}
