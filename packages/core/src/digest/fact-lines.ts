import type { LedgerFact } from '../journal/entry.ts';
import type { Tokens } from '../units.ts';
import { byLastUse, isStatement, ledgerScore, newestSeq, rankFacts } from './ledger.ts';
import { oneLine } from './one-line.ts';

/** Constraints, decisions, corrections and errors may take this much of the room while identifiers want it too. */
const statementShare = 0.2;

/** What a fact gains when the user asked for a focus and it holds one of its words. */
const focusFactor = 3;

/** The lines on which identifiers stand together, and the kinds on each. Kinds of other origin go to the last. */
const groups = [
  { name: 'files', kinds: ['path', 'file'] },
  { name: 'names', kinds: ['symbol', 'constant'] },
  { name: 'links', kinds: ['url'] },
  { name: 'values', kinds: ['code', 'uuid', 'hash', 'version', 'date', 'number'] },
] as const;

/** What limits the facts that are shown. */
export interface FactLinesOptions {
  readonly maxTokens: Tokens;
  readonly count: (text: string) => Tokens;
  /** Text that is in view anyway: a fact that stands there as a whole word is not repeated. */
  readonly visible: string;
  /** What the user asked the summary to focus on. */
  readonly focus: string;
}

/**
 * The best facts that fit, as lines: sentences one a line, identifiers packed by what they are, newest use last.
 * Identifiers stand verbatim; one that is part of a longer one that is shown (a file of a path, say) is not repeated.
 *
 * @returns Lines without breaks, together at most `maxTokens`.
 */
export function factLines(facts: readonly LedgerFact[], options: FactLinesOptions): readonly string[] {
  const { maxTokens, count } = options;
  const ranked = rankUnseen(facts, options);
  const identifiers = ranked.filter((fact) => !isStatement(fact));
  const linesOfBest = lineMaker(identifiers);
  const costOf = (lines: readonly string[]) => count(lines.join('\n'));
  const room = Math.max(maxTokens * statementShare, maxTokens - costOf(linesOfBest(identifiers.length)) - 1);
  const statements = statementLines(ranked.filter(isStatement), { maxTokens: room, count });
  const fits = (best: number) => costOf([...statements, ...linesOfBest(best)]) <= maxTokens;
  return [...statements, ...linesOfBest(mostThatFit(identifiers.length, fits))];
}

/** The facts that are not in view, best first; those that hold a word of the focus gain. */
function rankUnseen(
  facts: readonly LedgerFact[],
  { visible, focus }: Pick<FactLinesOptions, 'visible' | 'focus'>,
): readonly LedgerFact[] {
  const newest = newestSeq(facts);
  const isVisible = wordFinder(visible);
  const words = focus.toLowerCase().match(/[a-z0-9_]{3,}|[\u3040-\u{3ffff}]{2}/gu) ?? [];
  const isAskedFor = ({ text }: LedgerFact) => words.some((word) => text.toLowerCase().includes(word));
  return rankFacts(
    facts.filter((fact) => !isVisible(oneLine(fact.text))),
    (fact) => ledgerScore(fact, newest) * (isAskedFor(fact) ? focusFactor : 1),
  );
}

/** Sentences from best to worst while they fit, then in order of their last use. */
function statementLines(
  ranked: readonly LedgerFact[],
  { maxTokens, count }: Pick<FactLinesOptions, 'maxTokens' | 'count'>,
): readonly string[] {
  const chosen: LedgerFact[] = [];
  let spent = 0;
  for (const fact of ranked) {
    const cost = count(statementLine(fact)) + 1;
    if (spent + cost > maxTokens) break;
    chosen.push(fact);
    spent += cost;
  }
  return chosen.sort(byLastUse).map(statementLine);
}

function statementLine({ kind, text, label, lastSeq, by }: LedgerFact): string {
  return `- ${kind} #${lastSeq} (${oneLine(label ?? by)}): ${oneLine(text)}`;
}

/** Makes the lines of the best so and so many identifiers, without those that a longer one among them holds. */
function lineMaker(ranked: readonly LedgerFact[]): (best: number) => readonly string[] {
  const holders = holdersOf(ranked);
  const ranks = new Map(ranked.map((fact, rank) => [fact, rank]));
  const items = [...ranked].sort(byLastUse).map((fact) => {
    const group = groupOf(fact.kind);
    const rank = ranks.get(fact) as number;
    const isLabelled = group === 'values' && fact.label !== undefined;
    const item = isLabelled ? `${oneLine(fact.text)} (${oneLine(fact.label)})` : oneLine(fact.text);
    return { item, group, rank, holder: holders[rank] as number };
  });
  return (best) => {
    const shown = items.filter(({ rank, holder }) => rank < best && holder >= best);
    return groups.flatMap(({ name }) => {
      const own = shown.filter(({ group }) => group === name).map(({ item }) => item);
      return own.length === 0 ? [] : [`- ${name}: ${own.join(name === 'values' ? '; ' : ' ')}`];
    });
  };
}

function groupOf(kind: string): string {
  return groups.find(({ kinds }) => (kinds as readonly string[]).includes(kind))?.name ?? 'values';
}

/** For each identifier, the smallest index of a longer one that holds it as a whole word; infinite when none does. */
function holdersOf(identifiers: readonly LedgerFact[]): readonly number[] {
  const holders = new Map<string, number>();
  identifiers.forEach(({ text }, index) => {
    for (const part of partsOf(text)) if (!holders.has(part)) holders.set(part, index);
  });
  return identifiers.map(({ text }) => holders.get(text) ?? Number.POSITIVE_INFINITY);
}

/** The words, leading folders and trailing segments of an identifier, without itself. */
function partsOf(identifier: string): readonly string[] {
  const parts = identifier.split(/[^\w]+/);
  for (let slash = identifier.indexOf('/'); slash >= 0; slash = identifier.indexOf('/', slash + 1)) {
    parts.push(identifier.slice(0, slash), identifier.slice(slash + 1));
    const segment = identifier.slice(slash + 1).split('/', 1)[0] as string;
    parts.push(segment);
  }
  return parts.filter((part) => part.length >= 4 && part !== identifier);
}

/**
 * Tells whether a text holds a word. A ledger asks for two thousand: of most of them the first run of letters and digits
 * is no run of the text, which is found without looking through it.
 */
function wordFinder(text: string): (word: string) => boolean {
  const runs = new Set(text.match(/\w+/g));
  return (word) => (word.match(/\w+/g) ?? []).every((run) => runs.has(run)) && holdsWord(text, word);
}

/** Whether a text holds a word that is not part of a longer one there; the empty word stands everywhere. */
function holdsWord(text: string, word: string): boolean {
  if (word === '') return true;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    const end = at + word.length;
    if (!/\w/.test(text[at - 1] ?? '') && !/\w/.test(text[end] ?? '')) return true;
  }
  return false;
}

/** The largest number up to `most` that fits, if more never fits where less does not; checked for what is returned. */
function mostThatFit(most: number, fits: (count: number) => boolean): number {
  let low = 0;
  let high = most;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
