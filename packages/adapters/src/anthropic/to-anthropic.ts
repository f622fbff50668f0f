import type { Message, Prompt, ToolDefinition } from '@varve/core';
import { buildBody } from '../border.ts';
import type { ToolChoice } from '../tool-choice.ts';
import { toWellFormed } from '../well-formed.ts';
import { type Placed, placedBlocks } from './blocks.ts';
import type {
  AnthropicBlock,
  AnthropicCacheControl,
  AnthropicMessage,
  AnthropicRequest,
  AnthropicTextBlock,
  AnthropicThinking,
} from './request.ts';
import { acceptedThinking, isThinking } from './thinking.ts';
import { anthropicToolChoice, anthropicTools } from './tools.ts';

/** Options of {@link toAnthropic}. */
export interface ToAnthropicOptions {
  /** Name of the model, as Anthropic's Messages API knows it. */
  readonly model: string;
  /** Upper bound of the answer, in tokens. @default 4096 */
  readonly maxTokens?: number;
  /** How long the provider keeps what is marked, or `none` for no marks. @default '5m' */
  readonly cache?: '5m' | '1h' | 'none';
  /** Tools that the model may call. @default none */
  readonly tools?: readonly ToolDefinition[];
  /** Whether it may, must or must not; only with tools. @default the provider's own, `auto` */
  readonly toolChoice?: ToolChoice;
  /**
   * How the model thinks. Left out of a body that may not have it: a budget above `maxTokens`, a forced call, or a run
   * of tools that began without thinking (as after a change of the model). @default the provider's own
   */
  readonly thinking?: AnthropicThinking;
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
 *
 * @throws VARVE_OPTION_INVALID  for what is no prompt, or options without a model.
 */
export function toAnthropic(
  prompt: Pick<Prompt, 'system' | 'messages' | 'marks'>,
  options: ToAnthropicOptions,
): AnthropicRequest {
  return buildBody({ prompt, options }, () => bodyOf(prompt, options));
}

function bodyOf(prompt: Pick<Prompt, 'system' | 'messages' | 'marks'>, options: ToAnthropicOptions): AnthropicRequest {
  const { model, maxTokens = 4096, cache = '5m', tools = [], toolChoice } = options;
  const mark = cacheMark(cache);
  const system = systemBlocks(prompt, mark);
  const turns = withOpening(withoutTrailingThinking(turnsOf(prompt.messages)));
  const messages = markStable(turns, { mark, afterStable: prompt.marks.afterStable });
  const thinking = acceptedThinking(messages, { ...options, maxTokens });
  return {
    model,
    max_tokens: maxTokens,
    ...(system.length > 0 ? { system } : {}),
    messages,
    ...(tools.length > 0 ? { tools: anthropicTools(tools) } : {}),
    ...(tools.length > 0 && toolChoice !== undefined ? { tool_choice: anthropicToolChoice(toolChoice) } : {}),
    ...(thinking === undefined ? {} : { thinking }),
  };
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

/**
 * The API refuses an assistant message that ends in reasoning: nothing was said after it. Reasoning goes as a whole or
 * not at all, so that what is left of it is never a changed version of the model's own message.
 */
function withoutTrailingThinking(turns: readonly Turn[]): Turn[] {
  const trimmed = turns.map((turn) => {
    const last = turn.placed.at(-1);
    if (turn.role !== 'assistant' || last === undefined || !isThinking(last.block)) return turn;
    return { ...turn, placed: turn.placed.filter(({ block }) => !isThinking(block)) };
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
