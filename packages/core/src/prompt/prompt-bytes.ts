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
  const count = previous.system.length + previous.marks.afterStable;
  for (let index = 0; index < count; index += 1) {
    const part = stablePart(previous, index) as Block | Message;
    const other = stablePart(current, index);
    if (part === other) continue;
    const difference = other === undefined ? 0 : differenceOf(JSON.stringify(part), JSON.stringify(other));
    if (difference !== null) return bytesBefore(previous, index) + difference;
  }
  return null;
}

function bytesBefore(body: PromptBody, end: number): number {
  let bytes = 0;
  for (let index = 0; index < end; index += 1) bytes += lengthOf(stablePart(body, index) as Block | Message);
  return bytes;
}

/** The blocks of the system prompt, then the messages up to the cache mark. */
function stablePart({ system, messages, marks }: PromptBody, index: number): Block | Message | undefined {
  if (index < system.length) return system[index];
  const place = index - system.length;
  return place < marks.afterStable ? messages[place] : undefined;
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
