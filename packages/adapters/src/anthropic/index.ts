export { invalidCallResults } from '../call-input.ts';
export type { ToolChoice } from '../tool-choice.ts';
export { type FromAnthropicOptions, fromAnthropic } from './from-anthropic.ts';
export { type AnthropicClient, type AnthropicModelOptions, anthropicModel } from './model.ts';
export { readAnthropicStream } from './read-stream.ts';
export type { AnthropicReply, AnthropicReplyBlock, AnthropicStreamEvent, AnthropicUsage } from './reply.ts';
export type {
  AnthropicBlock,
  AnthropicCacheControl,
  AnthropicDocumentBlock,
  AnthropicImageBlock,
  AnthropicMessage,
  AnthropicRedactedThinkingBlock,
  AnthropicRequest,
  AnthropicTextBlock,
  AnthropicThinking,
  AnthropicThinkingBlock,
  AnthropicTool,
  AnthropicToolChoice,
  AnthropicToolResultBlock,
  AnthropicToolUseBlock,
} from './request.ts';
export { type ToAnthropicOptions, toAnthropic } from './to-anthropic.ts';
