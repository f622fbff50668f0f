export { fromLangChain, usageOfLangChain } from './from-langchain.ts';
export type {
  LangChainBlock,
  LangChainFields,
  LangChainMessage,
  LangChainOutBlock,
  LangChainToolCall,
} from './messages.ts';
export {
  type LangChainMiddleware,
  type LangChainRequest,
  type VarveMiddlewareOptions,
  varveMiddleware,
} from './middleware.ts';
export {
  type LangChainCall,
  type LangChainChatModel,
  type LangChainModelOptions,
  type LangChainRunnable,
  langChainModel,
} from './model.ts';
export { toLangChain } from './to-langchain.ts';
