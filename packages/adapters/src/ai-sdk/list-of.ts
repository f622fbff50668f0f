import type { Message } from '@varve/core';
import type { ListedMessage } from '../message-list/listed-message.ts';
import { fromAiSdk } from './from-ai-sdk.ts';
import type { AiSdkMessage } from './messages.ts';

/** The messages of a host as a session follows them. An answer to a question of a provider is nobody's words. */
export function listOf(messages: readonly AiSdkMessage[]): readonly ListedMessage[] {
  return fromAiSdk(messages).map((message): ListedMessage => {
    return saysNothing(message) ? { message, provenance: { kind: 'system-event' } } : { message };
  });
}

function saysNothing({ role, content }: Message): boolean {
  if (role !== 'user' || typeof content === 'string') return false;
  return content.length > 0 && content.every((part) => part.type === 'text' && part.text === '');
}
