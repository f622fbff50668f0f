import type { JsonValue } from '@varve/core';
import type { SeenConversation, SeenMessage } from '../../exchange/served-request.ts';
import { joinMessages } from '../join-messages.ts';
import { type Fields, fieldsOf, numberOf, parsedOr, recordsOf, stringOf } from '../json-fields.ts';
import type { PromptPart } from '../wire.ts';
import { attachmentTokens, chatChoice, textOf } from './read-chat.ts';

const tokensPerItem = 4;

/** The items of the input; a text counts as one message of the user. */
export function inputItems({ input }: Fields): readonly Fields[] {
  return typeof input === 'string' ? [{ role: 'user', content: input }] : recordsOf(input);
}

/** What a body of Responses asks. */
export function readResponses(body: Fields): SeenConversation {
  const { instructions, tools, tool_choice, max_output_tokens } = body;
  return {
    system: stringOf(instructions),
    messages: joinMessages(inputItems(body).flatMap(seenMessage)),
    tools: recordsOf(tools).map(({ name, parameters }) => ({
      name: stringOf(name),
      inputSchema: fieldsOf(parameters),
    })),
    toolChoice: chatChoice(tool_choice),
    maxOutputTokens: numberOf(max_output_tokens),
  };
}

/** The input as the provider reads it: instructions, tools, items. */
export function responsesParts(body: Fields): readonly PromptPart[] {
  const { instructions, tools } = body;
  const system = stringOf(instructions);
  return [
    ...(system === '' ? [] : [{ key: system, text: system, extraTokens: tokensPerItem }]),
    ...recordsOf(tools).map((tool) => ({ key: JSON.stringify(tool), text: JSON.stringify(tool), extraTokens: 0 })),
    ...inputItems(body).map((item) => {
      const { content, output, name, arguments: json, summary } = item;
      const call = name === undefined ? '' : `${stringOf(name)} ${stringOf(json)}`;
      const texts = [textOf(summary), textOf(content), textOf(output), call];
      const attached = attachmentTokens(content) + attachmentTokens(output);
      const text = texts.filter((one) => one !== '').join('\n');
      return { key: JSON.stringify(item), text, extraTokens: tokensPerItem + attached };
    }),
  ];
}

function seenMessage(item: Fields): readonly SeenMessage[] {
  const { type, role, content, call_id, name, arguments: json, output } = item;
  const nothing = { text: '', calls: [], results: [], images: 0 };
  if (type === 'function_call') {
    const input = parsedOr(stringOf(json)) as JsonValue;
    return [{ ...nothing, role: 'assistant', calls: [{ id: stringOf(call_id), name: stringOf(name), input }] }];
  }
  if (type === 'function_call_output') {
    const results = [{ callId: stringOf(call_id), text: textOf(output) }];
    return [{ ...nothing, role: 'user', results, images: countImages(output) }];
  }
  if (type !== undefined && type !== 'message') return [];
  const from = role === 'assistant' ? 'assistant' : role === 'user' ? 'user' : 'system';
  return [{ ...nothing, role: from, text: textOf(content), images: countImages(content) }];
}

function countImages(content: unknown): number {
  return recordsOf(content).filter(({ type }) => type === 'input_image').length;
}
