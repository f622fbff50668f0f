import type { SeenMessage } from '../exchange/served-request.ts';

/** Joins what one side says in several pieces: words and calls of the model, and results that stand together. */
export function joinMessages(messages: readonly SeenMessage[]): readonly SeenMessage[] {
  const joined: SeenMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (last === undefined || !areOne(last, message)) joined.push(message);
    else joined[joined.length - 1] = join(last, message);
  }
  return joined;
}

function areOne(before: SeenMessage, message: SeenMessage): boolean {
  if (before.role === 'assistant' && message.role === 'assistant') return true;
  return before.results.length > 0 && message.results.length > 0;
}

function join(before: SeenMessage, { text, calls, results, images }: SeenMessage): SeenMessage {
  return {
    role: before.role,
    text: [before.text, text].filter((one) => one !== '').join('\n'),
    calls: [...before.calls, ...calls],
    results: [...before.results, ...results],
    images: before.images + images,
  };
}
