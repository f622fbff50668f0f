import type { LedgerFact, MessageEntry } from '../journal/entry.ts';
import type { JsonValue } from '../json-value.ts';
import { isOfUser, type MessagePart, partsOfMessage, type ToolOutput } from '../message.ts';
import { isRecovered } from '../recovered-result.ts';
import { isFailure, textOfOutput } from '../text-of-output.ts';
import type { Seq } from '../units.ts';
import type { IdentifierKind } from './identifier-kind.ts';
import { scanIdentifiers } from './identifiers.ts';
import { isStatedAt } from './stated.ts';
import { errorLine, type StatementKind, statementsOf } from './statements.ts';

/** Most facts that a ledger keeps. A whole coding session of 130k tokens names 900 to 1,400 identifiers. */
const maxFacts = 2_000;

/** Longest label, in UTF-16 code units. */
const maxLabelLength = 40;

/** Most words of a label: `connection pool timeout` says it, the whole sentence costs more than the number. */
const maxLabelWords = 4;

/** Kinds of sentences. */
const statementKinds: ReadonlySet<string> = new Set<StatementKind>(['constraint', 'decision', 'correction', 'error']);

/** Kinds that say little without the words before them. */
const labelledKinds: ReadonlySet<IdentifierKind> = new Set(['uuid', 'hash', 'date', 'version', 'code', 'number']);

/** What a mention by each speaker weighs. With these, 92 % of what coding sessions needed later was among 2,000 tokens. */
const weights = { user: 3, assistant: 2, tool: 0.6 } as const;

/**
 * What user or agent says that something *is* stands nowhere else, while a path that was worked on comes up again with
 * the next listing: such a fact weighs so much more, and fades no further than half.
 */
const statedFactor = 4;
const statedLasting = 1;

/** What tools print most and agents need least, and what costs twice as much with its label. */
const outputKinds: ReadonlySet<string> = new Set(['number', 'date', 'hash', 'uuid', 'version']);

/** Entries after which the worth of a mention has halved, down to the part that never fades. */
const halfLife = 60;
const lasting = 0.3;

/**
 * Adds what the entries name and say to a ledger: identifiers of every message, and the constraints, decisions,
 * corrections and errors of user and assistant as facts of their own kind; of a failing tool, the first line. Results
 * that bring back what was said before add nothing; see {@link isRecovered}.
 *
 * An entry counts once for each fact. The label is the words before the first mention that has some. As long as the
 * cap is not reached, merging in two steps gives what merging at once gives; beyond it the best by
 * `ledgerScore` stay.
 *
 * @param entries  Later than what `previous` was made of, in order.
 * @returns At most `limit` facts, by default 2 000, each text once, oldest use first.
 */
export function mergeLedger(
  previous: readonly LedgerFact[],
  entries: readonly MessageEntry[],
  { limit = maxFacts }: { readonly limit?: number } = {},
): readonly LedgerFact[] {
  const facts = new Map<string, Draft>();
  for (const fact of previous) facts.set(fact.text, { ...fact });
  for (const entry of entries) readEntry(entry, facts);
  return keepBest([...facts.values()], limit).sort(byLastUse);
}

/**
 * Worth of a fact for what comes next: who said it × the root of how often × how recently, seen from the entry
 * `newest`. Needs nothing but the fact, and no function whose last digit depends on the platform.
 */
export function ledgerScore(fact: LedgerFact, newest: Seq): number {
  const age = Math.max(0, newest - fact.lastSeq);
  const halvings = Math.floor(age / halfLife);
  const recency = (1 - (age - halvings * halfLife) / (2 * halfLife)) / 2 ** Math.min(halvings, 64);
  const weight = fact.by === 'tool' && outputKinds.has(fact.kind) ? weights.tool / 2 : weights[fact.by];
  if (fact.stated === true) return statedFactor * weight * Math.sqrt(fact.uses) * (statedLasting + recency);
  return weight * Math.sqrt(fact.uses) * (lasting + recency);
}

/** True for a fact that is a sentence, as what was decided or failed is; false for an identifier, which can be copied. */
export function isStatement({ kind }: LedgerFact): boolean {
  return statementKinds.has(kind);
}

/** The newest entry that a ledger knows of; 0 for an empty one. */
export function newestSeq(facts: readonly LedgerFact[]): Seq {
  return facts.reduce((newest, fact) => Math.max(newest, fact.lastSeq), 0);
}

/** Facts from best to worst; a total order, the same everywhere. */
export function rankFacts(facts: readonly LedgerFact[], scoreOf: (fact: LedgerFact) => number): LedgerFact[] {
  const scored = facts.map((fact) => ({ fact, score: scoreOf(fact) }));
  scored.sort((a, b) => b.score - a.score || b.fact.lastSeq - a.fact.lastSeq || compareText(a.fact, b.fact));
  return scored.map(({ fact }) => fact);
}

/** Orders facts by their last use, oldest first, then by their first, then by text. */
export function byLastUse(a: LedgerFact, b: LedgerFact): number {
  return a.lastSeq - b.lastSeq || a.firstSeq - b.firstSeq || compareText(a, b);
}

function compareText(a: LedgerFact, b: LedgerFact): number {
  if (a.text === b.text) return 0;
  return a.text < b.text ? -1 : 1;
}

type Draft = { -readonly [Name in keyof LedgerFact]: LedgerFact[Name] };

