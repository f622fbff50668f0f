import type { Message, Prompt, ToolDefinition } from '@varve/core';
import { buildBody } from '../border.ts';
import type { ToolChoice } from '../tool-choice.ts';
import { toWellFormed } from '../well-formed.ts';
import { wireName } from '../wire-name.ts';
import { assistantItems, type ItemContext } from './assistant-items.ts';
import { inputContent, outputOfResult } from './responses-content.ts';
import type {
  OpenAIFunctionTool,
  OpenAIItem,
  OpenAIResponsesRequest,
  OpenAIResponsesToolChoice,
} from './responses-request.ts';
import { functionParameters, longestFunctionName, openAICallId } from './wire-names.ts';

/** Options of {@link toOpenAIResponses}. */
export interface ToOpenAIResponsesOptions {
  /** Name of the model, as the API knows it. */
  readonly model: string;
  /** Upper bound of the answer, reasoning included, in tokens; the API takes 16 and more. @default the API's own */
  readonly maxTokens?: number;
  /** Tools that the model may call. @default none */
  readonly tools?: readonly ToolDefinition[];
  /** Whether it may, must or must not; only with tools. @default the API's own, `auto` */
  readonly toolChoice?: ToolChoice;
  /** Whether the provider keeps the answer. When it does not, reasoning is asked for in encrypted form. @default false */
  readonly store?: boolean;
  /** Requests with one key are cached together. @default none */
  readonly cacheKey?: string;
}

/** What a conversation holds when nothing in it can be sent. */
const openingText = '[The conversation begins here.]';

/** Fewest output tokens that the API takes. */
const fewestTokens = 16;

/**
 * Turns a prompt into the exact body of one call of OpenAI's Responses API.
 *
 * Pure, and total for every prompt that core makes. The system prompt is the instructions. Reasoning goes back as the
 * item that it was, with its encrypted content, and items that came of it with their ids; no id comes twice. Items
 * that the provider made for itself go back as they came. Results may hold images and files.
 *
 * @throws VARVE_OPTION_INVALID  for what is no prompt, or options without a model.
 */
export function toOpenAIResponses(
  prompt: Pick<Prompt, 'system' | 'messages'>,
  options: ToOpenAIResponsesOptions,
): OpenAIResponsesRequest {
  return buildBody({ prompt, options }, () => bodyOf(prompt, options));
}

function bodyOf(
  prompt: Pick<Prompt, 'system' | 'messages'>,
  { model, maxTokens, tools = [], toolChoice, store = false, cacheKey }: ToOpenAIResponsesOptions,
): OpenAIResponsesRequest {
  const context: ItemContext = { store, sentIds: new Set() };
  const items = prompt.messages.flatMap((message) => itemsOf(message, context));
  const texts = prompt.system.map(({ text }) => text).filter((text) => text.trim() !== '');
  const opening: OpenAIItem = { role: 'user', content: [{ type: 'input_text', text: openingText }] };
  return {
    model,
    ...(texts.length > 0 ? { instructions: toWellFormed(texts.join('\n\n')) } : {}),
    input: items.length > 0 ? items : [opening],
    ...(maxTokens === undefined ? {} : { max_output_tokens: Math.max(fewestTokens, maxTokens) }),
    ...(tools.length > 0 ? { tools: tools.map(functionTool) } : {}),
    ...(tools.length > 0 && toolChoice !== undefined ? { tool_choice: functionChoice(toolChoice) } : {}),
    store,
    ...(store ? {} : { include: ['reasoning.encrypted_content'] }),
    ...(cacheKey === undefined ? {} : { prompt_cache_key: cacheKey }),
  };
}

function itemsOf(message: Message, context: ItemContext): readonly OpenAIItem[] {
  switch (message.role) {
    case 'assistant':
      return assistantItems(message, context);
    case 'tool':
      return message.content.map(({ toolCallId, output }) => ({
        type: 'function_call_output',
        call_id: openAICallId(toolCallId),
        output: outputOfResult(output),
      }));
    case 'system':
      return message.content.trim() === '' ? [] : [{ role: 'developer', content: toWellFormed(message.content) }];
    default:
      return userItem(message.content);
  }
}

function userItem(content: Extract<Message, { role: 'user' }>['content']): readonly OpenAIItem[] {
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  const sent = parts.flatMap(inputContent);
  return sent.length === 0 ? [] : [{ role: 'user', content: sent }];
}

function functionTool(tool: ToolDefinition): OpenAIFunctionTool {
  const description = tool.description.trim() === '' ? {} : { description: toWellFormed(tool.description) };
  const name = wireName(tool.name, { max: longestFunctionName });
  return { type: 'function', name, ...description, parameters: functionParameters(tool), strict: false };
}

function functionChoice(choice: ToolChoice): OpenAIResponsesToolChoice {
  return typeof choice === 'object'
    ? { type: 'function', name: wireName(choice.tool, { max: longestFunctionName }) }
    : choice;
}
