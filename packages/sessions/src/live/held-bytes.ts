import { type MessageEntry, partsOfMessage, type Session } from '@varve/core';

/** What a session takes without a message: its journal's ends, its record, its parts. Measured, rounded up. */
const bytesOfSession = 49_152;

/** What an entry takes beside its text. */
const bytesOfEntry = 1_024;

/** Entries are never changed: what one takes is worked out once. */
const known = new WeakMap<MessageEntry, number>();

/**
 * About how much memory a session holds: a fixed amount, and for each message that its next prompt may show a fixed
 * amount and two bytes for each character. Prompts, and what plugins hold, are not in it.
 */
export function heldBytes(session: Session): number {
  return session.view.messages().reduce((bytes, entry) => bytes + bytesOf(entry), bytesOfSession);
}

function bytesOf(entry: MessageEntry): number {
  const counted = known.get(entry);
  if (counted !== undefined) return counted;
  const { content } = entry.message;
  const bytes = bytesOfEntry + 2 * (typeof content === 'string' ? content.length : charsOf(entry));
  known.set(entry, bytes);
  return bytes;
}

function charsOf({ message }: MessageEntry): number {
  return partsOfMessage(message).reduce((chars, part) => chars + JSON.stringify(part).length, 0);
}
