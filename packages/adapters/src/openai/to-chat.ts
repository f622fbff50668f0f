import {
  type AssistantMessage,
  type Message,
  type MessagePart,
  type Prompt,
  partsOfMessage,
  type ToolDefinition,
  type ToolResultPart,
} from '@varve/core';
import { buildBody } from '../border.ts';
import { objectInput } from '../call-input.ts';
import type { ToolChoice } from '../tool-choice.ts';
import { jsonToWellFormed, toWellFormed } from '../well-formed.ts';
import { wireName } from '../wire-name.ts';
import { chatContent, namedFile } from './chat-content.ts';
import type {
  OpenAIChatAssistant,
  OpenAIChatContent,
  OpenAIChatMessage,
  OpenAIChatRefusal,
  OpenAIChatRequest,
  OpenAIChatText,
  OpenAIChatTool,
  OpenAIChatToolCall,
  OpenAIChatToolChoice,
} from './chat-request.ts';
import { keptData } from './kept-data.ts';
import { functionParameters, longestFunctionName, openAICallId, resultHeading, textOfResult } from './wire-names.ts';

/** Options of {@link toOpenAIChat}. */
export interface ToOpenAIChatOptions {
  /** Name of the model, as the server knows it. */
  readonly model: string;
  /** Upper bound of the answer, in tokens. @default the server's own */
  readonly maxTokens?: number;
  /** Field that carries the bound; servers other than OpenAI's often know `max_tokens` alone. @default 'max_completion_tokens' */
  readonly maxTokensField?: 'max_completion_tokens' | 'max_tokens';
  /** Role of the system prompt. @default 'system', which every server knows */
  readonly systemRole?: 'system' | 'developer';
  /** Tools that the model may call. @default none */
  readonly tools?: readonly ToolDefinition[];
  /** Whether it may, must or must not; only with tools. @default the server's own, `auto` */
  readonly toolChoice?: ToolChoice;
  /** Whether reasoning goes back to the server that handed it out; OpenAI's wants none. @default false */
  readonly sendReasoning?: boolean;
  /** Requests with one key are cached together. @default none */
  readonly cacheKey?: string;
}

/** What a conversation holds when nothing in it can be sent. */
const openingText = '[The conversation begins here.]';

/**
 * Turns a prompt into the exact body of one call of the Chat Completions API, or of a server that speaks it.
 *
 * Pure, and total for every prompt that core makes. The system prompt is one message in front. Results stand right
 * behind their calls, one message each; images and files in them follow in a message of the user's side, since a
 * result takes text alone. Arguments of calls are JSON of an object. Messages of one role are not joined: this API
 * does not ask for it, and a server that does says so in its chat template.
 *
 * @throws VARVE_OPTION_INVALID  for what is no prompt, or options without a model.
 */
export function toOpenAIChat(
  prompt: Pick<Prompt, 'system' | 'messages'>,
  options: ToOpenAIChatOptions,
): OpenAIChatRequest {
  return buildBody({ prompt, options }, () => bodyOf(prompt, options));
}

function bodyOf(prompt: Pick<Prompt, 'system' | 'messages'>, options: ToOpenAIChatOptions): OpenAIChatRequest {
  const { model, maxTokens, maxTokensField = 'max_completion_tokens', tools = [], toolChoice, cacheKey } = options;
  const said = chatMessages(prompt.messages, options);
  const messages = [...systemMessage(prompt, options), ...(said.length > 0 ? said : [opening])];
  return {
    model,
    messages,
    ...(maxTokens === undefined ? {} : { [maxTokensField]: maxTokens }),
    ...(tools.length > 0 ? { tools: tools.map(chatTool) } : {}),
    ...(tools.length > 0 && toolChoice !== undefined ? { tool_choice: chatToolChoice(toolChoice) } : {}),
    ...(cacheKey === undefined ? {} : { prompt_cache_key: cacheKey }),
  };
}

const opening: OpenAIChatMessage = { role: 'user', content: openingText };

function systemMessage(
  { system }: Pick<Prompt, 'system'>,
  { systemRole = 'system' }: ToOpenAIChatOptions,
): OpenAIChatMessage[] {
  const texts = system.map(({ text }) => text).filter((text) => text.trim() !== '');
  return texts.length === 0 ? [] : [{ role: systemRole, content: toWellFormed(texts.join('\n\n')) }];
}