function keepBest(facts: Draft[], limit: number): LedgerFact[] {
  if (facts.length <= limit) return facts;
  const newest = newestSeq(facts);
  return rankFacts(facts, (fact) => ledgerScore(fact, newest)).slice(0, limit);
}

/** Who speaks in an entry. Whatever is neither the user's nor the model's own counts as a tool. */
function speakerOf(entry: MessageEntry): LedgerFact['by'] {
  if (isOfUser(entry)) return 'user';
  const { message, provenance } = entry;
  return message.role === 'assistant' && provenance.kind === 'model' ? 'assistant' : 'tool';
}

function readEntry(entry: MessageEntry, facts: Map<string, Draft>): void {
  const by = speakerOf(entry);
  const mention = (text: string, kind: string): Draft => {
    const known = facts.get(text);
    if (known !== undefined) return use(known, { seq: entry.seq, by });
    const fact: Draft = { kind, text, firstSeq: entry.seq, lastSeq: entry.seq, uses: 1, by };
    facts.set(text, fact);
    return fact;
  };
  for (const part of partsOfMessage(entry.message)) {
    if (isRecovered(part)) continue;
    const isSaid = part.type === 'text' && by !== 'tool';
    for (const text of textsToRead(part)) {
      scanIdentifiers(text, (identifier, kind, start) => {
        const fact = mention(identifier, kind);
        if (fact.label === undefined && labelledKinds.has(kind)) setLabel(fact, labelBefore(text, start));
        if (isSaid && isStatedAt(text, { start, end: start + identifier.length })) fact.stated = true;
      });
    }
    if (isSaid) {
      for (const { text, start } of statedNumbers(part.text)) {
        const label = labelBefore(part.text, start);
        if (label === '') continue;
        const fact = mention(text, 'number');
        setLabel(fact, label);
        fact.stated = true;
      }
      for (const { kind, text } of statementsOf(part.text, by)) mention(text, kind);
    } else if (part.type === 'tool-result' && isFailure(part.output)) {
      const line = errorLine(textOfOutput(part.output));
      if (line !== '') setLabel(mention(line, 'error'), part.toolName);
    }
  }
}

const threeDigits = /(?<![\w.,:/#$€£¥+-])\d{3}(?!\w|[.,:/-]\d)/g;

/** Numbers of three digits are everywhere, and kept only where somebody says that something is one: a port, a limit. */
function statedNumbers(text: string): readonly { readonly text: string; readonly start: number }[] {
  return [...text.matchAll(threeDigits)]
    .map((match) => ({ text: match[0], start: match.index }))
    .filter(({ start }) => isStatedAt(text, { start, end: start + 3 }));
}

function use(fact: Draft, { seq, by }: { readonly seq: Seq; readonly by: LedgerFact['by'] }): Draft {
  if (fact.lastSeq !== seq) fact.uses += 1;
  fact.firstSeq = Math.min(fact.firstSeq, seq);
  fact.lastSeq = Math.max(fact.lastSeq, seq);
  if (weights[by] > weights[fact.by]) fact.by = by;
  return fact;
}

function setLabel(fact: Draft, label: string): void {
  if (label !== '' && fact.label === undefined) fact.label = label;
}

/** The last words before an index, on the same line and behind the last bracket or separator. */
function labelBefore(text: string, index: number): string {
  const from = Math.max(0, index - maxLabelLength);
  const pieces = text.slice(from, index).split(/[\n\r\u2028\u2029]/);
  const line = pieces[pieces.length - 1] as string;
  const isCut = pieces.length === 1 && from > 0;
  const words = isCut ? line.slice(line.search(/\s|$/)) : line;
  const clause = words.split(/[^\p{L}\p{N}\s_.#@/-]+/u).findLast((piece) => /\p{L}/u.test(piece)) ?? '';
  const label = clause
    .trim()
    .split(/\s+/)
    .slice(-maxLabelWords)
    .join(' ')
    .replace(/^[-.#/]+ ?/, '');
  return saysNothing.test(label) ? '' : label;
}

/** Words that name nothing: `and it is 4471` has no label. */
const saysNothing =
  /^(?:(?:and|or|but|so|now|then|it|this|that|there|which|i|we|you|they|is|are|was|were|be|to|of|at|in|on|by|for|from|with|the|an?)(?: |$))+$/i;

/** The texts of a part in which identifiers are looked for. JSON is read as `key: value` lines, without its escapes. */
function textsToRead(part: MessagePart): readonly string[] {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return [part.text];
    case 'tool-call':
      return [linesOfJson(part.input)];
    case 'tool-result':
      return [textToRead(part.output)];
    case 'file':
      return part.filename === undefined ? [] : [part.filename];
    case 'image':
      return [];
  }
}

function textToRead(output: ToolOutput): string {
  return output.type === 'json' || output.type === 'error-json' ? linesOfJson(output.value) : textOfOutput(output);
}

/** The values of a JSON document in order, one a line with its key. Not recursive: documents may be nested deeply. */
function linesOfJson(root: JsonValue): string {
  const lines: string[] = [];
  const open: { readonly key: string; readonly value: JsonValue | undefined }[] = [{ key: '', value: root }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { key, value } = next;
    if (typeof value === 'object' && value !== null) {
      const children = Object.entries(value).map(([name, child]) => ({ key: name, value: child as JsonValue }));
      for (const child of children.reverse()) open.push(child);
    } else if (value !== undefined && value !== null) lines.push(`${key}: ${value}`);
  }
  return lines.join('\n');
}
