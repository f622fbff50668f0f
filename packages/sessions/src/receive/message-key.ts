import type { Inbound } from '@varve/core';

/** A key that is longer is stored as a hash: many are kept with each checkpoint. */
const mostCharacters = 160;

/**
 * The key under which a message is stored: the same whenever it is delivered, and another one for every other message.
 * Ids of messages are unique within a chat at most, so that the chat belongs to it.
 */
export async function messageKeyOf(
  inbound: Pick<Inbound, 'channel' | 'account' | 'chatType' | 'peer' | 'messageId'>,
): Promise<string> {
  const { channel, account = null, chatType, peer, messageId } = inbound;
  const key = JSON.stringify([channel, account, chatType, peer, messageId]);
  return `inbound:${key.length <= mostCharacters ? key : await sha256(key)}`;
}

async function sha256(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
