import type { PressureLevel } from '../budget.ts';
import type { Message } from '../message.ts';
import type { Draft } from './draft.ts';
import { stateOfDraft } from './draft-operations.ts';

/** Above `hard` of its limit a prompt is made smaller, and then down to `target`, so that it happens rarely. */
export const byteShares = { hard: 0.95, soft: 0.8, target: 0.7 } as const;

const encoder = new TextEncoder();
const lengths = new WeakMap<Message, number>();

/** Bytes of the layers and messages of a draft, as UTF-8 of their JSON. */
export function bytesOf(draft: Draft): number {
  const layers = draft.layers.reduce((bytes, { text }) => bytes + encoder.encode(text).length, 0);
  return stateOfDraft(draft).items.reduce((bytes, { message }) => bytes + bytesOfMessage(message), layers);
}

/** Bytes of a message, as UTF-8 of its JSON. Measured once. */
export function bytesOfMessage(message: Message): number {
  const known = lengths.get(message) ?? encoder.encode(JSON.stringify(message)).length;
  lengths.set(message, known);
  return known;
}

/** True for a draft that the byte limit leaves as it is. */
export function hasByteRoom(draft: Draft): boolean {
  const { inputBytes } = draft.budget;
  return inputBytes === Infinity || bytesOf(draft) <= byteShares.hard * inputBytes;
}

/** How full a prompt of so many bytes is. */
export function byteLevel(bytes: number, inputBytes: number): PressureLevel {
  if (bytes > inputBytes) return 'overflow';
  if (bytes > byteShares.hard * inputBytes) return 'hard';
  return bytes > byteShares.soft * inputBytes ? 'soft' : 'none';
}
