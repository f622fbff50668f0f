export type { CrossSession, HostDelivery } from './egress/deliver.ts';
export type { Leaving, Outgoing, ReturnAddress } from './egress/outgoing.ts';
export type { GenerationNames } from './generation/begin-generation.ts';
export type { LifecycleEvents } from './generation/session-events.ts';
export type { BulkAction, BulkReport } from './listing/bulk-change.ts';
export type { ChangeLine } from './listing/change-line.ts';
export type { ChangeOptions } from './listing/change-options.ts';
export type { SessionListing } from './listing/create-listing.ts';
export { type CronRun, cronRunKey, runOfCron } from './listing/cron-run.ts';
export { type ConversationKind, conversationKinds } from './listing/key-facts.ts';
export type { ListedSession, SessionPage } from './listing/list-sessions.ts';
export type { MaintenanceLine, MaintenanceReport } from './listing/maintain.ts';
export type { MaintenancePolicy } from './listing/maintenance-policy.ts';
export type { MaintenanceRule } from './listing/plan-maintenance.ts';
export type { StorageRule } from './listing/plan-storage.ts';
export type {
  GenerationState,
  PageEnd,
  SessionFilter,
  SessionListQuery,
  SessionOrder,
} from './listing/session-list-query.ts';
export type {
  AgentBranch,
  BranchTotals,
  ConversationBranch,
  GenerationLeaf,
  KindBranch,
  SessionTree,
} from './listing/session-tree.ts';
export type { ArchiveOptions } from './live/archive-key.ts';
export type {
  ForkKeyOptions,
  Lifecycle,
  ResetOptions,
  ResetResult,
} from './live/lifecycle.ts';
export type { LiveOptions, LiveState } from './live/live-sessions.ts';
export type { SessionWork } from './live/session-work.ts';
export type { ConversationPressure } from './receive/conversation-pressure.ts';
export type { MessageIntake } from './receive/message-intake.ts';
export type { Received, ReceivedReset, ReceivedStatus, ReceiveOptions } from './receive/received.ts';
export type { TurnEvents } from './receive/turn-slots.ts';
export { createRouting } from './route/create-routing.ts';
export { type Route, resolveRoute } from './route/resolve-route.ts';
export type { Binding, Routing, RoutingOptions } from './route/routing.ts';
export { createSessions, type Sessions } from './sessions.ts';
export type { SessionsOptions } from './sessions-options.ts';
export type { CarryOverOptions, CarryOverRule, ResetKind } from './settings/carry-over.ts';
export type { DefaultsAbout, DefaultsOf, SessionDefaults } from './settings/session-defaults.ts';
export type { ModelChoice, SessionModels } from './settings/session-models.ts';
export type { VerboseLevel } from './settings/setting-values.ts';
export type { ChildFacts } from './subagent/list-children.ts';
export type { Recovery } from './subagent/recover-children.ts';
export type { ChildEnd, Spawned, SpawnOptions } from './subagent/spawn-options.ts';
export type { SubagentEvents } from './subagent/subagent-events.ts';
export type { PreparedSpawn, SubagentOptions } from './subagent/subagent-options.ts';
