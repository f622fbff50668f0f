import type { Seq, Tokens } from '@varve/core';
import { type ChooseOptions, fitting } from './choose-passages.ts';
import type { DatedPassage } from './passage-reader.ts';
import type { RankedFact } from './rank-facts.ts';
import type { ShownLine, ShownPassage } from './render-passages.ts';
import { namesOf } from './visible-lines.ts';

/** Longer lines cost more than the identifiers in them are worth. In characters. */
const longestLine = 300;

/** A line says more than the identifier only when it is longer by this. */
const leastBeside = 4;

/** What a line costs beside its text: number and speaker of its entry. */
const headTokens: Tokens = 5;

/** Identifiers that are looked up for each token of room: some of them are visible, or share a line. */
const factsPerToken = 0.2;

/** Less room holds no line. */
const leastTokens = 16;

/**
 * The lines in which the best identifiers were last used, as many as there is room for: an identifier by itself does not
 * say what it was about. Those whose line is visible need none, and one line may do for several.
 *
 * @param options.shown  Identifiers that are visible where they were used: in the conversation, or in what is recalled.
 */
export async function chooseFactLines(
  facts: readonly RankedFact[],
  options: ChooseOptions & { readonly shown: ReadonlySet<string> },
): Promise<readonly ShownPassage[]> {
  const { maxTokens, shown, reader, countTokens } = options;
  if (maxTokens < leastTokens) return [];
  const wanted = facts.slice(0, Math.ceil(maxTokens * factsPerToken)).filter(({ fact }) => !shown.has(fact.text));
  const passages = await reader.read(wanted.map(({ fact }) => fact.lastSeq));
  const open = new Map(wanted.map((one) => [one.fact.text, one]));
  const lines = linesByName(wanted, passages);
  const chosen: ShownPassage[] = [];
  let left = maxTokens;
  for (const one of wanted) {
    if (left < leastTokens) break;
    if (!open.has(one.fact.text)) continue;
    const best = bestLine(lines.get(one.fact.text) ?? [], open);
    if (best === null) continue;
    const cost = countTokens(best.line.text) + headTokens;
    if (cost > left) continue;
    left -= cost;
    for (const { fact } of best.holds) open.delete(fact.text);
    const { seq, ordinal, speaker, day } = best.passage;
    chosen.push({ seq, ordinal, speaker, day, lines: [best.line] });
  }
  return fitting(chosen, options);
}

/** A line, and the identifiers in it. */
interface FactLine {
  readonly passage: DatedPassage;
  readonly line: ShownLine;
  readonly names: readonly string[];
}

/** For each identifier, the lines of the entry that used it last which hold it and say more. */
function linesByName(
  wanted: readonly RankedFact[],
  passages: ReadonlyMap<Seq, readonly DatedPassage[]>,
): ReadonlyMap<string, readonly FactLine[]> {
  const lastSeqs = new Map(wanted.map(({ fact }) => [fact.text, fact.lastSeq]));
  const found = new Map<string, FactLine[]>();
  for (const seq of new Set(lastSeqs.values())) {
    for (const passage of passages.get(seq) ?? []) {
      for (const [place, text] of passage.lines.entries()) {
        if (text.length > longestLine) continue;
        const names = [...namesOf(text)];
        for (const name of names) {
          if (lastSeqs.get(name) !== seq || text.length < name.length + leastBeside) continue;
          const known = found.get(name) ?? [];
          if (known.length === 0) found.set(name, known);
          known.push({ passage, line: { place, text }, names });
        }
      }
    }
  }
  return found;
}

/** Of some lines, the one that holds the most that is worth something, for its length. */
function bestLine(
  lines: readonly FactLine[],
  open: ReadonlyMap<string, RankedFact>,
): (FactLine & { readonly holds: readonly RankedFact[] }) | null {
  let best: (FactLine & { readonly holds: readonly RankedFact[]; readonly worth: number }) | null = null;
  for (const one of lines) {
    const holds = one.names.flatMap((name) => open.get(name) ?? []);
    const worth = holds.reduce((sum, { score }) => sum + score, 0) / (40 + one.line.text.length);
    if (best === null || worth > best.worth) best = { ...one, holds, worth };
  }
  return best;
}
