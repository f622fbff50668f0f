import { createTokenCounter, type Message, type TokenCounter } from '@varve/core';

/** Counts words, so that sizes are exact: a message takes 4 more. */
export const wordCounter: TokenCounter = createTokenCounter(
  'words',
  (text) => text.split(/\s+/).filter((word) => word !== '').length,
);

/** A message of the user. */
export function user(content: string): Message {
  return { role: 'user', content };
}

/** An answer of the model. */
export function assistant(content: string): Message {
  return { role: 'assistant', content };
}

/** An answer that calls a tool once for each id. */
export function calls(...ids: readonly string[]): Message {
  return {
    role: 'assistant',
    content: ids.map((toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 'read', input: { id: toolCallId } })),
  };
}

/** The result of a call. */
export function result(toolCallId: string, value = `result of ${toolCallId}`): Message {
  const output = { type: 'text', value } as const;
  return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName: 'read', output }] };
}

/** A text of that many words that begins with a name. */
export function words(name: string, count: number): string {
  return `${name} ${'clay '.repeat(count)}`.trim();
}

/** Questions with their answers, of that many words each. */
export function exchanges(name: string, count: number, size = 20): readonly Message[] {
  return Array.from({ length: count }, (_, n) => [
    user(words(`${name} question ${n}`, size)),
    assistant(words(`${name} answer ${n}`, size)),
  ]).flat();
}

/** All that a prompt or request says, as one text. */
export function textOf({ messages }: { readonly messages: readonly Message[] }): string {
  return JSON.stringify(messages);
}
