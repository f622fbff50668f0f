import type { JsonValue } from '@varve/core';
import { type ConversationFormat, listWith } from './conversation-format.ts';
import { arrayAt, filledStringAt, isObject, stringAt } from './json-guards.ts';
import { isMessage } from './message-dialect.ts';
import { asObservations } from './observation.ts';
import { openAiMessageReader, sourceOf } from './openai-messages.ts';

/** How OpenHands, and SWE-smith after it, begin most of what they tell the model about an action. */
const observation = /^(?:OBSERVATION:|EXECUTION RESULT of \[)/;

/**
 * Conversations of OpenHands and SWE-smith in which the model calls functions within its text, `<function=name>`. The
 * text stays text; the user's message behind it is an observation.
 */
export const textActions: ConversationFormat = {
  id: 'text-actions',
  recognises(conversation) {
    const messages = listWith(conversation, 'messages', isMessage);
    return messages.some((value, index) => {
      return isAction(messages[index - 1]) && observation.test(textOf(value, 'user') ?? '');
    });
  },
  records(conversation, { line }) {
    const messages = arrayAt(conversation, 'messages');
    const read = openAiMessageReader({ model: filledStringAt(conversation, 'model') });
    return messages.flatMap((value, index) => {
      const records = read(sourceOf(value, { index, line }));
      return isAction(messages[index - 1]) ? asObservations(records) : records;
    });
  },
};

function isAction(value: JsonValue | undefined): boolean {
  return textOf(value, 'assistant')?.includes('<function=') === true;
}

function textOf(value: JsonValue | undefined, role: string): string | undefined {
  return isObject(value) && stringAt(value, 'role') === role ? stringAt(value, 'content') : undefined;
}
