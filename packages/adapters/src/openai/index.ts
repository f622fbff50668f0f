export { invalidCallResults } from '../call-input.ts';
export type { ToolChoice } from '../tool-choice.ts';
export { type OpenAIChatClient, type OpenAIChatModelOptions, openaiChatModel } from './chat-model.ts';
export type {
  OpenAIChatCallPiece,
  OpenAIChatChunk,
  OpenAIChatReply,
  OpenAIChatReplyCall,
  OpenAIChatReplyMessage,
  OpenAIChatUsage,
} from './chat-reply.ts';
export type {
  OpenAIChatAssistant,
  OpenAIChatAudio,
  OpenAIChatContent,
  OpenAIChatFile,
  OpenAIChatImage,
  OpenAIChatMessage,
  OpenAIChatRefusal,
  OpenAIChatRequest,
  OpenAIChatText,
  OpenAIChatTool,
  OpenAIChatToolCall,
  OpenAIChatToolChoice,
} from './chat-request.ts';
export { type FromOpenAIOptions, fromOpenAIChat } from './from-chat.ts';
export { fromOpenAIResponses } from './from-responses.ts';
export { readOpenAIChatStream } from './read-chat-stream.ts';
export { readOpenAIResponsesStream } from './read-responses-stream.ts';
export {
  type OpenAIResponsesClient,
  type OpenAIResponsesModelOptions,
  openaiResponsesModel,
} from './responses-model.ts';
export type {
  OpenAIOutputItem,
  OpenAIResponsesEvent,
  OpenAIResponsesReply,
  OpenAIResponsesUsage,
} from './responses-reply.ts';
export type {
  OpenAIFunctionCall,
  OpenAIFunctionOutput,
  OpenAIFunctionTool,
  OpenAIInputContent,
  OpenAIInputFile,
  OpenAIInputImage,
  OpenAIInputMessage,
  OpenAIInputText,
  OpenAIItem,
  OpenAIOutputMessage,
  OpenAIReasoningItem,
  OpenAIResponsesRequest,
  OpenAIResponsesToolChoice,
} from './responses-request.ts';
export { type ToOpenAIChatOptions, toOpenAIChat } from './to-chat.ts';
export { type ToOpenAIResponsesOptions, toOpenAIResponses } from './to-responses.ts';
