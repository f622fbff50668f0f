import { isStatement, type LedgerFact, ledgerScore } from '@varve/core';

/** A fact with its worth for what comes next. */
export interface RankedFact {
  readonly fact: LedgerFact;
  readonly score: number;
}

/** Identifiers from best to worst: by who used them, how often, and how recently. A total order, the same everywhere. */
export function rankFacts(facts: readonly LedgerFact[]): readonly RankedFact[] {
  const newest = facts.reduce((seq, fact) => Math.max(seq, fact.lastSeq), 0);
  return facts
    .filter((fact) => !isStatement(fact))
    .map((fact) => ({ fact, score: ledgerScore(fact, newest) }))
    .sort((a, b) => b.score - a.score || b.fact.lastSeq - a.fact.lastSeq || (a.fact.text < b.fact.text ? -1 : 1));
}
