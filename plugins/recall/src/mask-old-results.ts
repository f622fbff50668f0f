import type { Draft } from '@varve/core';

/** Results from this many assistant messages before the end on stay whole. */
const keptAnswers = 2;

/** Shorter results are not worth a note. */
const leastCharacters = 80;

/** Puts a note in place of tool results that are older than two assistant messages, in this prompt alone. */
export function maskOldResults(draft: Draft): Draft {
  const answers = draft.items.flatMap(({ message }, place) => (message.role === 'assistant' ? [place] : []));
  const end = answers.at(-keptAnswers) ?? 0;
  const old = new Set(draft.items.slice(0, end));
  return draft.edit(
    ({ item, kind, text }) => {
      if (kind !== 'tool-result' || !old.has(item) || text.length < leastCharacters) return undefined;
      return `[${text.split('\n').length} lines left out; the whole is in #${item.seq}]`;
    },
    { rule: 'mask-old-result', clears: true },
  );
}
