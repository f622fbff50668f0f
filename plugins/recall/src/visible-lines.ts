import { type Draft, extractIdentifiers, linesOf, type Message, type Seq, textsOfMessage } from '@varve/core';

/** What a model can already read in a prompt. */
export interface VisibleLines {
  /** Whether a line of an entry stands in the prompt. */
  has(line: string, seq: Seq): boolean;
  /** Identifiers in the messages, and in all texts of the prompt. */
  conversationNames(): ReadonlySet<string>;
  allNames(): ReadonlySet<string>;
}

/** Shorter lines say nothing by themselves: a closing bracket need not be recalled. */
const leastCharacters = 4;

/** Lines of a message, which never changes. */
const linesOfMessages = new WeakMap<Message, readonly string[]>();

/** Reads what a draft shows: messages, layers and notes. */
export function visibleLines(draft: Draft): VisibleLines {
  const lines = new Set<string>();
  const whole = new Set<Seq>();
  // Where a line may stand inside a longer one: layers, notes, and messages that are not shown as they were.
  const others: string[] = draft.layers.map((layer) => layer.text).filter((text) => text !== '');
  for (const { message, seq } of draft.items) {
    for (const line of linesOfMessage(message)) lines.add(line);
    if (seq !== null && draft.verdictOf(seq).kind === 'kept') whole.add(seq);
    else others.push(...textsOfMessage(message));
  }
  const beside = others.join('\n');
  return {
    has: (line, seq) => line.length < leastCharacters || whole.has(seq) || lines.has(line) || beside.includes(line),
    conversationNames: () => namesOfItems(draft),
    allNames: () => new Set([...namesOfItems(draft), ...draft.layers.flatMap(({ text }) => [...namesOf(text)])]),
  };
}

function linesOfMessage(message: Message): readonly string[] {
  const known = linesOfMessages.get(message) ?? textsOfMessage(message).flatMap(linesOf);
  linesOfMessages.set(message, known);
  return known;
}

/** Identifiers of a message, which never changes. */
const namesOfMessages = new WeakMap<Message, ReadonlySet<string>>();

function namesOfItems({ items }: Draft): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { message } of items) {
    const known =
      namesOfMessages.get(message) ?? new Set(textsOfMessage(message).flatMap((text) => [...namesOf(text)]));
    namesOfMessages.set(message, known);
    for (const name of known) names.add(name);
  }
  return names;
}

/** The identifiers of a text. */
export function namesOf(text: string): Iterable<string> {
  return extractIdentifiers(text).keys();
}
