export type { Budget, BudgetOptions, BudgetUse, PressureLevel } from './budget.ts';
export { resolveBudget } from './budget.ts';
export { type Clock, systemClock } from './clock.ts';
export {
  type CompactOutcome,
  type CompactRequest,
  isRefusal,
  type Plan,
  type PlanAction,
  type PlanOptions,
  type Pressure,
  type Prose,
  type Refusal,
  type SummarizeRequest,
} from './compaction/compaction.ts';
export { cutText } from './cut-text.ts';
export { type BuildDigestOptions, buildDigest } from './digest/digest.ts';
export type { IdentifierKind } from './digest/identifier-kind.ts';
export { extractIdentifiers } from './digest/identifiers.ts';
export { isStatement, ledgerScore, mergeLedger } from './digest/ledger.ts';
export { linesOf } from './digest/one-line.ts';
export { type RenderDigestOptions, renderDigest, renderedFrameTokens } from './digest/render-digest.ts';
export type { Draft, DraftDiff, EditablePart, Group, Item, ItemNote, NoteSpec } from './draft/draft.ts';
export type { Layer, LayerItem, LayerPlace, LayerSpec, Stability } from './draft/layer.ts';
export { mostLeadTokens } from './draft/lead.ts';
export { type ErrorCode, errorCodes, throwIfAborted, VarveError, type VarveErrorOptions } from './errors.ts';
export type { Inbound, InboundSender } from './inbound.ts';
export type { Branch } from './journal/branch.ts';
export type { Calibration } from './journal/calibration.ts';
export type { CarriedState, HeldMessage, SlotText } from './journal/carried-state.ts';
export { countEntry } from './journal/count-entry.ts';
export type {
  AppliedEdit,
  CompactionEntry,
  CompactionRange,
  CompactTrigger,
  Digest,
  Edit,
  EditEntry,
  Entry,
  EntryBase,
  EntryRef,
  HeadEntry,
  LedgerFact,
  LeftOutNote,
  MessageEntry,
  NewEntry,
  NoteRef,
  RecordEntry,
  RequestEntry,
  RequestLayer,
  RequestNote,
  RevokeEntry,
  SettingEntry,
  StateEntry,
  TurnKind,
  UserLogLine,
  Verdict,
  VerdictChange,
  VerdictKind,
} from './journal/entry.ts';
export { type Folded, fold } from './journal/fold.ts';
export { type MemoryStoreOptions, memoryStore } from './journal/memory-store.ts';
export { type PatchOptions, patchRecord } from './journal/patch-record.ts';
export { defaultSessions, listSessions, mostSessions } from './journal/session-listing.ts';
export {
  emptyCounters,
  type ForkOrigin,
  type SessionCounters,
  type SessionIndex,
  type SessionLease,
  type SessionPatch,
  type SessionQuery,
  type SessionRecord,
} from './journal/session-record.ts';
export type {
  AppendOptions,
  Checkpoint,
  Journal,
  JournalArchives,
  JournalBatch,
  JournalHeader,
  PackedSize,
  Store,
  Tail,
} from './journal/store.ts';
export type { JsonValue } from './json-value.ts';
export { type CanonicalKeyOptions, canonicalKey } from './key/canonical-key.ts';
export { describeKey } from './key/describe-key.ts';
export { formatKey } from './key/format-key.ts';
export { parseKey } from './key/parse-key.ts';
export { looksLikeSessionId } from './key/session-id.ts';
export {
  agentOf,
  type CronKey,
  chatTypeOf,
  type DirectKey,
  type GlobalKey,
  type HookKey,
  type MainKey,
  type PersonKey,
  type RoomKey,
  type SessionKey,
  type SubagentKey,
  type ThreadPart,
} from './key/session-key.ts';
export {
  type AssistantMessage,
  type FilePart,
  type ImagePart,
  isOfUser,
  type Message,
  type MessagePart,
  messageSchema,
  type Provenance,
  type ProviderOptions,
  partsOfMessage,
  type ReasoningPart,
  type StopReason,
  type SystemMessage,
  type TextPart,
  type ToolCallPart,
  type ToolMessage,
  type ToolOutput,
  type ToolResultPart,
  toolCallsOfMessage,
  type Usage,
  type UserMessage,
} from './message.ts';
export type { ModelCallOptions, ModelDelta, ModelPort, ModelReply, ModelRequest } from './model-port.ts';
export { type ModelRef, modelOfName, nameOfModel } from './model-ref.ts';
export type { ModelFacts, ModelPrices, ModelRegistry } from './model-registry.ts';
export type { Delivery, DeliveryDecision, DeliveryKind } from './plugins/delivery.ts';
export type { Deprecation } from './plugins/deprecation.ts';
export type { ContextEngine, EngineInfo } from './plugins/engine.ts';
export type {
  EventBase,
  EventName,
  Events,
  HostEventBase,
  HostEvents,
  JournalEvent,
  JournalEventBase,
  JournalEvents,
  LiveEvents,
  TapEvent,
  Unsubscribe,
} from './plugins/events.ts';
export type { CompactionHealth, Health, HealthFinding, PartsHealth } from './plugins/health.ts';
export type { HookContext, JournalReader, SessionView } from './plugins/hook-context.ts';
export {
  type Command,
  type CommandLine,
  type CommandReply,
  type CommandSender,
  type FailurePolicy,
  type HookName,
  type HookRule,
  type HookValues,
  hookRules,
  type Ingested,
  type PluginHooks,
  type Tap,
  type TappableHook,
} from './plugins/hooks.ts';
export {
  definePlugin,
  type OptionsSchema,
  type Plugin,
  type PluginContext,
  type PluginDefinition,
  type PluginFactory,
  type StandardResult,
} from './plugins/plugin.ts';
export { defineTool, type PluginTool, type PluginTools, type ToolContext } from './plugins/plugin-tool.ts';
export type { ResetAnswer, ResetQuestion } from './plugins/reset-question.ts';
export { type ResetRequest, resetRequestOf } from './plugins/reset-request.ts';
export type { PluginList } from './plugins/resolve-plugins.ts';
export { nameOfAction } from './prompt/manifest-actions.ts';
export type {
  Block,
  EntryVerdict,
  Manifest,
  ManifestAction,
  ManifestNote,
  Prompt,
  PromptMarks,
  RangeVerdict,
} from './prompt/prompt.ts';
export { isRecovered } from './recovered-result.ts';
export {
  createLexicalIndex,
  type LexicalDocument,
  type LexicalHit,
  type LexicalIndex,
  type LexicalIndexOptions,
  type LexicalQuery,
  type LexicalSearchOptions,
} from './search/lexical-index.ts';
export { termsOfText } from './search/read-terms.ts';
export {
  readSendOverride,
  type SendOverride,
  sendModeOf,
  sendOverrideInForce,
  strictestSend,
} from './send-override.ts';
export type { CommandOptions } from './session/commands/command.ts';
export type { CompactOptions } from './session/compact/compact-outcome.ts';
export type { EntryExplanation, ExplainQuery, Explanation } from './session/explain.ts';
export type { FollowOptions } from './session/follow/follow.ts';
export { createHost, type Host, type HostOptions } from './session/host.ts';
export type { IngestOptions } from './session/ingest.ts';
export type { ForkOptions, OpenOptions, SessionBeginning } from './session/open-options.ts';
export type { AssembleOptions } from './session/prompt-request.ts';
export type { SessionRecords } from './session/record/live-records.ts';
export type { PatchableRecord, SessionNames } from './session/record/session-record-keeper.ts';
export type { MoveHeadOptions } from './session/rewind/move-head.ts';
export type { Session } from './session/session.ts';
export type { SessionPressure } from './session/session-pressure.ts';
export type { TurnOptions } from './session/turn/turn-options.ts';
export type { TurnRecord, TurnStep, TurnToolCall } from './session/turn/turn-record.ts';
export { untilAborted } from './session/turn/until-aborted.ts';
export { type SessionSettingName, sessionSettings } from './session-settings.ts';
export { textOfOutput } from './text-of-output.ts';
export type { ImageFormula } from './tokens/image-formula.ts';
export { textsOfMessage } from './tokens/texts-of-message.ts';
export { createTokenCounter, heuristicCounter, type TokenCounter, tableCounter } from './tokens/token-counter.ts';
export { estimateTokens } from './tokens/token-estimator.ts';
export type { Tool, ToolCallOptions, ToolDefinition, ToolSet } from './tool.ts';
export type { Milliseconds, Seq, Tokens, Ulid } from './units.ts';
export { API_VERSION } from './version.ts';
