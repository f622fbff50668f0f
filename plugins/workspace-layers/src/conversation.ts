import { chatTypeOf, parseKey, type SessionKey, type SessionView, VarveError } from '@varve/core';

/** What a session is, as far as memory is concerned. */
export interface Conversation {
  /** The key of the session; for one without a key, a name that no key has. */
  readonly key: string;
  /** `direct`: one person. `group`: several, or nobody knows. `subagent`: a task that another session has begun. */
  readonly kind: 'direct' | 'group' | 'subagent';
  /** The person behind a direct chat; `null` when nobody said, and for everything else. */
  readonly identity: string | null;
  /** True for the owner's own direct chats. */
  readonly isOwner: boolean;
}

/**
 * Tells what a session is. What the host says of the chat and what its key says must agree on a direct chat: where one
 * of them speaks of anything else, or neither says anything, the session counts as a group.
 *
 * @param session  What of it tells whose memory it may see.
 * @param owners  Identities of the owner; `null`: whoever has a direct chat is the owner.
 */
export function conversationOf(
  session: Pick<SessionView, 'sessionId' | 'key' | 'chatType' | 'identity' | 'parentSessionKey'>,
  owners: readonly string[] | null,
): Conversation {
  const key = session.key ?? `session:${session.sessionId}`;
  const kind = kindOf(session);
  const identity = kind === 'direct' ? session.identity : null;
  const isOwner = kind === 'direct' && (owners === null || (identity !== null && owners.includes(identity)));
  return { key, kind, identity, isOwner };
}

function kindOf({
  key: text,
  chatType,
  parentSessionKey,
}: Pick<SessionView, 'key' | 'chatType' | 'parentSessionKey'>): Conversation['kind'] {
  const key = text === null ? null : keyOf(text);
  if (parentSessionKey !== null || key?.kind === 'subagent') return 'subagent';
  // A host may say what it likes of a key: the conversation that everybody shares is none with one person.
  return chatType === 'direct' && (key === null || chatTypeOf(key) === 'direct') ? 'direct' : 'group';
}

/** The key as data; `null` for one that the host has made in its own way. */
function keyOf(text: string): SessionKey | null {
  try {
    return parseKey(text);
  } catch (error) {
    if (VarveError.is(error, 'VARVE_KEY_INVALID')) return null;
    throw error;
  }
}
