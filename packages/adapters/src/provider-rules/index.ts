import { anthropicRules } from './anthropic/anthropic-rules.ts';
import { geminiRules } from './gemini/gemini-rules.ts';
import { openaiChatRules } from './openai-chat/openai-chat-rules.ts';
import { openaiResponsesRules } from './openai-responses/openai-responses-rules.ts';
import { type ProviderRule, type RuleViolation, violationsOf } from './provider-rule.ts';

export type { ProviderRule, RuleFinding, RuleProvider, RuleViolation } from './provider-rule.ts';

/** All rules, each with a body that breaks it and no other. */
export const providerRules: readonly ProviderRule[] = [
  ...anthropicRules,
  ...openaiChatRules,
  ...openaiResponsesRules,
  ...geminiRules,
];

/** What Anthropic's Messages API would refuse in a body; empty for a body that it takes. Total for any JSON. */
export function checkAnthropicRequest(body: unknown): readonly RuleViolation[] {
  return violationsOf(anthropicRules, body);
}

/** What the Chat Completions API would refuse in a body; empty for a body that it takes. Total for any JSON. */
export function checkOpenAIChatRequest(body: unknown): readonly RuleViolation[] {
  return violationsOf(openaiChatRules, body);
}

/** What OpenAI's Responses API would refuse in a body; empty for a body that it takes. Total for any JSON. */
export function checkOpenAIResponsesRequest(body: unknown): readonly RuleViolation[] {
  return violationsOf(openaiResponsesRules, body);
}

/** What Gemini's `generateContent` would refuse in a body; empty for a body that it takes. Total for any JSON. */
export function checkGeminiRequest(body: unknown): readonly RuleViolation[] {
  return violationsOf(geminiRules, body);
}
