import type { Tokens } from '@varve/core';
import { type Passage, renderPassages } from './transcript.ts';

/** Counts the tokens of a text. */
export type CountTokens = (text: string) => Tokens;

/** Fewest characters of a piece: smaller ones say nothing on their own. */
const leastPiece = 200;

/** Tokens of passages as they are sent. */
export function tokensOfPassages(passages: readonly Passage[], count: CountTokens): Tokens {
  return count(renderPassages(passages));
}

/**
 * Parts passages into stretches of at most `room` tokens, in order; nothing is left out. A passage that is longer than
 * that is cut into pieces that say so, at line breaks where it has some. A piece of a few hundred characters is not cut
 * further, whatever the room.
 */
export function splitPassages(
  passages: readonly Passage[],
  { room, count }: { readonly room: Tokens; readonly count: CountTokens },
): readonly (readonly Passage[])[] {
  const stretches: Passage[][] = [];
  let tokens = Infinity;
  for (const piece of passages.flatMap((passage) => piecesOf(passage, { room, count }))) {
    const cost = tokensOfPassages([piece], count) + 1;
    if (tokens + cost > room) {
      stretches.push([]);
      tokens = 0;
    }
    stretches.at(-1)?.push(piece);
    tokens += cost;
  }
  return stretches;
}

function piecesOf(passage: Passage, limit: { readonly room: Tokens; readonly count: CountTokens }): readonly Passage[] {
  const { room, count } = limit;
  const tokens = tokensOfPassages([passage], count);
  const characters = passage.lines.reduce((sum, line) => sum + line.length, 0);
  if (tokens <= room || characters <= leastPiece) return [passage];
  const [first, second] = halvesOf(passage.lines);
  const pieces = [first, second].map((lines) => ({ name: nameOfPiece(passage.name), lines }));
  return pieces.flatMap((piece) => piecesOf(piece, limit));
}

/** Half of the characters each, parted between two lines, or within the only one. */
function halvesOf(lines: readonly string[]): readonly [readonly string[], readonly string[]] {
  const [only] = lines;
  if (lines.length === 1 && only !== undefined) {
    const half = middleOf(only);
    return [[only.slice(0, half)], [only.slice(half)]];
  }
  const whole = lines.reduce((sum, line) => sum + line.length, 0);
  let sum = 0;
  let index = 0;
  while (index < lines.length - 1 && (index === 0 || sum < whole / 2)) {
    sum += lines[index]?.length ?? 0;
    index += 1;
  }
  return [lines.slice(0, index), lines.slice(index)];
}

/** The middle of a line, moved so that no character is parted. */
function middleOf(line: string): number {
  const half = Math.ceil(line.length / 2);
  const unit = line.charCodeAt(half);
  return unit >= 0xdc00 && unit <= 0xdfff ? half + 1 : half;
}

function nameOfPiece(name: string): string {
  return name.endsWith(', in part') ? name : `${name}, in part`;
}
