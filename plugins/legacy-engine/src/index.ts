export { type LegacyEngineOptions, legacyEngine } from './legacy-engine.ts';
