import { z } from 'zod';
import type { CommandReply } from './hooks.ts';

/**
 * What the reply to a command holds, under `reset` in its `data`, to ask for a new conversation. The host ends this one
 * and begins the other with it. A type, since it stands in a reply: JSON.
 */
export type ResetRequest = {
  readonly reason: 'command';
  /** The command, such as `/new`. */
  readonly trigger: string;
  /** `provider/model` for the new conversation; `null`: as before. */
  readonly model: string | null;
  /** The first message of the new conversation; `null` for none. */
  readonly message: string | null;
  /** What to ask the model for, so that it greets; `null` for nothing. Never beside a message. */
  readonly greeting: string | null;
};

const schema = z.object({
  reset: z.object({
    reason: z.literal('command'),
    trigger: z.string(),
    model: z.string().nullable(),
    message: z.string().nullable(),
    greeting: z.string().nullable(),
  }),
});

/** The new conversation that a reply of `session.command` asks for; `null` when it is the reply of another command. */
export function resetRequestOf(reply: CommandReply | null): ResetRequest | null {
  const { data, success } = schema.safeParse(reply?.data);
  return success ? data.reset : null;
}
