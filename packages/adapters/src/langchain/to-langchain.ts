import {
  type AssistantMessage,
  type Message,
  type Prompt,
  type ToolResultPart,
  textOfOutput,
  type UserMessage,
  VarveError,
} from '@varve/core';
import { objectInput } from '../call-input.ts';
import { blocksOfParts } from './content-blocks.ts';
import { keptData } from './kept-data.ts';
import type { LangChainFields, LangChainOutBlock, LangChainToolCall } from './messages.ts';

/**
 * Turns a prompt into messages of LangChain, as the plain fields of them: `model.invoke` takes them as they are. Pure.
 * What `fromLangChain` has kept goes back as it came. Results stand one a message, as chat models want them.
 *
 * @throws VARVE_OPTION_INVALID  for what is no prompt.
 */
export function toLangChain({ system, messages }: Pick<Prompt, 'system' | 'messages'>): LangChainFields[] {
  if (!Array.isArray(system) || !Array.isArray(messages)) {
    throw new VarveError('VARVE_OPTION_INVALID', 'No messages of LangChain can be made of this.', {
      fix: 'Give a prompt of session.assemble.',
      details: { path: 'prompt' },
    });
  }
  return [...systemOf({ system }), ...messages.flatMap(langChainMessages)];
}

/** The system prompt as one message: some providers take no second one. None where there is nothing to say. */
export function systemOf({ system }: Pick<Prompt, 'system'>): LangChainFields[] {
  const text = system
    .map((block) => block.text)
    .filter((one) => one.trim() !== '')
    .join('\n\n');
  return text === '' ? [] : [{ type: 'system', content: text }];
}

/** What one message becomes: one a result, else itself, or nothing when nothing in it can be sent. */
export function langChainMessages(message: Message): readonly LangChainFields[] {
  switch (message.role) {
    case 'system':
      return [{ type: 'system', content: message.content }];
    case 'user':
      return humanMessage(message);
    case 'assistant':
      return aiMessage(message);
    case 'tool':
      return message.content.map(toolMessage);
  }
}

function humanMessage({ content }: UserMessage): readonly LangChainFields[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'human', content }];
  const said = contentOf(blocksOfParts(content), content.some(hasBlock));
  return said.length === 0 ? [] : [{ type: 'human', content: said, ...messageFields(content) }];
}

function aiMessage({ content }: AssistantMessage): readonly LangChainFields[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'ai', content }];
  const blocks = content.flatMap((part): readonly LangChainOutBlock[] => {
    if (part.type !== 'tool-call') return blocksOfParts([part]);
    const { block } = keptData(part);
    return block === undefined ? [] : [block as LangChainOutBlock];
  });
  const calls = content.flatMap((part): LangChainToolCall[] => {
    if (part.type !== 'tool-call') return [];
    const { toolCallId, toolName, input } = part;
    return [{ type: 'tool_call', id: toolCallId, name: toolName, args: { ...objectInput(input) } }];
  });
  const said = contentOf(blocks, content.some(hasBlock));
  const fields = messageFields(content);
  if (said.length === 0 && calls.length === 0 && fields.invalid_tool_calls === undefined) return [];
  return [{ type: 'ai', content: said, ...(calls.length === 0 ? {} : { tool_calls: calls }), ...fields }];
}

function toolMessage(part: ToolResultPart): LangChainFields {
  const { toolCallId, toolName, output } = part;
  const hasFailed = output.type === 'error-text' || output.type === 'error-json';
  return {
    type: 'tool',
    content: output.type === 'content' ? contentOf(blocksOfParts(output.value), true) : textOfOutput(output),
    name: toolName,
    ...messageFields([part]),
    tool_call_id: toolCallId,
    ...(hasFailed ? { status: 'error' as const } : {}),
  };
}

/** Blocks, or one text where that is all there is and it never was anything else. */
function contentOf(blocks: readonly LangChainOutBlock[], isBlocks: boolean): string | LangChainOutBlock[] {
  if (isBlocks) return [...blocks];
  const isText = blocks.every(({ type }) => type === 'text');
  return isText ? blocks.map(({ text }) => String(text)).join('') : [...blocks];
}

function hasBlock(part: Parameters<typeof keptData>[0]): boolean {
  return keptData(part).block !== undefined;
}

type Kept = Pick<LangChainFields, 'id' | 'name' | 'additional_kwargs' | 'response_metadata' | 'invalid_tool_calls'>;

function messageFields([first]: readonly Parameters<typeof keptData>[0][]): Kept {
  return first === undefined ? {} : ((keptData(first).message ?? {}) as Kept);
}
