import {
  type AssistantMessage,
  type JsonValue,
  type Message,
  type Prompt,
  partsOfMessage,
  type ToolCallPart,
  type ToolDefinition,
  type ToolResultPart,
} from '@varve/core';
import { buildBody } from '../border.ts';
import { objectInput } from '../call-input.ts';
import type { ToolChoice } from '../tool-choice.ts';
import { jsonToWellFormed, toWellFormed } from '../well-formed.ts';
import { contentParts } from './content-parts.ts';
import { functionName } from './function-name.ts';
import { isFields, keptData } from './kept-data.ts';
import type { GeminiContent, GeminiFields, GeminiFunction, GeminiPart, GeminiRequest } from './request.ts';

/** Options of {@link toGemini}. */
export interface ToGeminiOptions {
  /** Name of the model. */
  readonly model: string;
  /** Upper bound of the answer, in tokens. @default the model's own */
  readonly maxTokens?: number;
  /** Tools that the model may call. @default none */
  readonly tools?: readonly ToolDefinition[];
  /** Whether it may, must or must not; only with tools. @default the API's own, `auto` */
  readonly toolChoice?: ToolChoice;
}

/** What a conversation begins with that has no first words of the user. */
const openingText = '[The conversation begins here.]';

/** What stands behind the model's last words where nobody has said anything since. */
const goOnText = '[Go on.]';

/** Models that ask for their signatures back, and what they take in the place of one that they never gave. */
const signingModels = /^(?:models\/)?gemini-[3-9]/;
const noSignature = 'skip_thought_signature_validator';

/**
 * Turns a prompt into the body of one call of Gemini's `generateContent`. Pure, and total for every prompt that core
 * makes. Turns alternate from the user on; responses stand in the turn behind their calls, and media in them behind
 * them. Signatures go back with the parts that they came with; calls of other models have the mark that Gemini 3 takes
 * in their place.
 *
 * @throws VARVE_OPTION_INVALID  for what is no prompt, and options without a model.
 */
export function toGemini(
  prompt: Pick<Prompt, 'system' | 'messages' | 'marks'>,
  options: ToGeminiOptions,
): GeminiRequest {
  return buildBody({ prompt, options }, () => {
    const { model, maxTokens, tools = [], toolChoice } = options;
    const system = prompt.system
      .filter(({ text }) => text.trim() !== '')
      .map(({ text }) => ({ text: toWellFormed(text) }));
    return {
      model,
      contents: contentsOf(prompt.messages, signingModels.test(model)),
      ...(system.length === 0 ? {} : { systemInstruction: { parts: system } }),
      ...(tools.length === 0 ? {} : { tools: [{ functionDeclarations: tools.map(declaration) }] }),
      ...(tools.length === 0 || toolChoice === undefined ? {} : { toolConfig: choiceOf(toolChoice) }),
      ...(maxTokens === undefined ? {} : { generationConfig: { maxOutputTokens: maxTokens } }),
    };
  });
}

function declaration({ name, description, inputSchema }: ToolDefinition): GeminiFunction {
  const { properties } = inputSchema;
  const hasNone = !isFields(properties) || Object.keys(properties).length === 0;
  const schema = { ...jsonToWellFormed(inputSchema as GeminiFields), type: 'object' };
  return {
    name: functionName(name),
    ...(description.trim() === '' ? {} : { description: toWellFormed(description) }),
    ...(hasNone ? {} : { parametersJsonSchema: schema }),
  };
}

function choiceOf(choice: ToolChoice): NonNullable<GeminiRequest['toolConfig']> {
  if (typeof choice === 'object') {
    return { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: [functionName(choice.tool)] } };
  }
  const mode = choice === 'required' ? 'ANY' : choice === 'none' ? 'NONE' : 'AUTO';
  return { functionCallingConfig: { mode } };
}

