import type { SessionRecord, SessionView } from '@varve/core';
import { conversationOf } from '../conversation.ts';

/** What of a session tells whether it may read another one, or be read. A record has it, too. */
type Party = Pick<
  SessionRecord & SessionView,
  'sessionId' | 'agentId' | 'key' | 'chatType' | 'identity' | 'parentSessionKey'
>;

/**
 * Whether a session may see what was said in another one. The only place where that is decided, and what is not named
 * here is refused. Both belong to the same agent, both are direct chats or both are not, and neither is a sub-agent's:
 *
 * - the same key: other generations of the same conversation;
 * - in direct chats, the same identity: what the same person said elsewhere, where nobody else was.
 *
 * What a session has to do with itself is not asked here: its own past is not another session's.
 */
export function mayReadSession(other: Party, reader: Party, owners: readonly string[] | null): boolean {
  if (other.sessionId === reader.sessionId || other.agentId !== reader.agentId) return false;
  const [own, past] = [conversationOf(reader, owners), conversationOf(other, owners)];
  if (own.kind !== past.kind || own.kind === 'subagent') return false;
  if (reader.key !== null && reader.key === other.key) return true;
  return own.kind === 'direct' && own.identity !== null && own.identity !== '' && own.identity === past.identity;
}
