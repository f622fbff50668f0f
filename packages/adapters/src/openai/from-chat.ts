import type {
  AssistantMessage,
  ModelReply,
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
import type { OpenAIChatReply, OpenAIChatReplyMessage, OpenAIChatUsage } from './chat-reply.ts';
import { keptData } from './kept-data.ts';
import { longestFunctionName } from './wire-names.ts';

/** Options of the functions that read answers of OpenAI's APIs. */
export interface FromOpenAIOptions {
  /** The tools that were offered: calls get their own names back. @default none, names stay as they came */
  readonly tools?: readonly Pick<ToolDefinition, 'name'>[];
}

const stopReasons: Readonly<Record<string, StopReason>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
  content_filter: 'content-filter',
  error: 'error',
};

/**
 * Reads a whole answer of the Chat Completions API. Arguments that are no JSON are kept as a string
 * (`invalidCallResults` answers such calls). Reasoning that other servers put beside the message is kept, with the
 * field that it came in.
 *
 * @throws VARVE_MODEL_FAILED  for what is no answer.
 */
export function fromOpenAIChat(reply: OpenAIChatReply, options: FromOpenAIOptions = {}): ModelReply {
  return readAnswer('the Chat Completions API', () => replyOf(reply, options));
}

function replyOf({ choices, usage }: OpenAIChatReply, { tools = [] }: FromOpenAIOptions): ModelReply {
  const ownName = ownNames(tools, { max: longestFunctionName });
  const message = choices[0]?.message ?? {};
  const content = [...reasoningParts(message), ...textParts(message), ...callParts(message, ownName)];
  const stop = stopReasons[choices[0]?.finish_reason ?? ''] ?? 'other';
  const answer: AssistantMessage = { role: 'assistant', content, stop: stop === 'stop' ? endOf(content) : stop };
  return { message: answer, usage: chatUsage(usage) };
}

/** Some servers end with "stop" although they ask for calls, and all do when the model refused. */
function endOf(content: readonly (TextPart | ReasoningPart | ToolCallPart)[]): StopReason {
  if (content.some(({ type }) => type === 'tool-call')) return 'tool-calls';
  return content.some((part) => keptData(part).refusal) ? 'content-filter' : 'stop';
}

function reasoningParts({ reasoning_content, reasoning }: OpenAIChatReplyMessage): ReasoningPart[] {
  const [field, text] =
    typeof reasoning_content === 'string' ? ['reasoning_content', reasoning_content] : ['reasoning', reasoning];
  if (typeof text !== 'string' || text === '') return [];
  return [{ type: 'reasoning', text, providerOptions: { openai: { reasoningField: field } } }];
}

function textParts({ content, refusal }: OpenAIChatReplyMessage): TextPart[] {
  const refused: TextPart[] =
    typeof refusal === 'string' && refusal !== ''
      ? [{ type: 'text', text: refusal, providerOptions: { openai: { refusal: true } } }]
      : [];
  return typeof content === 'string' && content !== '' ? [{ type: 'text', text: content }, ...refused] : refused;
}

function callParts({ tool_calls }: OpenAIChatReplyMessage, ownName: (wire: string) => string): ToolCallPart[] {
  return (tool_calls ?? []).flatMap(({ id, function: called }, index): ToolCallPart[] => {
    if (called?.name === undefined) return [];
    const toolCallId = id === undefined || id === '' ? `call-${index}` : id;
    return [
      { type: 'tool-call', toolCallId, toolName: ownName(called.name), ...readArguments(called.arguments ?? '') },
    ];
  });
}

/** What the API counts, taken apart: it counts what it read from and wrote to its cache as input. */
function chatUsage(usage: OpenAIChatUsage | null | undefined): Usage | null {
  const [input, outputTokens] = [tokenCount(usage?.prompt_tokens), tokenCount(usage?.completion_tokens)];
  if (input === undefined || outputTokens === undefined) return null;
  const cacheReadTokens = tokenCount(usage?.prompt_tokens_details?.cached_tokens ?? usage?.prompt_cache_hit_tokens);
  const cacheWriteTokens = tokenCount(usage?.prompt_tokens_details?.cache_write_tokens);
  return {
    inputTokens: Math.max(0, input - (cacheReadTokens ?? 0) - (cacheWriteTokens ?? 0)),
    outputTokens,
    ...(cacheReadTokens === undefined ? {} : { cacheReadTokens }),
    ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens }),
  };
}
