import { isLowSurrogate } from '../cut-text.ts';
import type { Tokens } from '../units.ts';

/** What stands for the part that was left out. */
const gap = ' … ';

/** Of a shortened text, this much is its beginning: what is asked stands there more often than at the end. */
const headShare = 0.6;

/** No counter gives fewer tokens to more characters than this (long runs of spaces aside), so no more is looked at. */
const maxCharactersPerToken = 10;

/**
 * Shortens a text to head and tail with an ellipsis between them, at ends of sentences where that keeps most of the
 * room, else at ends of words, never inside a surrogate pair.
 *
 * @param options.maxTokens  Upper bound of what is returned, as `count` counts it.
 * @param options.count  Counts one text. *Contract:* pure, and larger for a longer beginning or end of the same text.
 * @returns The text itself when it fits; `''` when not even one character does.
 */
export function shortenText(
  text: string,
  { maxTokens, count }: { readonly maxTokens: Tokens; readonly count: (text: string) => Tokens },
): string {
  const window = maxTokens * maxCharactersPerToken;
  if (text.length <= window * 2 && count(text) <= maxTokens) return text;
  const first = text.slice(0, window);
  const last = text.slice(Math.max(0, text.length - window));
  for (let room = maxTokens - count(gap); room > 0; room = Math.floor(room * 0.85)) {
    const head = headOf(first, { maxTokens: Math.max(1, Math.floor(room * headShare)), count });
    const tail = tailOf(last, { maxTokens: Math.floor(room * (1 - headShare)), count });
    const short = head.length + tail.length < text.length ? `${head}${gap}${tail}`.trim() : text;
    if (count(short) <= maxTokens) return short;
  }
  return headOf(first, { maxTokens, count });
}

interface Limit {
  readonly maxTokens: Tokens;
  readonly count: (text: string) => Tokens;
}

function headOf(text: string, limit: Limit): string {
  const cuts = cutsOf(text);
  return choose(cuts, (cut) => text.slice(0, cut).trimEnd(), limit);
}

function tailOf(text: string, limit: Limit): string {
  const { sentences, words, units } = cutsOf(text);
  const backwards = { sentences: sentences.reverse(), words: words.reverse(), units: units.reverse() };
  return choose(backwards, (cut) => text.slice(cut).trimStart(), limit);
}

interface Cuts {
  readonly sentences: readonly number[];
  readonly words: readonly number[];
  readonly units: readonly number[];
}

/** Takes the coarsest cut that fills at least 60 % of the room. */
function choose(
  { sentences, words, units }: Cuts,
  slice: (cut: number) => string,
  { maxTokens, count }: Limit,
): string {
  for (const cuts of [sentences, words, units]) {
    const text = longestFit(cuts, (cut) => count(slice(cut)) <= maxTokens);
    const piece = text === null ? '' : slice(text);
    if (cuts === units || count(piece) >= maxTokens * 0.6) return piece;
  }
  return '';
}

/** The last of the cuts that fits, if they fit up to a point and not behind it. */
function longestFit(cuts: readonly number[], fits: (cut: number) => boolean): number | null {
  let low = 0;
  let high = cuts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (fits(cuts[middle] as number)) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? null : (cuts[low - 1] as number);
}

/** Where a text may be cut: behind a sentence, behind a word, between two characters; each in order. */
function cutsOf(text: string): { sentences: number[]; words: number[]; units: number[] } {
  const cuts = { sentences: [] as number[], words: [] as number[], units: [] as number[] };
  for (let index = 1; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (isLowSurrogate(unit)) continue;
    cuts.units.push(index);
    const before = text[index - 1] as string;
    if (before === '\n' || '。！？'.includes(before) || ('.!?'.includes(before) && unit === 0x20))
      cuts.sentences.push(index);
    if (unit === 0x20 || unit === 0x0a) cuts.words.push(index);
  }
  return cuts;
}
