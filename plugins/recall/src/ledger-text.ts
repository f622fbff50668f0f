import { linesOf, type Tokens } from '@varve/core';
import type { DatedPassage, PassageReader } from './passage-reader.ts';
import type { RankedFact } from './rank-facts.ts';

/** What identifiers are chosen by. */
export interface LedgerTextOptions {
  readonly maxTokens: Tokens;
  /** Identifiers that the prompt shows already. */
  readonly visible: ReadonlySet<string>;
  readonly reader: PassageReader;
  countTokens(text: string): Tokens;
}

const separator = ' | ';

/** What an identifier costs at least, with its separator. */
const leastTokens: Tokens = 3;

/**
 * Identifiers that are nowhere visible, best first, on one line; as many as there is room for. An entry that says nothing
 * any more vouches for none: another host may have made it forget, and the index does not know.
 */
export async function ledgerText(facts: readonly RankedFact[], options: LedgerTextOptions): Promise<string> {
  const { maxTokens, visible, reader, countTokens } = options;
  const wanted = facts.filter(({ fact }) => !visible.has(fact.text)).slice(0, Math.ceil(maxTokens / leastTokens));
  const passages = await reader.read(wanted.map(({ fact }) => fact.lastSeq));
  const chosen: string[] = [];
  let left = maxTokens;
  for (const { fact } of wanted) {
    if (left < leastTokens) break;
    const said = passages.get(fact.lastSeq) ?? [];
    if (said.length === 0) continue;
    const shown = shownFact(fact, said);
    const cost = countTokens(shown) + 1;
    if (cost > left) continue;
    left -= cost;
    chosen.push(shown);
  }
  return chosen.join(separator);
}

/** An identifier, behind its label where that stands in the entry, too. */
function shownFact({ label = '', text }: RankedFact['fact'], said: readonly DatedPassage[]): string {
  const name = linesOf(text).join(' ');
  const words = linesOf(label).join(' ');
  const isLabelled = words !== '' && said.some(({ lines }) => lines.some((line) => line.includes(words)));
  return isLabelled ? `${words} ${name}` : name;
}
