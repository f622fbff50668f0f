import { toAnthropic } from '@varve/adapters/anthropic';
import { toOpenAIChat, toOpenAIResponses } from '@varve/adapters/openai';
import {
  checkAnthropicRequest,
  checkGeminiRequest,
  checkOpenAIChatRequest,
  checkOpenAIResponsesRequest,
  type RuleViolation,
} from '@varve/adapters/provider-rules';
import type { Prompt, ToolDefinition } from '@varve/core';
import type { ProviderName } from '../factors.ts';
import type { Observation, Violation } from '../oracle/observation.ts';
import { geminiBody } from './gemini-body.ts';

/** How a provider is talked to. */
interface ProviderApi {
  /** The model that bodies name. */
  readonly model: string;
  body(prompt: Prompt, options: { readonly model: string; readonly tools: readonly ToolDefinition[] }): unknown;
  check(body: unknown): readonly RuleViolation[];
}

const apis: Readonly<Record<ProviderName, ProviderApi>> = {
  anthropic: { model: 'claude-sonnet-4-5', body: toAnthropic, check: checkAnthropicRequest },
  'openai-chat': { model: 'gpt-4.1', body: toOpenAIChat, check: checkOpenAIChatRequest },
  'openai-responses': { model: 'gpt-5', body: toOpenAIResponses, check: checkOpenAIResponsesRequest },
  gemini: { model: 'gemini-2.5-pro', body: geminiBody, check: checkGeminiRequest },
};

/** The body that a prompt is sent in. */
export function bodyFor(
  provider: ProviderName,
  { prompt, tools }: { readonly prompt: Prompt; readonly tools: readonly ToolDefinition[] },
): unknown {
  const { model, body } = apis[provider];
  return body(prompt, { model, tools });
}

/** What the providers would refuse of all that was sent. */
export function refusalsOf({ events }: Observation): readonly Violation[] {
  return events.flatMap((event): readonly Violation[] => {
    if (event.kind !== 'body') return [];
    const refusals = apis[event.provider].check(event.body);
    return refusals.map(({ rule, path, text }) => {
      const what = `${event.provider} refuses ${path}: ${text} (${rule})`;
      return { rule: 'provider', op: event.op, what };
    });
  });
}
