export { invalidCallResults } from '../call-input.ts';
export type { ToolChoice } from '../tool-choice.ts';
export { type FromGeminiOptions, fromGemini } from './from-gemini.ts';
export { type GeminiCall, type GeminiClient, type GeminiModelOptions, geminiModel } from './model.ts';
export { readGeminiStream } from './read-stream.ts';
export type { GeminiReply, GeminiReplyPart } from './reply.ts';
export type { GeminiContent, GeminiFields, GeminiFunction, GeminiPart, GeminiRequest } from './request.ts';
export { type ToGeminiOptions, toGemini } from './to-gemini.ts';
