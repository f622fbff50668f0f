import type { Conversation } from './conversation.ts';
import type { Note } from './note.ts';

/**
 * Whether a conversation may see a note. The only place where that is decided: the layer, the search and the tools all
 * ask here.
 *
 * - `agent`: the owner's direct chats, and groups when they are given a share.
 * - `private`: the conversation itself, whatever generation of it; from a direct chat also that person's other ones.
 * - `hidden`: nobody.
 */
export function mayRead(
  { scope }: Pick<Note, 'scope'>,
  conversation: Conversation,
  { shareWithGroups }: { readonly shareWithGroups: boolean },
): boolean {
  switch (scope.kind) {
    case 'hidden':
      return false;
    case 'agent':
      return conversation.isOwner || (conversation.kind === 'group' && shareWithGroups);
    case 'private':
      if (scope.key === conversation.key) return true;
      return conversation.kind === 'direct' && scope.identity !== null && scope.identity === conversation.identity;
  }
}

/** What a conversation's own notes are: for itself, and for the same person elsewhere. */
export function ownScope({ key, identity }: Conversation): Extract<Note['scope'], { kind: 'private' }> {
  return { kind: 'private', key, identity };
}
