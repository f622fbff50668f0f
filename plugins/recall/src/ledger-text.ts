import { linesOf, type Tokens } from '@varve/core';
import type { RankedFact } from './rank-facts.ts';

/** What identifiers are chosen by. */
export interface LedgerTextOptions {
  readonly maxTokens: Tokens;
  /** Identifiers that the prompt shows already. */
  readonly visible: ReadonlySet<string>;
  countTokens(text: string): Tokens;
}

const separator = ' | ';

/** Identifiers that are nowhere visible, best first, on one line; as many as there is room for. */
export function ledgerText(facts: readonly RankedFact[], options: LedgerTextOptions): string {
  const { maxTokens, visible, countTokens } = options;
  const chosen: string[] = [];
  let left = maxTokens;
  for (const { fact } of facts) {
    if (left < 3) break;
    if (visible.has(fact.text)) continue;
    const shown = shownFact(fact);
    const cost = countTokens(shown) + 1;
    if (cost > left) continue;
    left -= cost;
    chosen.push(shown);
  }
  return chosen.join(separator);
}

function shownFact({ label, text }: RankedFact['fact']): string {
  const name = linesOf(text).join(' ');
  return label === undefined || label === '' ? name : `${linesOf(label).join(' ')} ${name}`;
}
