import {
  type AssistantMessage,
  type JsonValue,
  type Message,
  type MessagePart,
  type StopReason,
  type TextPart,
  type ToolCallPart,
  type ToolOutput,
  type Usage,
  VarveError,
} from '@varve/core';
import { jsonOf } from '../json-of.ts';
import { tokenCount } from '../token-count.ts';
import { partsOfContent } from './content-blocks.ts';
import { type Fields, fieldsOf, keepData, keptData } from './kept-data.ts';
import type { LangChainMessage } from './messages.ts';

type Role = 'system' | 'human' | 'ai' | 'tool';

const roles: Readonly<Record<string, Role>> = {
  system: 'system',
  developer: 'system',
  human: 'human',
  user: 'human',
  ai: 'ai',
  assistant: 'ai',
  tool: 'tool',
};

/**
 * Reads messages of LangChain: instances of `BaseMessage`, or plain fields of them. Ids, names, blocks of content of
 * types that are not known here, `additional_kwargs`, `response_metadata` and calls that could not be read are kept, and
 * go back with `toLangChain`. What a tool hands to the host alone (`artifact`) is left out.
 *
 * @throws VARVE_MESSAGE_INVALID  for what is no message of LangChain, such as one without `type`, with its path.
 */
export function fromLangChain(messages: readonly LangChainMessage[]): readonly Message[] {
  if (!Array.isArray(messages)) throw invalid('(root)', 'it is no list');
  const names = new Map<string, string>();
  return messages.map((message: LangChainMessage, index) => {
    const read = messageOf(message, { path: `${index}`, names });
    if (read.role === 'assistant' && typeof read.content !== 'string') {
      for (const part of read.content) if (part.type === 'tool-call') names.set(part.toolCallId, part.toolName);
    }
    return read;
  });
}

/** What an answer of LangChain reports; `null` where it reports nothing. */
export function usageOfLangChain(message: LangChainMessage): Usage | null {
  const { usage_metadata } = message as { readonly usage_metadata?: unknown } & LangChainMessage;
  const { input_tokens, output_tokens, input_token_details } = fieldsOf(usage_metadata);
  const [all, outputTokens] = [tokenCount(input_tokens), tokenCount(output_tokens)];
  if (all === undefined || outputTokens === undefined || all + outputTokens === 0) return null;
  const { cache_read, cache_creation } = fieldsOf(input_token_details);
  const [cacheReadTokens = 0, cacheWriteTokens = 0] = [tokenCount(cache_read), tokenCount(cache_creation)];
  return {
    inputTokens: Math.max(0, all - cacheReadTokens - cacheWriteTokens),
    outputTokens,
    cacheReadTokens,
    cacheWriteTokens,
  };
}

/** Which kind of message it is, however the version of LangChain says it. @throws VARVE_MESSAGE_INVALID  for none. */
export function roleOfLangChain(message: unknown, path: string): Role {
  const given = (typeof message === 'object' && message !== null ? message : {}) as {
    readonly type?: unknown;
    readonly role?: unknown;
    readonly getType?: unknown;
    readonly _getType?: unknown;
  };
  const asked = typeof given.getType === 'function' ? given.getType : given._getType;
  const type: unknown = given.type ?? (typeof asked === 'function' ? asked.call(message) : given.role);
  const role = roles[String(type === 'generic' ? given.role : type)];
  if (role !== undefined) return role;
  throw invalid(path, type === undefined ? 'it has no type' : `its type is "${String(type)}"`);
}

interface Place {
  readonly path: string;
  /** Names of tools by the ids of calls. */
  readonly names: ReadonlyMap<string, string>;
}

function messageOf(given: LangChainMessage, { path, names }: Place): Message {
  const role = roleOfLangChain(given, path);
  const { content } = given;
  if (typeof content !== 'string' && !Array.isArray(content)) throw invalid(`${path}.content`, 'it is no content');
  const parts = partsOfContent(content, `${path}.content`);
  switch (role) {
    case 'system':
      return { role: 'system', content: parts.map((part) => (part.type === 'text' ? part.text : '')).join('') };
    case 'human':
      return { role: 'user', content: withMessage(parts.map(asContent), fieldsKept(given)) };
    case 'ai':
      return answerOf(given, { parts, path });
    case 'tool':
      return resultOf(given, { parts, path, names });
  }
}

function asContent(part: ReturnType<typeof partsOfContent>[number]): Exclude<typeof part, { type: 'reasoning' }> {
  return part.type === 'reasoning' ? { ...part, type: 'text' } : part;
}

/** What a message has beside its content, and is kept. Calls stand in their own place. */
function fieldsKept(given: LangChainMessage): Fields {
  const { id, name, additional_kwargs, response_metadata, invalid_tool_calls } = given as LangChainMessage & {
    readonly [field: string]: unknown;
  };
  const { tool_calls: _calls, __raw_response: _raw, ...beside } = fieldsOf(jsonOrNothing(additional_kwargs));
  const metadata = fieldsOf(jsonOrNothing(response_metadata));
  const slips = jsonOrNothing(invalid_tool_calls);
  return {
    ...(typeof id === 'string' ? { id } : {}),
    ...(typeof name === 'string' ? { name } : {}),
    ...(Object.keys(beside).length > 0 ? { additional_kwargs: beside } : {}),
    ...(Object.keys(metadata).length > 0 ? { response_metadata: metadata } : {}),
    ...(Array.isArray(slips) && slips.length > 0 ? { invalid_tool_calls: slips } : {}),
  };
}

