import { toAnthropic } from '@varve/adapters/anthropic';
import { toOpenAIChat, toOpenAIResponses } from '@varve/adapters/openai';
import {
  checkAnthropicRequest,
  checkOpenAIChatRequest,
  checkOpenAIResponsesRequest,
} from '@varve/adapters/provider-rules';
import type { Message, ModelRequest } from '@varve/core';

/** What is wrong with the messages themselves, and what any provider would refuse of them; empty for a good request. */
export function requestFaults({ prompt }: Pick<ModelRequest, 'prompt'>): readonly string[] {
  const named = (provider: string, violations: readonly unknown[]): readonly string[] =>
    violations.map((violation) => `${provider}: ${JSON.stringify(violation)}`);
  return [
    ...pairFaults(prompt.messages),
    ...named('Messages API', checkAnthropicRequest(toAnthropic(prompt, { model: 'm' }))),
    ...named('Chat Completions API', checkOpenAIChatRequest(toOpenAIChat(prompt, { model: 'm' }))),
    ...named('Responses API', checkOpenAIResponsesRequest(toOpenAIResponses(prompt, { model: 'm' }))),
  ];
}

/** Calls without a result right behind them, and results without a call, in messages as core makes them. */
function pairFaults(messages: readonly Message[]): readonly string[] {
  const faults: string[] = [];
  let open = new Set<string>();
  for (const message of messages) {
    if (message.role === 'tool') {
      for (const { toolCallId } of message.content) {
        if (!open.delete(toolCallId)) faults.push(`The result of "${toolCallId}" has no call.`);
      }
      continue;
    }
    faults.push(...unanswered(open));
    const parts = message.role === 'assistant' && typeof message.content !== 'string' ? message.content : [];
    open = new Set(parts.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : [])));
  }
  return [...faults, ...unanswered(open)];
}

function unanswered(open: ReadonlySet<string>): readonly string[] {
  return [...open].map((id) => `The call "${id}" has no result.`);
}
