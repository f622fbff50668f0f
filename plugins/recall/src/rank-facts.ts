import type { LedgerFact, Seq } from '@varve/core';

/** A fact with its worth for what comes next. */
export interface RankedFact {
  readonly fact: LedgerFact;
  readonly score: number;
}

/** What a mention by each speaker weighs. */
const weights: Readonly<Record<LedgerFact['by'], number>> = { user: 3, assistant: 2, tool: 0.6 };

/** Entries after which the worth of a mention has halved, down to the part that never fades. */
const halfLife = 60;
const lasting = 0.3;

/** Kinds that are sentences, not something to copy. */
const sentenceKinds: ReadonlySet<string> = new Set(['constraint', 'decision', 'correction', 'error']);

/** Identifiers from best to worst: by who used them, how often, and how recently. A total order, the same everywhere. */
export function rankFacts(facts: readonly LedgerFact[]): readonly RankedFact[] {
  const newest = facts.reduce((seq, fact) => Math.max(seq, fact.lastSeq), 0);
  return facts
    .filter(({ kind }) => !sentenceKinds.has(kind))
    .map((fact) => ({ fact, score: scoreOf(fact, newest) }))
    .sort((a, b) => b.score - a.score || b.fact.lastSeq - a.fact.lastSeq || (a.fact.text < b.fact.text ? -1 : 1));
}

function scoreOf({ by, uses, lastSeq }: LedgerFact, newest: Seq): number {
  const age = newest - lastSeq;
  const halvings = Math.floor(age / halfLife);
  // Straight between two halvings: no power whose last digit depends on the platform.
  const recency = (1 - (age - halvings * halfLife) / (2 * halfLife)) / 2 ** Math.min(halvings, 64);
  return weights[by] * Math.sqrt(uses) * (lasting + recency);
}