/** What is beside the point must not make a message unreadable. */
function jsonOrNothing(value: unknown): JsonValue {
  try {
    return jsonOf(value ?? null, '');
  } catch {
    return null;
  }
}

/** Fields of a message go with its first part: messages of ours have none. */
function withMessage<Part extends MessagePart>(parts: readonly Part[], message: Fields): readonly Part[] {
  if (Object.keys(message).length === 0) return parts;
  const [first = { type: 'text', text: '' } as TextPart as unknown as Part, ...others] = parts;
  return [{ ...first, ...keepData({ ...keptData(first), message }) }, ...others];
}

function answerOf(
  given: LangChainMessage,
  { parts, path }: { readonly parts: ReturnType<typeof partsOfContent>; readonly path: string },
): AssistantMessage {
  const { tool_calls } = given as { readonly tool_calls?: unknown } & LangChainMessage;
  const calls = (Array.isArray(tool_calls) ? tool_calls : []).map((call: unknown, index) =>
    callOf(call, `${path}.tool_calls.${index}`),
  );
  const open = new Map(calls.map((call) => [call.toolCallId, call]));
  const spoken = parts.map((part): Exclude<AssistantMessage['content'], string>[number] => {
    if (part.type === 'image') return { type: 'text', text: '', ...keepData(keptData(part)) };
    const { block } = keptData(part);
    const { id } = fieldsOf(block);
    const call = part.type === 'text' && part.text === '' ? open.get(String(id)) : undefined;
    if (call === undefined || block === undefined) return part;
    open.delete(call.toolCallId);
    return { ...call, ...keepData({ block }) };
  });
  const content = withMessage([...spoken, ...open.values()], fieldsKept(given));
  return { role: 'assistant', content, stop: stopOf(given, calls.length > 0) };
}

function callOf(given: unknown, path: string): ToolCallPart {
  const { id, name, args } = fieldsOf(given) as { readonly [field: string]: unknown };
  if (typeof name !== 'string') throw invalid(path, 'it is no call');
  return {
    type: 'tool-call',
    toolCallId: typeof id === 'string' ? id : '',
    toolName: name,
    input: jsonOf(args ?? {}, `${path}.args`),
  };
}

const stopReasons: Readonly<Record<string, StopReason>> = {
  stop: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop',
  length: 'length',
  max_tokens: 'length',
  tool_calls: 'tool-calls',
  tool_use: 'tool-calls',
  content_filter: 'content-filter',
  refusal: 'content-filter',
};

/** Why a model stopped, as metadata of an answer have it; nothing where they say nothing. */
export function reasonOfLangChain(message: LangChainMessage): string | undefined {
  const { response_metadata } = message as { readonly response_metadata?: unknown } & LangChainMessage;
  const { finish_reason, stop_reason, finishReason, stopReason, done_reason } = fieldsOf(response_metadata);
  const said = [finish_reason, stop_reason, finishReason, stopReason, done_reason];
  return said.find((one): one is string => typeof one === 'string');
}

function stopOf(message: LangChainMessage, hasCalls: boolean): StopReason {
  const known = stopReasons[String(reasonOfLangChain(message)).toLowerCase()];
  return known ?? (hasCalls ? 'tool-calls' : 'other');
}

function resultOf(
  given: LangChainMessage,
  { parts, path, names }: Place & { readonly parts: ReturnType<typeof partsOfContent> },
): Message {
  const { tool_call_id, name, status } = given as LangChainMessage & { readonly [field: string]: unknown };
  if (typeof tool_call_id !== 'string') throw invalid(`${path}.tool_call_id`, 'it is no id');
  const toolName = typeof name === 'string' ? name : (names.get(tool_call_id) ?? 'tool');
  const output = outputOf(given.content, { parts, hasFailed: status === 'error' });
  const kept = fieldsKept(given);
  const options = Object.keys(kept).length === 0 ? {} : keepData({ message: kept });
  return { role: 'tool', content: [{ type: 'tool-result', toolCallId: tool_call_id, toolName, output, ...options }] };
}

function outputOf(
  content: unknown,
  { parts, hasFailed }: { readonly parts: ReturnType<typeof partsOfContent>; readonly hasFailed: boolean },
): ToolOutput {
  if (typeof content === 'string') return { type: hasFailed ? 'error-text' : 'text', value: content };
  if (!hasFailed) return { type: 'content', value: parts.map(asContent) };
  return { type: 'error-text', value: parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n') };
}

function invalid(path: string, why: string): VarveError {
  return new VarveError('VARVE_MESSAGE_INVALID', `This is no message of LangChain at ${path}: ${why}.`, {
    fix: 'Give messages of @langchain/core 1, such as HumanMessage, AIMessage and ToolMessage.',
    details: { path },
  });
}