/** Media of results wait until the run of results is over: nothing may stand between them. */
function chatMessages(messages: readonly Message[], options: ToOpenAIChatOptions): OpenAIChatMessage[] {
  const said: OpenAIChatMessage[] = [];
  let waiting: OpenAIChatContent[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      for (const result of message.content) {
        said.push(resultMessage(result));
        waiting.push(...resultMedia(result));
      }
      continue;
    }
    if (waiting.length > 0) said.push({ role: 'user', content: waiting });
    waiting = [];
    said.push(...spokenMessages(message, options));
  }
  if (waiting.length > 0) said.push({ role: 'user', content: waiting });
  return said;
}

function spokenMessages(
  message: Exclude<Message, { role: 'tool' }>,
  options: ToOpenAIChatOptions,
): readonly OpenAIChatMessage[] {
  if (message.role === 'assistant') return assistantMessage(message, options);
  if (message.role === 'system') {
    const { systemRole = 'system' } = options;
    return message.content.trim() === '' ? [] : [{ role: systemRole, content: toWellFormed(message.content) }];
  }
  if (typeof message.content === 'string')
    return message.content === '' ? [] : [{ role: 'user', content: toWellFormed(message.content) }];
  const content = message.content.flatMap(chatContent);
  const [first] = content;
  if (first === undefined) return [];
  return [{ role: 'user', content: content.length === 1 && first.type === 'text' ? first.text : content }];
}

function assistantMessage(message: AssistantMessage, { sendReasoning }: ToOpenAIChatOptions): OpenAIChatAssistant[] {
  const parts = partsOfMessage(message);
  const said = parts.flatMap(spokenContent);
  const calls = parts.flatMap((part): OpenAIChatToolCall[] => {
    if (part.type !== 'tool-call') return [];
    const { toolCallId, toolName, input } = part;
    const called = {
      name: wireName(toolName, { max: longestFunctionName }),
      arguments: JSON.stringify(jsonToWellFormed(objectInput(input))),
    };
    return [{ id: openAICallId(toolCallId), type: 'function', function: called }];
  });
  if (said.length + calls.length === 0) return [];
  return [
    {
      role: 'assistant',
      content: contentOf(said),
      ...(sendReasoning === true ? reasoningFields(message) : {}),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    },
  ];
}

function spokenContent(part: MessagePart): readonly (OpenAIChatText | OpenAIChatRefusal)[] {
  if (part.type === 'file') return [namedFile(part)];
  if (part.type !== 'text' || part.text === '') return [];
  const text = toWellFormed(part.text);
  return [keptData(part).refusal ? { type: 'refusal', refusal: text } : { type: 'text', text }];
}

/** One text is a string, which every server takes. */
function contentOf(said: readonly (OpenAIChatText | OpenAIChatRefusal)[]): OpenAIChatAssistant['content'] {
  const [first] = said;
  if (first === undefined) return null;
  return said.length === 1 && first.type === 'text' ? first.text : [...said];
}

function reasoningFields(message: AssistantMessage): Pick<OpenAIChatAssistant, 'reasoning_content' | 'reasoning'> {
  if (typeof message.content === 'string') return {};
  const kept = message.content.filter((part) => part.type === 'reasoning');
  const field = kept.map((part) => keptData(part).reasoningField).find((one) => one !== undefined);
  if (field === undefined) return {};
  const texts = kept.filter((part) => keptData(part).reasoningField === field).map(({ text }) => text);
  return { [field]: toWellFormed(texts.join('')) };
}

function resultMessage({ toolCallId, output }: ToolResultPart): OpenAIChatMessage {
  const content = output.type === 'content' ? textOfContent(output.value.flatMap(chatContent)) : textOfResult(output);
  return { role: 'tool', tool_call_id: openAICallId(toolCallId), content };
}

function textOfContent(content: readonly OpenAIChatContent[]): string {
  const texts = content.flatMap((one) => (one.type === 'text' ? [one.text] : []));
  return texts.length === 0 && content.length > 0 ? '[See the next message.]' : texts.join('\n');
}

function resultMedia(result: ToolResultPart): OpenAIChatContent[] {
  if (result.output.type !== 'content') return [];
  const media = result.output.value.flatMap(chatContent).filter(({ type }) => type !== 'text');
  return media.length === 0 ? [] : [{ type: 'text', text: resultHeading(result) }, ...media];
}

function chatTool(tool: ToolDefinition): OpenAIChatTool {
  const description = tool.description.trim() === '' ? {} : { description: toWellFormed(tool.description) };
  const name = wireName(tool.name, { max: longestFunctionName });
  return { type: 'function', function: { name, ...description, parameters: functionParameters(tool) } };
}

function chatToolChoice(choice: ToolChoice): OpenAIChatToolChoice {
  if (typeof choice !== 'object') return choice;
  return { type: 'function', function: { name: wireName(choice.tool, { max: longestFunctionName }) } };
}
