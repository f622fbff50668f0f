import { type Draft, type Item, type LexicalQuery, type Message, partsOfMessage, textOfOutput } from '@varve/core';

/** Longest text that is looked for, in characters: more of it says nothing new about what is asked. */
const mostCharacters = 4_000;
const mostOfAnswer = 1_500;

/** Of a result, so much of its beginning and of its end. */
const mostOfResult = 600;

/** What the assistant's message before the last one, and the newest results, count beside the user's words. */
const besideWeight = 0.5;
const newestResults = 3;

/**
 * What to look for: what the caller asks about, if it said so; else what the user said last, with what the assistant said
 * and called since, and what tools answered. Empty when there is nothing.
 */
export function recallQuery(draft: Draft, query: string | null): LexicalQuery {
  if (query !== null && query.trim() !== '') return query.slice(0, mostCharacters);
  const items = draft.items.filter(({ note }) => note === null);
  const user = items.findLast(({ said }) => said);
  const [last, before] = items.filter(({ message }) => message.role === 'assistant').toReversed();
  const results = items.slice(-newestResults).filter(({ message }) => message.role === 'tool');
  return [
    ...weighted(user, 1, (message) => textOf(message).slice(0, mostCharacters)),
    ...weighted(last, 1, (message) => textOf(message).slice(0, mostOfAnswer)),
    ...weighted(before, besideWeight, (message) => textOf(message).slice(0, mostOfAnswer)),
    ...results.flatMap((item) => weighted(item, besideWeight, (message) => bothEnds(textOf(message)))),
  ];
}

/** A text of the query, when there is such an item. */
function weighted(item: Item | undefined, weight: number, text: (message: Message) => string): Weighted[] {
  return item === undefined ? [] : [{ text: text(item.message), weight }];
}

interface Weighted {
  readonly text: string;
  readonly weight: number;
}

function bothEnds(text: string): string {
  if (text.length <= 2 * mostOfResult) return text;
  return `${text.slice(0, mostOfResult)}\n${text.slice(-mostOfResult)}`;
}

/** What a message says without what it thinks: texts, calls with their arguments, results. */
function textOf(message: Message): string {
  return partsOfMessage(message)
    .map((part) => {
      if (part.type === 'text') return part.text;
      if (part.type === 'tool-call') return `${part.toolName} ${JSON.stringify(part.input)}`;
      return part.type === 'tool-result' ? textOfOutput(part.output) : '';
    })
    .join('\n');
}
