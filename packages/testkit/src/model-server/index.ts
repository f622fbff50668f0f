export { type Gate, gate } from './exchange/gate.ts';
export {
  type AnswerBlock,
  type AnswerOptions,
  type AnswerStop,
  answer,
  type CutPlace,
  type FailureKind,
  type FailureOptions,
  failure,
  type ModelAnswer,
  type ModelFailure,
  type ModelOutcome,
  type ModelScript,
  type ModelSilence,
  type ReportedUsage,
  silence,
} from './exchange/model-outcome.ts';
export type {
  ExchangeEnd,
  ModelApi,
  SeenCall,
  SeenConversation,
  SeenMessage,
  SeenResult,
  SeenTool,
  ServedRequest,
} from './exchange/served-request.ts';
export { echo } from './scripts/echo.ts';
export { fixedReplies } from './scripts/fixed-replies.ts';
export {
  type Misbehaviour,
  type MisbehaviourName,
  misbehaveAt,
  misbehaviours,
} from './scripts/misbehaviours.ts';
export { type SummariserOptions, summariser } from './scripts/summariser.ts';
export { type ToolAgentOptions, toolAgent } from './scripts/tool-agent.ts';
export { type ModelServer, type ModelServerOptions, startModelServer } from './server/start-model-server.ts';
