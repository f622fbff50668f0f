import { extractIdentifiers } from '@varve/core';
import type { ModelScript } from '../exchange/model-outcome.ts';
import type { SeenConversation } from '../exchange/served-request.ts';

/** How a summary is written. */
export interface SummariserOptions {
  /** Share of the identifiers that it names, oldest first: 0 to 1. @default 1 */
  readonly keeps?: number;
  /** Most sentences of the conversation that it repeats. @default 6 */
  readonly sentences?: number;
}

/**
 * A model that makes prose of what it is given: some of its sentences, from all over the text, and the identifiers in
 * them. What it drops stands nowhere in the answer, as with a model that was careless.
 */
export function summariser({ keeps = 1, sentences = 6 }: SummariserOptions = {}): ModelScript {
  return ({ conversation }) => {
    const given = givenText(conversation);
    const all = [...extractIdentifiers(given).keys()];
    const kept = all.slice(0, Math.ceil(all.length * keeps));
    const dropped = all.slice(kept.length);
    const said = spread(sentencesOf(given), sentences).join(' ');
    const named = kept.length === 0 ? '' : ` Named were ${kept.join(', ')}.`;
    const free = dropped
      .sort((a, b) => b.length - a.length)
      .reduce((text, name) => text.split(name).join('it'), `They spoke about this: ${said}`);
    return `${free}${named}`;
  };
}

/** What the user's side says, and results of tools. */
function givenText({ messages }: SeenConversation): string {
  return messages
    .filter(({ role }) => role === 'user')
    .flatMap(({ text, results }) => [text, ...results.map((result) => result.text)])
    .join('\n');
}

function sentencesOf(text: string): readonly string[] {
  return text
    .split(/\n+|(?<=[.!?。！？])\s+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.length > 20 && sentence.length < 400);
}

/** So many elements, from all over a list. */
function spread(list: readonly string[], count: number): readonly string[] {
  if (list.length <= count) return list;
  return Array.from({ length: count }, (_, index) => list[Math.floor((index * list.length) / count)] ?? '');
}
