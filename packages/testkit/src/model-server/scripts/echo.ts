import type { ModelScript } from '../exchange/model-outcome.ts';

/** Answers with what the user said last; an empty answer when nothing was said. */
export function echo(): ModelScript {
  return ({ conversation: { messages } }) =>
    messages.findLast(({ role, text }) => role === 'user' && text !== '')?.text ?? '';
}
