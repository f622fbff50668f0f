// The journal and what it means

export type { AssembleOptions } from './assemble.ts';
export type { Budget, BudgetOptions } from './budget.ts';
export { resolveBudget } from './budget.ts';
export type { CarriedState, HeldMessage, SlotText } from './carried-state.ts';
export { type Clock, systemClock } from './clock.ts';
export type { CompactOptions } from './compact.ts';
// Compaction
export {
  type CompactOutcome,
  type CompactRequest,
  isRefusal,
  type Plan,
  type PlanAction,
  type PlanOptions,
  type Pressure,
  type Refusal,
  type SummarizeRequest,
} from './compaction.ts';
export { buildDigest } from './digest.ts';
export type { Draft, DraftDiff, EditablePart, Group, Item } from './draft.ts';
export type { ContextEngine, EngineInfo } from './engine.ts';
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
  MessageEntry,
  NewEntry,
  RecordEntry,
  RequestEntry,
  RequestLayer,
  RevokeEntry,
  SettingEntry,
  StateEntry,
  TurnKind,
  UserLogLine,
  Verdict,
  VerdictChange,
  VerdictKind,
} from './entry.ts';
export { type ErrorCode, errorCodes, VarveError, type VarveErrorOptions } from './errors.ts';
export type { EventBase, EventName, Events, HostEvents, Unsubscribe } from './events.ts';
export type { EntryExplanation, ExplainQuery, Explanation } from './explain.ts';
export { type Folded, fold } from './fold.ts';
export type { Health, HealthFinding } from './health.ts';
export type { HookContext, PressureLevel, SessionView } from './hook-context.ts';
export {
  type FailurePolicy,
  type HookName,
  type HookRule,
  type HookValues,
  hookRules,
  type Ingested,
  type PluginHooks,
  type Tap,
  type TappableHook,
} from './hooks.ts';
// Sessions
export { createHost, type Host, type HostOptions, type OpenOptions } from './host.ts';
export type { IdentifierKind } from './identifier-kind.ts';
export { extractIdentifiers } from './identifiers.ts';
export type { IngestOptions } from './ingest.ts';
export type { JsonValue } from './json-value.ts';
export type { Layer, LayerItem, LayerPlace, LayerSpec, Stability } from './layer.ts';
export { mergeLedger } from './ledger.ts';
export { memoryStore } from './memory-store.ts';
export {
  type AssistantMessage,
  type FilePart,
  type ImagePart,
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
export type { ModelRef } from './model-ref.ts';
// Plugins and engines
export {
  definePlugin,
  type OptionsSchema,
  type Plugin,
  type PluginContext,
  type PluginDefinition,
  type PluginFactory,
  type StandardResult,
} from './plugin.ts';
// Prompts
export type { Block, EntryVerdict, Manifest, Prompt, PromptMarks, RangeVerdict } from './prompt.ts';
export { type RenderDigestOptions, renderDigest, renderedFrameTokens } from './render-digest.ts';
export type { PluginList } from './resolve-plugins.ts';
export type { Session } from './session.ts';
export type { AppendOptions, Checkpoint, Journal, JournalHeader, Store, Tail } from './store.ts';
export { textsOfMessage } from './texts-of-message.ts';
export { textOfOutput } from './thread.ts';
// Tokens, time, errors
export { createTokenCounter, heuristicCounter, type TokenCounter, tableCounter } from './token-counter.ts';
export { estimateTokens } from './token-estimator.ts';
export type { Milliseconds, Seq, Tokens, Ulid } from './units.ts';
export { API_VERSION } from './version.ts';
