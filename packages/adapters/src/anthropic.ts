import type { Message, Prompt } from '@varve/core';
import { type Placed, placedBlocks } from './anthropic-blocks.ts';
import type {
  AnthropicBlock,
  AnthropicCacheControl,
  AnthropicMessage,
  AnthropicRequest,
  AnthropicTextBlock,
} from './anthropic-request.ts';
import { toWellFormed } from './well-formed.ts';

export type {
  AnthropicBlock,
  AnthropicCacheControl,
  AnthropicDocumentBlock,
  AnthropicImageBlock,
  AnthropicMessage,
  AnthropicRedactedThinkingBlock,
  AnthropicRequest,
  AnthropicTextBlock,
  AnthropicThinkingBlock,
  AnthropicToolResultBlock,
  AnthropicToolUseBlock,
} from './anthropic-request.ts';

/** Options of {@link toAnthropic}. */
export interface ToAnthropicOptions {
  /** Name of the model, as Anthropic's Messages API knows it. */
  readonly model: string;
  /** Upper bound of the answer, in tokens. @default 4096 */
  readonly maxTokens?: number;
  /** How long the provider keeps what is marked, or `none` for no marks. @default '5m' */
  readonly cache?: '5m' | '1h' | 'none';
}

/** What stands in front when a conversation does not begin with the user's side, or holds nothing that can be sent. */
const openingText = '[The conversation begins here.]';

/**
 * Turns a prompt into the exact body of one call of Anthropic's Messages API.
 *
 * Pure, and total for every prompt that core makes: the roles alternate and begin with `user`, results of tools stand
 * first in the message after their calls, no block is empty, and ids and names of tools use the characters that the
 * provider accepts. Reasoning is sent only with its signature (`providerOptions.anthropic.signature`) or as redacted
 * data (`providerOptions.anthropic.redactedData`). At most two cache marks are set, where `prompt.marks` says: on a
 * block of the system prompt, and on the last block of the stable messages that can carry one.
 *
 * What the API cannot carry (a sound, a table file) is named in a text, not sent.
 */
export function toAnthropic(
  prompt: Pick<Prompt, 'system' | 'messages' | 'marks'>,
  { model, maxTokens = 4096, cache = '5m' }: ToAnthropicOptions,
): AnthropicRequest {
  const mark = cacheMark(cache);
  const system = systemBlocks(prompt, mark);
  const turns = withOpening(withoutTrailingThinking(turnsOf(prompt.messages)));
  const messages = markStable(turns, { mark, afterStable: prompt.marks.afterStable });
  return { model, max_tokens: maxTokens, ...(system.length > 0 ? { system } : {}), messages };
}

/** Neighbouring messages of one role, as one. */
interface Turn {
  readonly role: AnthropicMessage['role'];
  readonly placed: readonly Placed[];
}

function cacheMark(cache: '5m' | '1h' | 'none'): AnthropicCacheControl | null {
  if (cache === 'none') return null;
  return cache === '1h' ? { type: 'ephemeral', ttl: '1h' } : { type: 'ephemeral' };
}

function systemBlocks(
  { system, marks }: Pick<Prompt, 'system' | 'marks'>,
  mark: AnthropicCacheControl | null,
): AnthropicTextBlock[] {
  const filled = system.map(({ text }, index) => ({ text, index })).filter(({ text }) => text.trim() !== '');
  const marked = filled.findLast(({ index }) => index < marks.afterSystem);
  return filled.map((block) => ({
    type: 'text',
    text: toWellFormed(block.text),
    ...(mark !== null && block === marked ? { cache_control: mark } : {}),
  }));
}

function turnsOf(messages: readonly Message[]): Turn[] {
  const turns = messages.map((message, index): Turn => {
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    return { role, placed: placedBlocks(message, index) };
  });
  return mergeNeighbours(turns).map(({ role, placed }) => ({ role, placed: resultsFirst(placed) }));
}

/** Leaves turns without blocks out, so that their neighbours meet, and joins those of one role. */
function mergeNeighbours(turns: readonly Turn[]): Turn[] {
  const merged: { role: Turn['role']; placed: Placed[] }[] = [];
  for (const { role, placed } of turns) {
    if (placed.length === 0) continue;
    const last = merged.at(-1);
    if (last?.role === role) last.placed.push(...placed);
    else merged.push({ role, placed: [...placed] });
  }
  return merged;
}

function resultsFirst(placed: readonly Placed[]): readonly Placed[] {
  const isResult = ({ block }: Placed) => block.type === 'tool_result';
  return [...placed.filter(isResult), ...placed.filter((one) => !isResult(one))];
}

/** The API refuses an assistant message that ends in reasoning: nothing was said after it. */
function withoutTrailingThinking(turns: readonly Turn[]): Turn[] {
  const trimmed = turns.map((turn) => {
    const end = turn.placed.findLastIndex(({ block }) => !isThinking(block)) + 1;
    return turn.role === 'assistant' ? { ...turn, placed: turn.placed.slice(0, end) } : turn;
  });
  return mergeNeighbours(trimmed);
}

function withOpening(turns: readonly Turn[]): readonly Turn[] {
  if (turns[0]?.role === 'user') return turns;
  return [{ role: 'user', placed: [{ block: { type: 'text', text: openingText }, message: -1 }] }, ...turns];
}

function markStable(
  turns: readonly Turn[],
  { mark, afterStable }: { readonly mark: AnthropicCacheControl | null; readonly afterStable: number },
): AnthropicMessage[] {
  const canCarry = ({ block, message }: Placed) => message >= 0 && message < afterStable && !isThinking(block);
  const marked = mark === null ? undefined : turns.flatMap(({ placed }) => placed).findLast(canCarry);
  return turns.map(({ role, placed }) => ({
    role,
    content: placed.map((one) =>
      mark !== null && one === marked ? ({ ...one.block, cache_control: mark } as AnthropicBlock) : one.block,
    ),
  }));
}

function isThinking(block: AnthropicBlock): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}
