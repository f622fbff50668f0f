import type { CommandLine, CommandReply, InboundSender, ModelRef, Session, ToolSet } from '@varve/core';
import { commandOfText } from '@varve/core/host';
import type { AnsweringModels } from '../../settings/session-models.ts';
import { modelCommand } from './model-command.ts';
import { thinkCommand } from './think-command.ts';
import { unknownCommandReply } from './unknown-command.ts';
import { verboseCommand } from './verbose-command.ts';

/** A line that may be a command, and what it is about. */
export interface CommandRequest {
  readonly text: string;
  readonly sender: InboundSender;
  /** Whether nobody else can be meant: in a room, an unknown command may be for another program. */
  readonly isForAgent: boolean;
  /** `null` where nobody answers. */
  readonly models: AnsweringModels | null;
  /** The model of the session's next prompt. */
  readonly model: ModelRef;
  readonly tools: ToolSet;
  readonly signal: AbortSignal | undefined;
}

/** A command of conversations, beside those of core and of plugins. */
export interface SessionCommand {
  readonly line: CommandLine;
  /** Carries it out. `null` for a line that only begins like it. */
  run(session: Session, request: CommandRequest & { readonly rest: string }): Promise<CommandReply | null>;
}

const commands: Readonly<Record<string, SessionCommand>> = {
  model: modelCommand,
  think: thinkCommand,
  verbose: verboseCommand,
};

/**
 * Answers a command: plugins are asked first, then core, then conversations; one that nobody knows is told so. `null` for
 * what is none, as a sentence that begins with the name of one.
 *
 * @throws VARVE_ABORTED, and what a store throws.
 */
export async function answerSessionCommand(session: Session, request: CommandRequest): Promise<CommandReply | null> {
  const { text, model, models, tools, sender, signal } = request;
  const lines = Object.values(commands).map(({ line }) => line);
  const names = models?.names;
  const reply = await session.command(text, { model, tools, sender, commands: lines, models: names, signal });
  if (reply !== null) return reply;
  const read = commandOfText(session, text);
  if (read === null) return null;
  const { name, rest, line } = read;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command !== undefined) return command.run(session, { ...request, rest });
  return line === null && request.isForAgent ? unknownCommandReply(name) : null;
}
