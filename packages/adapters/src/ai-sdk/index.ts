export { fromAiSdk } from './from-ai-sdk.ts';
export { fromAiSdkReply } from './from-ai-sdk-reply.ts';
export type {
  AiSdkCall,
  AiSdkLanguageModel,
  AiSdkTool,
  NamedLanguageModel,
} from './language-model.ts';
export type {
  AiSdkFilePart,
  AiSdkJson,
  AiSdkMessage,
  AiSdkOptional,
  AiSdkOptions,
  AiSdkOutput,
  AiSdkOutputPart,
  AiSdkPart,
  AiSdkPrompt,
  AiSdkPromptMessage,
  AiSdkReasoningPart,
  AiSdkTextPart,
  AiSdkToolCallPart,
  AiSdkToolResultPart,
} from './messages.ts';
export {
  type AiSdkMiddleware,
  type AiSdkParams,
  type AiSdkStreamReply,
  type AiSdkWrappedCall,
  type VarveMiddlewareOptions,
  varveMiddleware,
} from './middleware.ts';
export { type AiSdkModelOptions, aiSdkModel } from './model.ts';
export {
  type AiSdkPreparedStep,
  type AiSdkStep,
  type AiSdkStepUsage,
  type VarvePrepareStepOptions,
  varvePrepareStep,
} from './prepare-step.ts';
export type { AiSdkReply, AiSdkStreamPart, AiSdkUsage } from './reply.ts';
export { type ToAiSdkOptions, toAiSdk } from './to-ai-sdk.ts';
