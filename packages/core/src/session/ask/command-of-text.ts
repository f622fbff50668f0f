import type { CommandLine } from '../../plugins/hooks.ts';
import { ownLines } from '../commands/own-lines.ts';
import { readCommand } from '../commands/read-command.ts';
import type { Session } from '../session.ts';
import { runtimeOfSession } from './runtime-of-session.ts';

/** A text that is written as a command is. */
export interface CommandOfText {
  /** In lower case and without the slash. */
  readonly name: string;
  /** What follows it, trimmed. */
  readonly rest: string;
  /** How core, or the plugin that answers it, lists it; `null` where nobody does. */
  readonly line: CommandLine | null;
}

/**
 * Reads a text as a command, whether or not anybody knows it; `null` for a message. For `@varve/sessions` and gateways.
 *
 * @throws VARVE_OPTION_INVALID  for something that is no session.
 */
export function commandOfText(session: Session, text: string): CommandOfText | null {
  const { hooks } = runtimeOfSession(session);
  const read = readCommand(text, null);
  if (read === null) return null;
  const { name, rest } = read;
  const line = [...ownLines, ...hooks.commands()].find(({ command }) => readCommand(command, null)?.name === name);
  return { name, rest, line: line ?? null };
}
