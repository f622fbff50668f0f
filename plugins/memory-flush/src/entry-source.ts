import { isOfUser, type MessageEntry } from '@varve/core';
import type { Conversation, NoteSource } from '@varve/plugin-workspace-layers';

/**
 * Whose words an entry is: the owner's, the model's, or those of others: tools and what they read, programs, other
 * sessions, and people of whom nobody has said that they are the owner.
 *
 * @param owners  Names of the owner, as identities or sender ids; `null`: whoever has a direct chat.
 */
export function sourceOfEntry(
  entry: MessageEntry,
  { conversation, owners }: { readonly conversation: Conversation; readonly owners: readonly string[] | null },
): NoteSource {
  const { message, provenance } = entry;
  if (message.role === 'assistant' && provenance.kind === 'model') return 'model';
  if (!isOfUser(entry)) return 'other';
  if (conversation.isOwner) return 'owner';
  return provenance.senderId !== undefined && owners?.includes(provenance.senderId) === true ? 'owner' : 'other';
}
