import { type LedgerFact, linesOf, type MessageEntry, mergeLedger, type Tokens } from '@varve/core';
import { withoutFinished } from './finished-steps.ts';
import { joinParts, type ProseParts, renderSections, sectionsOf } from './prose-sections.ts';
import { coverage } from './significant-words.ts';
import type { CountTokens } from './split-passages.ts';
import { hasWordsOfUser, headAndTail, spokenText } from './transcript.ts';
import { comparable, holdsWords, misquotesUser, quotesOfUser } from './user-quotes.ts';

/** What prose is held against. */
export interface ReviewFacts {
  /** The entries that it newly stands for. */
  readonly entries: readonly MessageEntry[];
  /** Everything that the user is known to have said, in the user's words. */
  readonly said: readonly string[];
  /** What the agent says behind the range. */
  readonly following: readonly string[];
  /** The prose of before, whose quotations have been looked at then. */
  readonly previous: string | null;
  readonly maxTokens: Tokens;
  readonly count: CountTokens;
}

/** Prose as it is kept, and what was done to it. */
export interface ReviewedProse {
  readonly text: string;
  readonly quality: 'completed' | 'corrected' | null;
}

/** Most identifiers that prose must have: what was said most often and last, by the user before the agent. */
const maxRequired = 12;

/** The last request is known by this much of what it is about. */
const leastCoverage = 0.3;

/** Of the last request, this much is repeated where prose has nothing of it, in UTF-16 code units. */
const requestReach = { head: 120, tail: 40 } as const;

const sentenceKinds: ReadonlySet<string> = new Set(['constraint', 'decision', 'correction', 'error']);

const speakerWeights = { user: 3, assistant: 2, tool: 0 } as const;

/**
 * Makes prose good: a line that puts words into the user's mouth is taken out, and so is a next step that is finished;
 * what must be in it and is not, is added word for word, the last request first, as far as the bound allows. The rest
 * stands in the ledger.
 *
 * @returns `null` when nothing is left of it.
 */
export function reviewProse(written: ProseParts, facts: ReviewFacts): ReviewedProse | null {
  const parts = mapParts(written, (text) => renderSections(sectionsOf(text)));
  const checked = mapParts(parts, (text) => withoutWrongLines(text, facts));
  const text = joinParts(checked);
  if (text === '') return null;
  const missing = missingLines(text, facts);
  if (missing.length > 0) return { text: withLines(checked, missing), quality: 'completed' };
  return { text, quality: text === joinParts(parts) ? null : 'corrected' };
}

/** Both parts, changed; one that becomes empty is gone. */
function mapParts({ history, turn }: ProseParts, change: (text: string) => string): ProseParts {
  const changed = { history: change(history ?? ''), turn: change(turn?.text ?? '') };
  return {
    history: changed.history === '' ? null : changed.history,
    turn: turn === null || changed.turn === '' ? null : { ...turn, text: changed.turn },
  };
}

function withoutWrongLines(text: string, facts: ReviewFacts): string {
  const said = [...facts.said, ...quotesOfUser(facts.previous ?? '')].map(comparable);
  const sections = sectionsOf(text).map((section) => ({
    ...section,
    lines: section.lines.filter((line) => !misquotesUser(line, said)),
  }));
  return renderSections(withoutFinished(sections, facts.following));
}

/** Lines with what is missing, as many as the bound allows; the first one of a list that is too long is shortened. */
function missingLines(text: string, { entries, maxTokens, count }: ReviewFacts): readonly string[] {
  const lines: string[] = [];
  const fits = (more: readonly string[]): boolean => count([text, ...lines, ...more].join('\n')) <= maxTokens;
  const request = lastRequest(entries);
  if (request !== undefined && coverage(spokenText(request), text) < leastCoverage) {
    const words = linesOf(headAndTail(spokenText(request), requestReach)).join(' ⏎ ');
    const line = `- Last request, word for word (#${request.seq}): ${words}`;
    if (fits([line])) lines.push(line);
  }
  const present = [text, ...lines].join('\n');
  const names = requiredIn(entries).filter((fact) => !holdsWords(present, fact.text));
  for (let most = names.length; most > 0; most -= 1) {
    const line = `- Named here, word for word: ${names.slice(0, most).map(withLabel).join('; ')}`;
    if (!fits([line])) continue;
    lines.push(line);
    break;
  }
  return lines;
}

function withLines({ history, turn }: ProseParts, lines: readonly string[]): string {
  const added = lines.join('\n');
  if (history !== null || turn === null) return joinParts({ history: `${history ?? ''}\n${added}`.trim(), turn });
  return joinParts({ history, turn: { ...turn, text: `${turn.text}\n${added}` } });
}

function lastRequest(entries: readonly MessageEntry[]): MessageEntry | undefined {
  return entries.findLast((one) => hasWordsOfUser(one) && linesOf(spokenText(one)).length > 0);
}

/** The identifiers that user and agent named, best first. */
function requiredIn(entries: readonly MessageEntry[]): readonly LedgerFact[] {
  const facts = mergeLedger([], entries).filter(({ kind, by }) => by !== 'tool' && !sentenceKinds.has(kind));
  const worth = (fact: LedgerFact): number => speakerWeights[fact.by] * Math.sqrt(fact.uses);
  return [...facts]
    .sort((a, b) => worth(b) - worth(a) || b.lastSeq - a.lastSeq)
    .slice(0, maxRequired)
    .map((fact) => ({ ...fact, text: linesOf(fact.text).join(' ') }));
}

/** What says little by itself, such as a number, stands with the words that it was named with. */
function withLabel({ text, label }: LedgerFact): string {
  return label === undefined ? text : `${text} (${linesOf(label).join(' ')})`;
}
