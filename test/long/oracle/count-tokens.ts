import type { SeenMessage, SeenPart } from './observation.ts';

/** How transcripts of this test are counted: a token for each four UTF-16 units, begun ones included. */
export function countText(text: string): number {
  return Math.ceil(text.length / 4);
}

const known = new WeakMap<SeenMessage, number>();

/** 4 for the frame, what the texts cost, 1,600 for an image and 3,000 for another file. */
export function countMessage(message: SeenMessage): number {
  const before = known.get(message);
  if (before !== undefined) return before;
  const { content } = message;
  const tokens = 4 + (typeof content === 'string' ? countText(content) : sum(content.map(countPart)));
  known.set(message, tokens);
  return tokens;
}

function countPart(part: SeenPart): number {
  const { type, text = '', toolName = '', input, output, mediaType = '' } = part;
  if (type === 'text' || type === 'reasoning') return countText(text);
  if (type === 'tool-call') return countText(toolName) + countText(JSON.stringify(input));
  if (type === 'image' || (type === 'file' && mediaType.startsWith('image/'))) return 1_600;
  if (type === 'file') return 3_000;
  if (output?.type === 'text' || output?.type === 'error-text') return countText(String(output.value));
  if (output?.type === 'content') return sum((output.value as readonly SeenPart[]).map(countPart));
  return countText(JSON.stringify(output?.value));
}

/** The text of a tool's output, as it is shown where only text can be: images and files are named. */
export function textOfOutput(output: NonNullable<SeenPart['output']>): string {
  if (output.type === 'text' || output.type === 'error-text') return String(output.value);
  if (output.type !== 'content') return JSON.stringify(output.value);
  return (output.value as readonly SeenPart[])
    .map((part) => (part.type === 'text' ? part.text : `[${part.type}]`))
    .join('\n');
}

/** Adds numbers up. */
export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
