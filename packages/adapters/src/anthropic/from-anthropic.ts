import type {
  AssistantMessage,
  JsonValue,
  ModelReply,
  ProviderOptions,
  ReasoningPart,
  StopReason,
  TextPart,
  ToolCallPart,
  ToolDefinition,
  Usage,
} from '@varve/core';
import { readAnswer } from '../border.ts';
import { readArguments } from '../call-input.ts';
import { tokenCount } from '../token-count.ts';
import { ownNames } from '../wire-name.ts';
import { longestToolName } from './blocks.ts';
import { isRecord } from './kept-data.ts';
import type { AnthropicReply, AnthropicReplyBlock, AnthropicUsage } from './reply.ts';

/** Options of {@link fromAnthropic}. */
export interface FromAnthropicOptions {
  /** The tools that were offered: calls get their own names back. @default none, names stay as they came */
  readonly tools?: readonly Pick<ToolDefinition, 'name'>[];
}

type Fields = { readonly [field: string]: JsonValue };
type SpokenPart = TextPart | ReasoningPart | ToolCallPart;

const stopReasons: Readonly<Record<string, StopReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool-calls',
  refusal: 'content-filter',
};

/**
 * Reads a whole answer. Every block is kept: thinking with its signature, sealed thinking, calls, and blocks of types
 * that no part stands for, which {@link toAnthropic} sends back as they came.
 *
 * @throws VARVE_MODEL_FAILED  for what is no answer.
 */
export function fromAnthropic(reply: AnthropicReply, options: FromAnthropicOptions = {}): ModelReply {
  return readAnswer('the Messages API', () => replyOf(reply, options));
}

function replyOf({ content, stop_reason, usage }: AnthropicReply, { tools = [] }: FromAnthropicOptions): ModelReply {
  const ownName = ownNames(tools, { max: longestToolName });
  const message: AssistantMessage = {
    role: 'assistant',
    content: content.map((block) => partOf(block, ownName)),
    stop: stopReasons[stop_reason ?? ''] ?? 'other',
  };
  return { message, usage: usageOf(usage) };
}

function partOf(block: AnthropicReplyBlock, ownName: (wire: string) => string): SpokenPart {
  const all = block as unknown as Fields;
  const { type, text, thinking, signature, data, id, name, input, caller, ...rest } = all;
  const fields = keptFields(rest);
  if (type === 'text' && typeof text === 'string') return { type: 'text', text, ...kept(fields) };
  // Proxies hand out thinking without a signature. It is no block to send back as it came: the API would refuse it.
  if (type === 'thinking' && typeof thinking === 'string')
    return { type: 'reasoning', text: thinking, ...kept(fields, typeof signature === 'string' ? { signature } : {}) };
  if (type === 'redacted_thinking' && typeof data === 'string')
    return { type: 'reasoning', text: '', ...kept({}, { redactedData: data }) };
  if (type === 'tool_use' && typeof id === 'string' && typeof name === 'string') {
    // A direct call is the rule and says nothing.
    const called = isRecord(caller) && !isDirect(caller) ? { ...fields, caller } : fields;
    return callPart({ id, name: ownName(name), input: input ?? {} }, called);
  }
  return { type: 'text', text: '', providerOptions: { anthropic: { block: all } } };
}

function isDirect({ type }: Fields): boolean {
  return type === 'direct';
}

function callPart(
  { id, name, input }: { readonly id: string; readonly name: string; readonly input: JsonValue },
  fields: Fields,
): ToolCallPart {
  // A streamed input that could not be parsed is still a string.
  const read = typeof input === 'string' ? readArguments(input) : { input };
  const options: ProviderOptions = { ...read.providerOptions, ...kept(fields).providerOptions };
  const hasOptions = Object.keys(options).length > 0;
  return {
    type: 'tool-call',
    toolCallId: id,
    toolName: name,
    input: read.input,
    ...(hasOptions ? { providerOptions: options } : {}),
  };
}

/** Fields that say something: the API writes `null` where it has nothing to say. */
function keptFields(rest: Fields): Fields {
  return Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null && value !== undefined));
}

function kept(fields: Fields, own: Fields = {}): { readonly providerOptions?: ProviderOptions } {
  const data = { ...own, ...(Object.keys(fields).length > 0 ? { fields } : {}) };
  return Object.keys(data).length > 0 ? { providerOptions: { anthropic: data } } : {};
}

function usageOf(usage: AnthropicUsage | null | undefined): Usage | null {
  const [inputTokens, outputTokens] = [tokenCount(usage?.input_tokens), tokenCount(usage?.output_tokens)];
  if (inputTokens === undefined || outputTokens === undefined) return null;
  const cacheReadTokens = tokenCount(usage?.cache_read_input_tokens);
  const cacheWriteTokens = tokenCount(usage?.cache_creation_input_tokens);
  return {
    inputTokens,
    outputTokens,
    ...(cacheReadTokens === undefined ? {} : { cacheReadTokens }),
    ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens }),
  };
}
