/** What a configuration file may say, how it is checked, and what it means for one conversation. */

export { type ThinkingLevel, thinkingLevels, type VerboseLevel, verboseLevels } from '../settings/setting-values.ts';
export type {
  AgentSettings,
  ChannelSettings,
  CompactionSettings,
  GlobalSettings,
  MemorySettings,
  PruningSettings,
  RecallSettings,
} from './agent-settings.ts';
export { type ConfigProblem, configError } from './config-problem.ts';
export type { ConfigWarning } from './config-warning.ts';
export {
  type ConfigLayer,
  type EffectiveAbout,
  type EffectiveConfig,
  type EffectiveSettings,
  effectiveConfig,
  type SettingSource,
} from './effective-config.ts';
export { type CheckedConfig, type ReadConfigOptions, readConfig } from './read-config.ts';
export { type ResetPolicySettings, resetPolicyOptionsOf } from './reset-policy-options-of.ts';
export type { ResetByType, ResetSettings } from './reset-settings.ts';
export { modelNamesOf, resolveModel } from './resolve-model.ts';
export { defaultAgentOf, routingOptionsOf } from './routing-options-of.ts';
export { type SendPolicySettings, sendPolicyOptionsOf } from './send-policy-options-of.ts';
export type {
  ChatKind,
  OneOrMore,
  SendMatchSettings,
  SendRuleSettings,
  SendRules,
  SendSettings,
} from './send-settings.ts';
export { maintenancePolicyOf, sessionsOptionsOf } from './sessions-options-of.ts';
export {
  defineConfig,
  type ImportSource,
  type MaintenanceSettings,
  type ModelFactSettings,
  type ModelSettings,
  type ProviderSettings,
  type SessionSettings,
  type StoreSettings,
  type SubagentSettings,
  type VarveConfig,
} from './varve-config.ts';
