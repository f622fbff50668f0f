import type { Tokens } from '@varve/core';
import type { ScoredPassage } from './passage-index.ts';
import type { PassageReader } from './passage-reader.ts';
import { renderPassages, type ShownPassage } from './render-passages.ts';
import type { VisibleLines } from './visible-lines.ts';

/** What passages are chosen by. */
export interface ChooseOptions {
  readonly maxTokens: Tokens;
  readonly visible: VisibleLines;
  readonly reader: PassageReader;
  countTokens(text: string): Tokens;
}

/** Less room is not worth another try. */
const leastTokens = 12;

/** Rounds in which room is filled that the rendering turned out not to need. */
const rounds = 3;

/**
 * The best passages that are not visible yet, best first, as many as there is room for when they are rendered. Their text
 * comes from the journal: what was forgotten, or is off the path, is not there.
 */
export async function choosePassages(
  found: readonly ScoredPassage[],
  options: ChooseOptions,
): Promise<readonly ShownPassage[]> {
  const { maxTokens, countTokens } = options;
  if (maxTokens < leastTokens) return [];
  const candidates = await shownPassages(worthReading(found, maxTokens), options);
  const costs = candidates.map((candidate) => countTokens(renderPassages([candidate])) + 1);
  const chosen = new Set<ShownPassage>();
  const seen = new Set<string>();
  let used = 0;
  for (let round = 0; round < rounds && maxTokens - used >= leastTokens; round += 1) {
    let left = maxTokens - used;
    for (const [at, candidate] of candidates.entries()) {
      if (left < leastTokens) break;
      if ((costs[at] ?? 0) > left || chosen.has(candidate)) continue;
      if (candidate.lines.every(({ text }) => seen.has(text))) continue;
      left -= costs[at] ?? 0;
      chosen.add(candidate);
      for (const { text } of candidate.lines) seen.add(text);
    }
    used = countTokens(renderPassages(chosen));
  }
  return fitting([...chosen], options);
}

/** Leaves out the last ones until the rest fits: a text may count more than its parts. */
export function fitting(
  passages: readonly ShownPassage[],
  { maxTokens, countTokens }: Pick<ChooseOptions, 'maxTokens' | 'countTokens'>,
): readonly ShownPassage[] {
  let left = passages;
  while (left.length > 0 && countTokens(renderPassages(left)) > maxTokens) left = left.slice(0, -1);
  return left;
}

/** The best of what was found: some times as much as there is room for, since some of it is visible already. */
function worthReading(found: readonly ScoredPassage[], maxTokens: Tokens): readonly ScoredPassage[] {
  let tokens = 0;
  const end = found.findIndex(({ passage }) => {
    tokens += passage.tokens;
    return tokens > maxTokens * 3 + 4_000;
  });
  return end === -1 ? found : found.slice(0, end);
}

/** The texts of passages, without the lines that are visible; in the order given. */
async function shownPassages(
  found: readonly ScoredPassage[],
  { visible, reader }: ChooseOptions,
): Promise<readonly ShownPassage[]> {
  const passages = await reader.read(found.map(({ passage }) => passage.seq));
  return found.flatMap(({ passage: { seq, ordinal } }): readonly ShownPassage[] => {
    const passage = passages.get(seq)?.[ordinal];
    if (passage === undefined) return [];
    const { speaker, day } = passage;
    const lines = passage.lines.flatMap((text, place) => (visible.has(text, seq) ? [] : [{ place, text }]));
    return lines.length === 0 ? [] : [{ seq, ordinal, speaker, day, lines }];
  });
}
