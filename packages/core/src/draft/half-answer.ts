import { type Message, toolCallsOfMessage } from '../message.ts';

/**
 * True for what came of an answer before it was aborted or failed, unless it calls tools: their results go on from it.
 * It answers nothing, so all before it is still to be answered: see decision 16.
 */
export function isHalfAnswer(message: Message): boolean {
  if (message.role !== 'assistant' || (message.stop !== 'aborted' && message.stop !== 'error')) return false;
  return toolCallsOfMessage(message).length === 0;
}

/** True for an answer that stands as it is, whole or cut off at its length. */
export function isAnswer(message: Message): boolean {
  return message.role === 'assistant' && !isHalfAnswer(message);
}
