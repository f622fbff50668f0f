import { normalized, sentencesOf } from './sentences.ts';

/** Shorter sentences ("yes", "go on") are no instructions. */
const leastLength = 14;

/** Sentences of a user's message that count as instructions. */
export function instructionsOf(text: string): readonly string[] {
  return sentencesOf(text)
    .map(normalized)
    .filter((sentence) => sentence.length > leastLength);
}

/**
 * M3. Mean over the user's messages of the share of their sentences that are visible; `null` when no message has any.
 *
 * @param messages  The instructions of each earlier message of the user.
 */
export function scoreInstructions(messages: readonly (readonly string[])[], context: string): number | null {
  const said = messages.filter((sentences) => sentences.length > 0);
  if (said.length === 0) return null;
  const text = normalized(context);
  const shares = said.map((sentences) => sentences.filter((one) => text.includes(one)).length / sentences.length);
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}
