import type { JsonValue } from '@varve/core';
import type { SeenConversation, SeenMessage } from '../../exchange/served-request.ts';
import { joinMessages } from '../join-messages.ts';
import { type Fields, fieldsOf, numberOf, parsedOr, recordsOf, stringOf } from '../json-fields.ts';
import type { PromptPart } from '../wire.ts';

const tokensPerMessage = 4;
const tokensPerImage = 765;
const tokensPerFile = 3_000;

/** What a body of Chat Completions asks. */
export function readChat(body: Fields): SeenConversation {
  const { messages, tools, tool_choice, max_tokens, max_completion_tokens } = body;
  const all = recordsOf(messages);
  const leading = all.findIndex(({ role }) => !isInstruction(role));
  const begin = leading < 0 ? all.length : leading;
  const system = all.slice(0, begin).map(({ content }) => textOf(content));
  return {
    system: system.join('\n\n'),
    messages: joinMessages(all.slice(begin).map(seenMessage)),
    tools: recordsOf(tools).map(({ function: offered }) => {
      const { name, parameters } = fieldsOf(offered);
      return { name: stringOf(name), inputSchema: fieldsOf(parameters) };
    }),
    toolChoice: chatChoice(tool_choice),
    maxOutputTokens: numberOf(max_completion_tokens) ?? numberOf(max_tokens),
  };
}

/** The input as the provider reads it: tools, then messages. */
export function chatParts({ messages, tools }: Fields): readonly PromptPart[] {
  return [
    ...recordsOf(tools).map((tool) => ({ key: JSON.stringify(tool), text: JSON.stringify(tool), extraTokens: 0 })),
    ...recordsOf(messages).map((message) => {
      const { content, tool_calls, reasoning_content, reasoning } = message;
      const calls = recordsOf(tool_calls).map(({ function: called }) => {
        const { name, arguments: text } = fieldsOf(called);
        return `${stringOf(name)} ${stringOf(text)}`;
      });
      const texts = [stringOf(reasoning_content), stringOf(reasoning), textOf(content), ...calls];
      const text = texts.filter((one) => one !== '').join('\n');
      return { key: JSON.stringify(message), text, extraTokens: tokensPerMessage + attachmentTokens(content) };
    }),
  ];
}

/** Whether a tool must be called, as both of OpenAI's APIs tell it. */
export function chatChoice(choice: unknown): SeenConversation['toolChoice'] {
  if (choice === 'required' || choice === 'none') return choice;
  const { type, name, function: called } = fieldsOf(choice);
  const { name: inner } = fieldsOf(called);
  return type === 'function' ? { tool: stringOf(name) || stringOf(inner) } : 'auto';
}

/** Tokens of images and files among content of either API. */
export function attachmentTokens(content: unknown): number {
  return recordsOf(content).reduce((sum, { type }) => {
    if (type === 'image_url' || type === 'input_image') return sum + tokensPerImage;
    return sum + (type === 'file' || type === 'input_file' || type === 'input_audio' ? tokensPerFile : 0);
  }, 0);
}

/** The texts of content of either API. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return recordsOf(content)
    .map(({ text, refusal }) => stringOf(text) || stringOf(refusal))
    .filter((text) => text !== '')
    .join('\n');
}

function isInstruction(role: unknown): boolean {
  return role === 'system' || role === 'developer';
}

function seenMessage({ role, content, tool_calls, tool_call_id }: Fields): SeenMessage {
  const isResult = role === 'tool';
  const text = textOf(content);
  return {
    role: isInstruction(role) ? 'system' : role === 'assistant' ? 'assistant' : 'user',
    text: isResult ? '' : text,
    calls: recordsOf(tool_calls).map(({ id, function: called }) => {
      const { name, arguments: json } = fieldsOf(called);
      return { id: stringOf(id), name: stringOf(name), input: parsedOr(stringOf(json)) as JsonValue };
    }),
    results: isResult ? [{ callId: stringOf(tool_call_id), text }] : [],
    images: recordsOf(content).filter(({ type }) => type === 'image_url').length,
  };
}