function contentsOf(messages: readonly Message[], isSigned: boolean): GeminiContent[] {
  const calls = new Map(messages.flatMap(callsOf).map((call) => [call.toolCallId, call]));
  const turns: GeminiContent[] = [];
  for (const message of messages) {
    const role = message.role === 'assistant' ? 'model' : 'user';
    const parts = partsOf(message, calls);
    const last = turns.at(-1);
    if (parts.length === 0) continue;
    if (last?.role === role) last.parts.push(...parts);
    else turns.push({ role, parts: [...parts] });
  }
  const first = turns[0]?.role === 'user' ? [] : [{ role: 'user' as const, parts: [{ text: openingText }] }];
  const last = turns.at(-1)?.role === 'model' ? [{ role: 'user' as const, parts: [{ text: goOnText }] }] : [];
  return [...first, ...turns, ...last].map((turn) => inOrder(turn, isSigned));
}

/** Responses stand first; the first call of a turn is signed. */
function inOrder({ role, parts }: GeminiContent, isSigned: boolean): GeminiContent {
  if (role === 'user') {
    const isResponse = ({ functionResponse }: GeminiPart): boolean => functionResponse !== undefined;
    return { role, parts: [...parts.filter(isResponse), ...parts.filter((part) => !isResponse(part))] };
  }
  const first = parts.findIndex(({ functionCall }) => functionCall !== undefined);
  const { thoughtSignature } = parts[first] ?? {};
  if (!isSigned || first === -1 || thoughtSignature !== undefined) return { role, parts };
  return {
    role,
    parts: parts.map((part, index) => (index === first ? { ...part, thoughtSignature: noSignature } : part)),
  };
}

function callsOf(message: Message): readonly ToolCallPart[] {
  return partsOfMessage(message).filter((part) => part.type === 'tool-call');
}

type Calls = ReadonlyMap<string, ToolCallPart>;

function partsOf(message: Message, calls: Calls): readonly GeminiPart[] {
  if (message.role === 'assistant') return spokenParts(message);
  return partsOfMessage(message).flatMap((part): readonly GeminiPart[] => {
    if (part.type === 'tool-result') return responseParts(part, calls);
    return part.type === 'text' || part.type === 'image' || part.type === 'file' ? contentParts(part) : [];
  });
}

function spokenParts(message: AssistantMessage): readonly GeminiPart[] {
  return partsOfMessage(message).flatMap((part): readonly GeminiPart[] => {
    const { thoughtSignature } = keptData(part);
    const signed = thoughtSignature === undefined ? {} : { thoughtSignature };
    if (part.type === 'tool-call') {
      const { toolCallId, toolName, input } = part;
      const args = jsonToWellFormed(objectInput(input) as GeminiFields);
      return [{ functionCall: { ...idOf(part, toolCallId), name: functionName(toolName), args }, ...signed }];
    }
    // Thoughts that nobody has signed are of another model, or were never to be sent back.
    if (part.type === 'reasoning') {
      return thoughtSignature === undefined ? [] : [{ text: toWellFormed(part.text), thought: true, thoughtSignature }];
    }
    return part.type === 'tool-result' ? [] : contentParts(part);
  });
}

/** An id that is Gemini's own goes back; without one, calls and responses belong together by their order. */
function idOf(call: ToolCallPart | undefined, id: string): { id?: string } {
  return call !== undefined && keptData(call).hasOwnId === true ? { id } : {};
}

function responseParts({ toolCallId, toolName, output }: ToolResultPart, calls: Calls): readonly GeminiPart[] {
  const call = calls.get(toolCallId);
  const name = functionName(call?.toolName ?? toolName);
  const field = output.type === 'error-text' || output.type === 'error-json' ? 'error' : 'output';
  const media = output.type === 'content' ? output.value.filter(({ type }) => type !== 'text') : [];
  const value = output.type === 'content' ? textOf(output.value) : output.value;
  const response = { [field]: jsonToWellFormed(value) as JsonValue };
  return [{ functionResponse: { ...idOf(call, toolCallId), name, response } }, ...media.flatMap(contentParts)];
}

function textOf(parts: readonly { readonly type: string; readonly text?: string }[]): string {
  return parts.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : [])).join('\n');
}
