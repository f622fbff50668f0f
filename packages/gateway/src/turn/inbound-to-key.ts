import { agentOf, type Inbound, parseKey, VarveError } from '@varve/core';
import type { Role } from '../tokens/role.ts';

/** What a caller says in a conversation. */
export interface Said {
  readonly key: string;
  readonly text: string;
  readonly messageId: string;
  /** Who said it, by the caller's own name. */
  readonly senderId: string;
  /** Of the token: only an owner's words are those of the owner. */
  readonly role: Role;
}

/** The channel of what comes in here and belongs to no other. */
const ownChannel = 'gateway';

/**
 * The message of a caller as it goes into a conversation whose key is known: where the key names a channel, a person or a
 * room, it is as if it came from there.
 *
 * @throws VARVE_KEY_INVALID  for a key that nobody writes to, such as that of a job.
 */
export function inboundToKey({ key: keyText, text, messageId, senderId, role }: Said): Inbound {
  const key = parseKey(keyText);
  const agentId = agentOf(key) ?? undefined;
  const said = {
    ...(agentId === undefined ? {} : { agentId }),
    messageId,
    sender: { id: senderId, role: role === 'owner' ? 'owner' : 'member' },
    addressed: 'mention',
    text,
  } as const;
  const here = { channel: ownChannel, chatType: 'direct', peer: ownChannel } as const;
  switch (key.kind) {
    case 'global':
    case 'main':
      return { ...said, ...here };
    case 'person':
      return { ...said, ...here, peer: key.person };
    case 'direct': {
      const { channel = ownChannel, account, peer } = key;
      return { ...said, channel, chatType: 'direct', peer, ...(account === undefined ? {} : { account }) };
    }
    case 'group':
    case 'channel': {
      const { channel, peer, thread } = key;
      return { ...said, channel, chatType: key.kind, peer, ...(thread === undefined ? {} : { thread }) };
    }
    default:
      throw new VarveError('VARVE_KEY_INVALID', 'Nobody writes to that conversation: it runs by itself.', {
        fix: 'Write to the conversation that began it.',
      });
  }
}
