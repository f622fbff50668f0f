import type {
  FilePart,
  ImagePart,
  JsonValue,
  Message,
  MessagePart,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from '@varve/core';
import { objectInput } from '../call-input.ts';
import { jsonToWellFormed, toWellFormed } from '../well-formed.ts';
import { wireName } from '../wire-name.ts';
import { keptData } from './kept-data.ts';
import { fileBlock, imageBlock, namedFile } from './media.ts';
import type {
  AnthropicBlock,
  AnthropicDocumentBlock,
  AnthropicImageBlock,
  AnthropicTextBlock,
  AnthropicToolResultBlock,
  AnthropicToolUseBlock,
} from './request.ts';
import { anthropicToolId } from './tool-id.ts';

/** Longest name of a tool that the API accepts. */
export const longestToolName = 128;

/** A block, and the position of the message that it came from. */
export interface Placed {
  readonly block: AnthropicBlock;
  readonly message: number;
}

/** What an error says when the tool said nothing: the API refuses an empty error. */
const emptyErrorText = '[The tool failed without a message.]';

/** The blocks of one message; none when nothing in it can be sent. */
export function placedBlocks(message: Message, index: number): Placed[] {
  const parts: readonly MessagePart[] =
    typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
  const blocksOf = message.role === 'assistant' ? blocksOfSpokenPart : blocksOfPart;
  return parts.flatMap(blocksOf).map((block) => ({ block, message: index }));
}

/**
 * The API takes no images and documents in what the model said, and no white space at the end of a body. That is taken
 * away everywhere: what ends one request stands in the middle of the next, and must be the same bytes there.
 */
function blocksOfSpokenPart(part: MessagePart): readonly AnthropicBlock[] {
  const { block } = keptData(part);
  if (block !== undefined) return [block];
  if (part.type === 'file') return [namedFile(part)];
  return blocksOfPart(part.type === 'text' ? { ...part, text: part.text.trimEnd() } : part);
}

function blocksOfPart(part: MessagePart): readonly AnthropicBlock[] {
  switch (part.type) {
    case 'reasoning':
      return thinkingBlock(part);
    case 'tool-call':
      return [toolUseBlock(part)];
    case 'tool-result':
      return [toolResultBlock(part)];
    default:
      return contentBlock(part);
  }
}

function contentBlock(
  part: TextPart | ImagePart | FilePart,
): readonly (AnthropicTextBlock | AnthropicImageBlock | AnthropicDocumentBlock)[] {
  if (part.type === 'image') return [imageBlock(part)];
  if (part.type === 'file') return [fileBlock(part)];
  // The API refuses text blocks without a visible character.
  if (part.text.trim() === '') return [];
  return [{ type: 'text', text: toWellFormed(part.text), ...keptData(part).fields }];
}

/** A block may be without text: the provider can keep it to itself and hand out the signature alone. */
function thinkingBlock(part: ReasoningPart): readonly AnthropicBlock[] {
  const { redactedData, signature, fields } = keptData(part);
  if (redactedData !== undefined) return [{ type: 'redacted_thinking', data: redactedData }];
  if (signature === undefined) return [];
  return [{ type: 'thinking', thinking: toWellFormed(part.text), signature, ...fields }];
}

function toolUseBlock(part: ToolCallPart): AnthropicToolUseBlock {
  return {
    type: 'tool_use',
    id: anthropicToolId(part.toolCallId),
    name: wireName(part.toolName, { max: longestToolName }),
    input: jsonToWellFormed(objectInput(part.input)) as AnthropicToolUseBlock['input'],
    ...keptData(part).fields,
  };
}

function toolResultBlock({ toolCallId, output }: ToolResultPart): AnthropicToolResultBlock {
  const failed = output.type === 'error-text' || output.type === 'error-json';
  const content = output.type === 'content' ? output.value.flatMap(contentBlock) : textOfOutput(output.value);
  const isBlank = typeof content === 'string' ? content.trim() === '' : content.length === 0;
  return {
    type: 'tool_result',
    tool_use_id: anthropicToolId(toolCallId),
    content: isBlank ? (failed ? emptyErrorText : '') : content,
    ...(failed ? { is_error: true } : {}),
  };
}

function textOfOutput(value: JsonValue): string {
  return toWellFormed(typeof value === 'string' ? value : JSON.stringify(value));
}
