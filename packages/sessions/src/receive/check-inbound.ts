import type { Inbound } from '@varve/core';
import { checkShape, signalSchema } from '@varve/core/host';
import { z } from 'zod';
import { channelName } from '../route/channel-name.ts';
import type { ReceiveOptions } from './received.ts';

const id = z.string().min(1, 'it is empty');

const schema: z.ZodType<Inbound> = z.strictObject({
  agentId: id.optional(),
  channel: id,
  account: id.optional(),
  chatType: z.enum(['direct', 'group', 'channel']),
  peer: id,
  thread: z.strictObject({ kind: z.enum(['thread', 'topic']), id }).optional(),
  messageId: id,
  sender: z.strictObject({ id, role: z.enum(['owner', 'member', 'unknown']) }),
  addressed: z.enum(['mention', 'reply', 'any']),
  text: z.string().regex(/\S/, 'it says nothing'),
});

/**
 * Checks a message as it arrives, which a channel may have made out of anything, and copies it, with the name of the channel
 * in lower case. Ids may hold any characters, in any number; a role that is not known is an error, and not the least of the
 * roles, since it may be a misspelt `owner`.
 *
 * @throws VARVE_OPTION_INVALID  with the path of what is wrong.
 */
export function checkInbound(given: unknown): Inbound {
  checkShape(given, {
    schema,
    fix: 'Give { channel, chatType, peer, messageId, sender: { id, role }, addressed, text } as the type Inbound describes them.',
  });
  const inbound = schema.parse(given);
  return { ...inbound, channel: channelName(inbound.channel) };
}

const options: z.ZodType = z.strictObject({
  onDelta: z.custom((value) => typeof value === 'function', { error: 'it is no function' }).optional(),
  signal: signalSchema.optional(),
  answer: z.boolean().optional(),
  conversation: id.optional(),
  onStored: z.custom((value) => typeof value === 'function', { error: 'it is no function' }).optional(),
} satisfies Record<keyof ReceiveOptions, z.ZodType>);

/** Checks how a message is to be received. @throws VARVE_OPTION_INVALID */
export function checkReceiveOptions(given: ReceiveOptions): void {
  checkShape(given, {
    schema: options,
    fix: 'Give { onDelta, signal, answer, conversation, onStored }, or leave them out.',
  });
}
