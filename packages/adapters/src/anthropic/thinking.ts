import type { ToolChoice } from '../tool-choice.ts';
import type { AnthropicBlock, AnthropicMessage, AnthropicThinking } from './request.ts';

/** True for reasoning, visible or sealed. */
export function isThinking(block: AnthropicBlock): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}

/** What decides whether a body may ask for thinking. */
interface ThinkingConditions {
  readonly thinking?: AnthropicThinking | undefined;
  readonly toolChoice?: ToolChoice | undefined;
  readonly maxTokens: number;
}

/** The wish for thinking, or nothing when the API would refuse the body because of it. */
export function acceptedThinking(
  messages: readonly AnthropicMessage[],
  { thinking, toolChoice, maxTokens }: ThinkingConditions,
): AnthropicThinking | undefined {
  if (thinking === undefined || thinking.type === 'disabled') return thinking;
  const forced = toolChoice === 'required' || typeof toolChoice === 'object';
  if (forced || messages.at(-1)?.role === 'assistant') return undefined;
  if (thinking.type === 'adaptive') return thinking;
  return thinking.budget_tokens < maxTokens && beganWithThinking(messages) ? thinking : undefined;
}

/** A run of tools that is still going must have begun with thinking. */
function beganWithThinking(messages: readonly AnthropicMessage[]): boolean {
  const spoken = messages.findLastIndex(
    ({ role, content }) => role === 'user' && !content.some(({ type }) => type === 'tool_result'),
  );
  const first = messages.slice(spoken + 1).find(({ role }) => role === 'assistant')?.content;
  if (first === undefined || !first.some(({ type }) => type === 'tool_use')) return true;
  return first[0] !== undefined && isThinking(first[0]);
}
