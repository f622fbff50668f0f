import type { SessionView } from '@varve/core';

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
 * of them speaks of more than one person, or neither says anything, the session counts as a group.
 *
 * @param owners  Identities of the owner; `null`: whoever has a direct chat is the owner.
 */
export function conversationOf(
  session: Pick<SessionView, 'sessionId' | 'key' | 'chatType' | 'identity'>,
  owners: readonly string[] | null,
): Conversation {
  const key = session.key ?? `session:${session.sessionId}`;
  const kind = kindOf(session);
  const identity = kind === 'direct' ? session.identity : null;
  const isOwner = kind === 'direct' && (owners === null || (identity !== null && owners.includes(identity)));
  return { key, kind, identity, isOwner };
}

function kindOf({ key, chatType }: Pick<SessionView, 'key' | 'chatType'>): Conversation['kind'] {
  const ofKey = key === null ? null : kindOfKey(key);
  if (ofKey === 'subagent') return 'subagent';
  if (chatType !== null && chatType !== 'direct') return 'group';
  return ofKey === 'direct' || (ofKey === null && chatType === 'direct') ? 'direct' : 'group';
}

/** Words that say what kind of chat a key is of, wherever they stand in it. */
const kindWords: ReadonlyMap<string, Conversation['kind']> = new Map([
  ['direct', 'direct'],
  ['dm', 'direct'],
  ['group', 'group'],
  ['channel', 'group'],
  ['thread', 'group'],
]);

/** Words that begin the rest of a key of what is no chat. */
const otherKinds: ReadonlyMap<string, Conversation['kind']> = new Map([
  ['main', 'direct'],
  ['subagent', 'subagent'],
  ['cron', 'group'],
  ['hook', 'group'],
]);

/**
 * Reads `agent:<id>:main`, `agent:<id>:direct:<peer>`, `agent:<id>:<channel>:direct:<peer>` and their relatives; `null`
 * for a key of another form. A channel may be followed by an account, so three places can name the kind.
 */
function kindOfKey(key: string): Conversation['kind'] | null {
  const [start, agentId, ...rest] = key.split(':');
  if (start !== 'agent' || agentId === undefined || agentId === '') return null;
  const [first = ''] = rest;
  const other = otherKinds.get(first);
  if (other !== undefined && (first !== 'main' || rest.length === 1)) return other;
  // The last part is the peer, who may be called anything.
  const words = rest
    .slice(0, -1)
    .slice(0, 3)
    .flatMap((part) => kindWords.get(part) ?? []);
  return words.includes('group') ? 'group' : (words[0] ?? null);
}
