// Adapters

export { adapterCases } from './adapters/adapter-cases.ts';
export type { AdapterCase, AdapterPrompt, AdapterSubject, Said, SaidPart } from './adapters/adapter-subject.ts';
// What a case is
export { assertEqual, assertFails, assertThat, CaseFailure } from './assert.ts';
export type { Case, CaseResult, CaseStatus, Closable, ExpectedFailures } from './case.ts';
// Conversations, chance and time
export {
  type Conversation,
  type GenerateOptions,
  generateConversation,
  type Utterance,
} from './conversation/generate-conversation.ts';
export { type Random, seededRandom } from './conversation/seeded-random.ts';
export { largeResultChars, measureTraits, type Trait, type TraitShare, traits } from './conversation/trait.ts';
// Engines
export { engineCases } from './engines/engine-cases.ts';
export type { EngineCase, EngineSubject } from './engines/engine-subject.ts';
export {
  beginJournal,
  checkpointFrom,
  collectEntries,
  entryIdOf,
  messageEntries,
  messageEntry,
  readLawfulTail,
} from './journal-entries.ts';
export { type ManualClock, manualClock } from './manual-clock.ts';
// Model ports
export { modelPortCases } from './models/model-port-cases.ts';
export type {
  ModelPortCase,
  ModelPortSubject,
  PortOutcome,
  PortScript,
  ScriptedCall,
} from './models/model-port-subject.ts';
// Plugins
export { pluginCases } from './plugins/plugin-cases.ts';
export {
  type PluginCase,
  type PluginSubject,
  type PluginTrialOptions,
  pluginSubject,
} from './plugins/plugin-subject.ts';
// Score cards
export { casePage, type ScoreCard, type ScoredCase, type SubjectKind, scoreCard } from './score-card/score-card.ts';
// Stores
export { storeCases } from './stores/store-cases.ts';
export type { StoreCase, StoreSubject } from './stores/store-subject.ts';
