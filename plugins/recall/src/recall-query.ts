import {
  type Draft,
  extractIdentifiers,
  type Item,
  type LexicalQuery,
  type Message,
  partsOfMessage,
} from '@varve/core';

/** Longest text that is looked for, in characters: more of it says nothing new about what is asked. */
const mostCharacters = 4_000;
const mostOfAnswer = 1_500;

/** What the assistant's message before the last one counts beside the user's words. */
const besideWeight = 0.5;

/** What a query is made from. */
export interface QueryOptions {
  /** What the caller asks about; `null`: nothing that it said. */
  readonly asked: string | null;
  /** See the options of the plugin. */
  readonly weights: { readonly identifiers: number };
}

/**
 * What to look for: what the caller asks about, else what the user said last; and while tools are called for it, or where
 * nobody asks, with what the assistant said and called. What tools just answered asks for nothing: with it, fewer of the
 * lines that agents needed next were found. Empty when there is nothing.
 */
export function recallQuery(draft: Draft, { asked, weights }: QueryOptions): LexicalQuery {
  const query = plainQuery(draft, asked);
  return weights.identifiers === 1 ? query : query.flatMap((part) => weighedApart(part, weights.identifiers));
}

function plainQuery(draft: Draft, asked: string | null): readonly Weighted[] {
  const items = saidItems(draft);
  const question = asked === null || asked.trim() === '' ? null : { text: asked.slice(0, mostCharacters), weight: 1 };
  if (question !== null && !isWorking(draft)) return [question];
  const user = items.findLast(({ said }) => said);
  const [last, before] = items.filter(({ message }) => message.role === 'assistant').toReversed();
  return [
    ...(question === null ? weighted(user, 1, (message) => textOf(message).slice(0, mostCharacters)) : [question]),
    ...weighted(last, 1, (message) => textOf(message).slice(0, mostOfAnswer)),
    ...weighted(before, besideWeight, (message) => textOf(message).slice(0, mostOfAnswer)),
  ];
}

/** True while tools are called: the newest message is what one of them answered. */
export function isWorking(draft: Draft): boolean {
  return saidItems(draft).at(-1)?.message.role === 'tool';
}

function saidItems({ items }: Draft): readonly Item[] {
  return items.filter(({ note }) => note === null);
}

/** A text of the query, when there is such an item. */
function weighted(item: Item | undefined, weight: number, text: (message: Message) => string): Weighted[] {
  return item === undefined ? [] : [{ text: text(item.message), weight }];
}

interface Weighted {
  readonly text: string;
  readonly weight: number;
}

/** The identifiers of a text in a text of their own, which counts so many times as much as the rest. */
function weighedApart({ text, weight }: Weighted, factor: number): readonly Weighted[] {
  const names = [...extractIdentifiers(text).keys()];
  if (names.length === 0) return [{ text, weight }];
  const rest = names.reduce((left, name) => left.replaceAll(name, ' '), text);
  return [
    { text: rest, weight },
    { text: names.join('\n'), weight: weight * factor },
  ];
}

/** What a message says without what it thinks: texts, and calls with their arguments. */
function textOf(message: Message): string {
  return partsOfMessage(message)
    .map((part) => {
      if (part.type === 'text') return part.text;
      return part.type === 'tool-call' ? `${part.toolName} ${JSON.stringify(part.input)}` : '';
    })
    .join('\n');
}
