import { type LedgerFact, type MessageEntry, mergeLedger, partsOfMessage, type Seq } from '@varve/core';
import type { NoteLine, NotesFound, Sources } from './note-line.ts';

/** Kinds of facts that are sentences: what somebody decided, demanded or put right. */
const statementKinds: ReadonlySet<string> = new Set(['decision', 'constraint', 'correction']);

/** Facts that are written down at once; those behind them are left to the next flush. */
const mostFacts = 200;

/**
 * What the digest would keep of entries as new facts, the oldest first: what was decided, demanded and put right, and
 * what somebody said that something is. Needs no model.
 *
 * @param known  Facts that have been written down already.
 */
export function notesOfDigest(
  entries: readonly MessageEntry[],
  { known, sources }: { readonly known: readonly LedgerFact[]; readonly sources: Sources },
): NotesFound {
  const before = new Set(known.map(({ text }) => text));
  const facts = mergeLedger(
    [],
    entries.filter((entry) => entry.forgotten === undefined),
  )
    .filter(
      (fact) => fact.by !== 'tool' && !before.has(fact.text) && (statementKinds.has(fact.kind) || fact.stated === true),
    )
    .toSorted((a, b) => a.firstSeq - b.firstSeq);
  const toSeq = endOf(facts);
  const saidIn = new Map(entries.map((entry) => [entry.seq, entry]));
  const lines = facts
    .filter(({ firstSeq }) => toSeq === null || firstSeq <= toSeq)
    .map((fact) => ({ text: textOf(fact), from: fromOf(fact, { sources, entry: saidIn.get(fact.firstSeq) }) }));
  return { lines, toSeq };
}

/** The last entry whose facts are written down at once; `null` for all. Never less than one entry. */
function endOf(facts: readonly LedgerFact[]): Seq | null {
  const [first, next] = [facts[0], facts[mostFacts]];
  if (first === undefined || next === undefined) return null;
  return Math.max(first.firstSeq, next.firstSeq - 1);
}

function textOf({ kind, text, label }: LedgerFact): string {
  if (statementKinds.has(kind)) return text;
  return label === undefined ? text : `${label}: ${text}`;
}

/** Whose words a fact is. The owner's only where all of it stands in one message: a label may come from elsewhere. */
function fromOf(
  { by, firstSeq, label, kind }: LedgerFact,
  { sources, entry }: { readonly sources: Sources; readonly entry: MessageEntry | undefined },
): NoteLine['from'] {
  const source = sources.get(firstSeq) ?? 'other';
  if (by === 'assistant') return source === 'other' ? 'other' : 'model';
  if (source !== 'owner' || label === undefined || statementKinds.has(kind)) return source;
  const parts = entry === undefined ? [] : partsOfMessage(entry.message);
  const said = parts.flatMap((part) => (part.type === 'text' ? [part.text.replace(/\s+/g, ' ')] : []));
  return said.some((text) => text.includes(label)) ? source : 'other';
}
