import type {
  AssistantMessage,
  JsonValue,
  ModelReply,
  ProviderOptions,
  ReasoningPart,
  StopReason,
  TextPart,
  ToolCallPart,
  Usage,
} from '@varve/core';
import { readAnswer } from '../border.ts';
import { readArguments } from '../call-input.ts';
import { tokenCount } from '../token-count.ts';
import { ownNames } from '../wire-name.ts';
import type { FromOpenAIOptions } from './from-chat.ts';
import { type Fields, isFields, keptData, withoutNulls } from './kept-data.ts';
import type { OpenAIOutputItem, OpenAIResponsesReply, OpenAIResponsesUsage } from './responses-reply.ts';
import { longestFunctionName } from './wire-names.ts';

type SpokenPart = TextPart | ReasoningPart | ToolCallPart;

/**
 * Reads a whole answer of the Responses API. Every item is kept: reasoning with its encrypted content, messages and
 * calls with their ids, refusals as texts, and items of types that no part stands for, which {@link toOpenAIResponses}
 * sends back as they came. Arguments that are no JSON are kept as a string (`invalidCallResults` answers such calls).
 *
 * @throws VARVE_MODEL_FAILED  for what is no answer.
 */
export function fromOpenAIResponses(reply: OpenAIResponsesReply, options: FromOpenAIOptions = {}): ModelReply {
  return readAnswer('the Responses API', () => replyOf(reply, options));
}

function replyOf(reply: OpenAIResponsesReply, { tools = [] }: FromOpenAIOptions): ModelReply {
  const ownName = ownNames(tools, { max: longestFunctionName });
  const content = reply.output.flatMap((item) => partsOf(item, ownName));
  const message: AssistantMessage = { role: 'assistant', content, stop: stopOf(reply, content) };
  return { message, usage: usageOf(reply.usage) };
}

function stopOf({ status, incomplete_details }: OpenAIResponsesReply, content: readonly SpokenPart[]): StopReason {
  if (status === 'incomplete') {
    if (incomplete_details?.reason === 'max_output_tokens') return 'length';
    return incomplete_details?.reason === 'content_filter' ? 'content-filter' : 'other';
  }
  if (status === 'cancelled') return 'aborted';
  if (status === 'failed') return 'error';
  if (status !== undefined && status !== 'completed') return 'other';
  if (content.some(({ type }) => type === 'tool-call')) return 'tool-calls';
  return content.some((part) => keptData(part).refusal) ? 'content-filter' : 'stop';
}

function partsOf(item: OpenAIOutputItem, ownName: (wire: string) => string): readonly SpokenPart[] {
  const fields = item as unknown as Fields;
  if (item.type === 'message') return messageParts(fields);
  if (item.type === 'function_call') return [callPart(fields, ownName)];
  if (item.type === 'reasoning') return [reasoningPart(fields)];
  return [{ type: 'text', text: '', providerOptions: { openai: { item: withoutNulls(fields) } } }];
}

function messageParts({ id, content, phase }: Fields): readonly TextPart[] {
  const own: Fields = typeof id === 'string' ? { itemId: id } : {};
  return listOf(content).flatMap(({ text, refusal, annotations }): TextPart[] => {
    const fields: Fields = {
      ...(typeof phase === 'string' ? { phase } : {}),
      ...(Array.isArray(annotations) && annotations.length > 0 ? { annotations } : {}),
    };
    const data: Fields = Object.keys(fields).length > 0 ? { ...own, fields } : own;
    if (typeof refusal === 'string') return [{ type: 'text', text: refusal, ...kept({ ...data, refusal: true }) }];
    return typeof text === 'string' ? [{ type: 'text', text, ...kept(data) }] : [];
  });
}

function callPart({ type: _, status: __, ...item }: Fields, ownName: (wire: string) => string): ToolCallPart {
  const { id, call_id, name, arguments: text, caller, ...rest } = item;
  const read = readArguments(stringOf(text));
  // A direct call is the rule and says nothing.
  const called = isFields(caller) && !isDirect(caller) ? { caller } : {};
  const fields = { ...withoutNulls(rest), ...called };
  const own = {
    ...(typeof id === 'string' ? { itemId: id } : {}),
    ...(Object.keys(fields).length > 0 ? { fields } : {}),
  };
  const options: ProviderOptions = { ...read.providerOptions, ...kept(own).providerOptions };
  return {
    type: 'tool-call',
    toolCallId: stringOf(call_id),
    toolName: ownName(stringOf(name)),
    input: read.input,
    ...(Object.keys(options).length > 0 ? { providerOptions: options } : {}),
  };
}

function isDirect({ type }: Fields): boolean {
  return type === 'direct';
}

function reasoningPart(item: Fields): ReasoningPart {
  const { summary, content } = item;
  const texts = [...listOf(summary), ...listOf(content)].map(({ text }) => stringOf(text));
  return { type: 'reasoning', text: texts.join('\n\n'), providerOptions: { openai: { item: withoutNulls(item) } } };
}

function listOf(value: JsonValue | undefined): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

function stringOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function kept(data: Fields): { readonly providerOptions?: ProviderOptions } {
  return Object.keys(data).length > 0 ? { providerOptions: { openai: data } } : {};
}

/** What the API counts, taken apart: it counts what it read from and wrote to its cache as input. */
function usageOf(usage: OpenAIResponsesUsage | null | undefined): Usage | null {
  const [input, outputTokens] = [tokenCount(usage?.input_tokens), tokenCount(usage?.output_tokens)];
  if (input === undefined || outputTokens === undefined) return null;
  const cacheReadTokens = tokenCount(usage?.input_tokens_details?.cached_tokens);
  const cacheWriteTokens = tokenCount(usage?.input_tokens_details?.cache_write_tokens);
  return {
    inputTokens: Math.max(0, input - (cacheReadTokens ?? 0) - (cacheWriteTokens ?? 0)),
    outputTokens,
    ...(cacheReadTokens === undefined ? {} : { cacheReadTokens }),
    ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens }),
  };
}
