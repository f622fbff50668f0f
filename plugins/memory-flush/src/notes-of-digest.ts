import { type LedgerFact, type MessageEntry, mergeLedger } from '@varve/core';
import type { NoteLine, Sources } from './note-line.ts';

/** Kinds of facts that are sentences: what somebody decided, demanded or put right. */
const statementKinds: ReadonlySet<string> = new Set(['decision', 'constraint', 'correction']);

/** Most facts that are written down at once. */
const mostFacts = 40;

/**
 * What the digest would keep of entries as new facts: what was decided, demanded and put right, and what somebody said
 * that something is. Needs no model.
 *
 * @param known  Facts of the digest before; they have been written down when they were new.
 */
export function notesOfDigest(
  entries: readonly MessageEntry[],
  { known, sources }: { readonly known: readonly LedgerFact[]; readonly sources: Sources },
): readonly NoteLine[] {
  const before = new Set(known.map(({ text }) => text));
  const facts = mergeLedger(
    [],
    entries.filter((entry) => entry.forgotten === undefined),
  ).filter(
    (fact) => fact.by !== 'tool' && !before.has(fact.text) && (statementKinds.has(fact.kind) || fact.stated === true),
  );
  // Of too many, sentences say more than names do, and newer ones more than older ones.
  const chosen = [...facts.filter(isName), ...facts.filter((fact) => !isName(fact))].slice(-mostFacts);
  return facts
    .filter((fact) => chosen.includes(fact))
    .map((fact) => ({ text: textOf(fact), from: fromOf(fact, sources) }));
}

function isName({ kind }: LedgerFact): boolean {
  return !statementKinds.has(kind);
}

function textOf({ kind, text, label }: LedgerFact): string {
  if (statementKinds.has(kind)) return text;
  return label === undefined ? text : `${label}: ${text}`;
}

function fromOf({ by, firstSeq }: LedgerFact, sources: Sources): NoteLine['from'] {
  return by === 'assistant' ? 'model' : (sources.get(firstSeq) ?? 'other');
}
