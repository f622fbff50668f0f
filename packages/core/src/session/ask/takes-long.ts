import { ownLines } from '../commands/own-lines.ts';
import { readCommand } from '../commands/read-command.ts';
import type { Session } from '../session.ts';
import { runtimeOfSession } from './runtime-of-session.ts';

/**
 * Whether a text is a command that may take minutes, as core or the plugin that lists it says. For `@varve/sessions` and
 * gateways, which go on with the conversation meanwhile.
 *
 * @throws VARVE_OPTION_INVALID  for something that is no session.
 */
export function takesLong(session: Session, text: string): boolean {
  const { hooks } = runtimeOfSession(session);
  const name = readCommand(text, null)?.name;
  const isOf = (command: string): boolean => /^\/[\w-]+/.exec(command)?.[0].slice(1).toLowerCase() === name;
  return [...ownLines, ...hooks.commands()].some((line) => line.takesLong === true && isOf(line.command));
}
