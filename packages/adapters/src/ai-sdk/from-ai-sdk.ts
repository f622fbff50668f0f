import type { FilePart, ImagePart, Message, ReasoningPart, TextPart, ToolCallPart, ToolResultPart } from '@varve/core';
import { jsonOf } from '../json-of.ts';
import { type Fields, fieldsOf, keepData } from './kept-data.ts';
import type { AiSdkMessage, AiSdkPart } from './messages.ts';
import { outputOf } from './outputs.ts';
import { invalidMessage, spokenPart, userPart } from './parts.ts';

/**
 * Reads messages of the AI SDK: a list of `ModelMessage`, or a prompt as a language model gets it. Provider options,
 * with signatures of reasoning in them, and parts of types that are not known here are kept, and go back as they came
 * with `toAiSdk`; so do calls that the provider has run itself, with their results.
 *
 * @throws VARVE_MESSAGE_INVALID  with the path of what is no message.
 */
export function fromAiSdk(messages: readonly AiSdkMessage[]): readonly Message[] {
  if (!Array.isArray(messages)) throw invalidMessage('(root)', 'it is no list');
  return messages.flatMap((message: unknown, index) => messagesOf(message, `${index}`));
}

function messagesOf(given: unknown, path: string): readonly Message[] {
  const { role, content, providerOptions } = fieldsOf(given) as { readonly [field: string]: unknown };
  if (role === 'system') {
    if (typeof content !== 'string') throw invalidMessage(`${path}.content`, 'it is no text');
    return [{ role, content }];
  }
  if (role !== 'user' && role !== 'assistant' && role !== 'tool') throw invalidMessage(`${path}.role`, 'it is no role');
  const parts = partsOf(content, `${path}.content`);
  if (role === 'tool') return toolMessages(parts, path);
  const read = role === 'user' ? userPart : spokenPart;
  const made = parts.map((part, index) => read(part, `${path}.content.${index}`));
  return [{ role, content: withMessageOptions(made, providerOptions) } as Message];
}

function partsOf(content: unknown, path: string): readonly AiSdkPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content } as AiSdkPart];
  if (!Array.isArray(content)) throw invalidMessage(path, 'it is no content');
  content.forEach((part: unknown, index) => {
    const { type } = fieldsOf(part);
    if (typeof type !== 'string') throw invalidMessage(`${path}.${index}`, 'it is no part');
  });
  return content as readonly AiSdkPart[];
}

/** Options of a message go with its first part: messages of ours have none. */
function withMessageOptions<Part extends TextPart | ReasoningPart | ImagePart | FilePart | ToolCallPart>(
  parts: readonly Part[],
  options: unknown,
): readonly Part[] {
  const [first, ...others] = parts;
  const kept = fieldsOf(jsonOf(options ?? {}, 'providerOptions'));
  if (first === undefined || Object.keys(kept).length === 0) return parts;
  const own = { ...fieldsOf(first.providerOptions?.['ai-sdk']), messageOptions: kept };
  return [{ ...first, providerOptions: { ...first.providerOptions, 'ai-sdk': own } }, ...others];
}

/** Results, and beside them what else such a message holds: answers to questions of a provider. */
function toolMessages(parts: readonly AiSdkPart[], path: string): readonly Message[] {
  const results: ToolResultPart[] = [];
  const others: Fields[] = [];
  parts.forEach((part, index) => {
    const at = `${path}.content.${index}`;
    const { type, toolCallId, toolName, output, providerOptions } = part as Fields & AiSdkPart;
    if (type === 'tool-result' && typeof toolCallId === 'string' && typeof toolName === 'string') {
      const { output: read, kept } = outputOf(output, `${at}.output`);
      results.push({ type, toolCallId, toolName, output: read, ...keepData(providerOptions, kept) });
    } else others.push(fieldsOf(jsonOf(part, at)));
  });
  const answers = others.map((part): Message => {
    const message = { role: 'tool', content: [part] };
    return { role: 'user', content: [{ type: 'text', text: '', ...keepData(undefined, { message }) }] };
  });
  return results.length === 0 ? answers : [{ role: 'tool', content: results }, ...answers];
}
