import type { Draft, Message } from '@varve/core';

/** Bytes of messages that were measured before: most of a prompt is the same as the last time. */
const known = new WeakMap<Message, number>();

const encoder = new TextEncoder();

/** Bytes of a draft's messages as JSON in UTF-8: what is sent, not what the journal holds. */
export function bytesOfDraft({ items }: Draft): number {
  return items.reduce((bytes, { message }) => bytes + bytesOfMessage(message), 0);
}

function bytesOfMessage(message: Message): number {
  const measured = known.get(message) ?? encoder.encode(JSON.stringify(message)).length;
  known.set(message, measured);
  return measured;
}
