import type { JsonValue } from '@varve/core';
import type { SeenConversation, SeenMessage } from '../../exchange/served-request.ts';
import { type Fields, fieldsOf, numberOf, recordsOf, stringOf } from '../json-fields.ts';
import type { PromptPart } from '../wire.ts';

const tokensPerMessage = 4;
const tokensPerImage = 1_600;
const tokensPerDocument = 3_000;

/** The blocks of some content; a text counts as one block. */
export function blocksOf(content: unknown): readonly Fields[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : recordsOf(content);
}

/** What a body asks. */
export function readAnthropic({ system, messages, tools, tool_choice, max_tokens }: Fields): SeenConversation {
  return {
    system: textsOf(blocksOf(system)),
    messages: recordsOf(messages).flatMap(seenMessages),
    tools: recordsOf(tools).map(({ name, input_schema }) => ({
      name: stringOf(name),
      inputSchema: fieldsOf(input_schema),
    })),
    toolChoice: choiceOf(fieldsOf(tool_choice)),
    maxOutputTokens: numberOf(max_tokens),
  };
}

/** The input as the provider reads it: tools, the system prompt, messages. */
export function anthropicParts({ system, messages, tools }: Fields): readonly PromptPart[] {
  return [
    ...recordsOf(tools).map((tool) => partOf(tool, { text: JSON.stringify(withoutMark(tool)), extraTokens: 0 })),
    ...blocksOf(system).map((block) => partOf(block, { text: blockText(block), extraTokens: 0 })),
    ...recordsOf(messages).flatMap(({ role, content }) =>
      blocksOf(content).map((block, index) => {
        const frame = index === 0 ? tokensPerMessage : 0;
        const counted = { text: blockText(block), extraTokens: frame + attachmentTokens(block) };
        return partOf(block, { ...counted, role: stringOf(role) });
      }),
    ),
  ];
}

function textsOf(blocks: readonly Fields[]): string {
  return blocks
    .filter(({ type }) => type === 'text')
    .map(({ text }) => stringOf(text))
    .join('\n');
}

/** Results are a message of their own, before what stands beside them. */
function seenMessages({ role, content }: Fields): readonly SeenMessage[] {
  const blocks = blocksOf(content);
  const results = blocks.filter(({ type }) => type === 'tool_result');
  const others = blocks.filter(({ type }) => type !== 'tool_result');
  const answered: SeenMessage = {
    role: 'user',
    text: '',
    calls: [],
    results: results.map(({ tool_use_id, content: of }) => ({
      callId: stringOf(tool_use_id),
      text: textsOf(blocksOf(of)),
    })),
    images: countImages(results.flatMap(({ content: of }) => blocksOf(of))),
  };
  const said: SeenMessage = {
    role: role === 'assistant' ? 'assistant' : 'user',
    text: textsOf(others),
    calls: others
      .filter(({ type }) => type === 'tool_use')
      .map(({ id, name, input }) => ({ id: stringOf(id), name: stringOf(name), input: (input ?? null) as JsonValue })),
    results: [],
    images: countImages(others),
  };
  return [...(results.length > 0 ? [answered] : []), ...(others.length > 0 ? [said] : [])];
}

function countImages(blocks: readonly Fields[]): number {
  return blocks.filter(({ type }) => type === 'image').length;
}

function choiceOf({ type, name }: Fields): SeenConversation['toolChoice'] {
  if (type === 'tool') return { tool: stringOf(name) };
  if (type === 'any') return 'required';
  return type === 'none' ? 'none' : 'auto';
}

function blockText({ type, text, thinking, name, input, content, source }: Fields): string {
  if (type === 'tool_use') return `${stringOf(name)} ${JSON.stringify(input ?? {})}`;
  if (type === 'tool_result') return blocksOf(content).map(blockText).join('\n');
  if (type === 'document') {
    const { type: kind, data } = fieldsOf(source);
    return kind === 'text' ? stringOf(data) : '';
  }
  return stringOf(text) || stringOf(thinking);
}

function attachmentTokens({ type, content, source }: Fields): number {
  if (type === 'image') return tokensPerImage;
  const { type: kind } = fieldsOf(source);
  if (type === 'document') return kind === 'text' ? 0 : tokensPerDocument;
  return type === 'tool_result'
    ? blocksOf(content).reduce<number>((sum, block) => sum + attachmentTokens(block), 0)
    : 0;
}

function partOf(
  block: Fields,
  { text, extraTokens, role = '' }: { readonly text: string; readonly extraTokens: number; readonly role?: string },
): PromptPart {
  const { cache_control } = block;
  const { type, ttl } = fieldsOf(cache_control);
  const mark = ttl === '1h' ? '1h' : '5m';
  const key = `${role} ${JSON.stringify(withoutMark(block))}`;
  return { key, text, extraTokens, ...(type === 'ephemeral' ? { mark } : {}) };
}

function withoutMark({ cache_control: _, ...block }: Fields): Fields {
  return block;
}
