import type { Message } from '../message.ts';
import type { Block, Prompt } from './prompt.ts';

/** The parts of a prompt whose bytes are compared. */
type PromptBody = Pick<Prompt, 'system' | 'messages' | 'marks'>;

const encoder = new TextEncoder();
const lengths = new WeakMap<object, number>();

/**
 * First byte at which `current` differs from the stable part of `previous`, in the JSON of their blocks and messages
 * one after the other; `null` when the stable part of `previous` is a prefix of `current`.
 */
export function firstDifference(current: PromptBody, previous: PromptBody): number | null {
  const before = stableParts(previous);
  const now = stableParts(current);
  let bytes = 0;
  for (const [index, part] of before.entries()) {
    const other = now[index];
    if (other === undefined) return bytes;
    if (part !== other) {
      const difference = differenceOf(JSON.stringify(part), JSON.stringify(other));
      if (difference !== null) return bytes + difference;
    }
    bytes += lengthOf(part);
  }
  return null;
}

function stableParts({ system, messages, marks }: PromptBody): readonly (Block | Message)[] {
  return [...system, ...messages.slice(0, marks.afterStable)];
}

function differenceOf(a: string, b: string): number | null {
  if (a === b) return null;
  let index = 0;
  while (index < a.length && a[index] === b[index]) index += 1;
  return encoder.encode(a.slice(0, index)).length;
}

function lengthOf(part: object): number {
  const known = lengths.get(part);
  if (known !== undefined) return known;
  const length = encoder.encode(JSON.stringify(part)).length;
  lengths.set(part, length);
  return length;
}
