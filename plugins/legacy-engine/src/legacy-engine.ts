import { type ContextEngine, definePlugin, type PluginFactory } from '@varve/core';
import { z } from 'zod';

const id = 'legacy';
const version = '0.1.0';

/** The reference engine has nothing to choose. */
export type LegacyEngineOptions = Record<string, never>;

/**
 * Registers the engine `legacy`: history as it is, compacted by core's own plan. It is what a host does without any
 * engine, written as one: start from it when you write your own.
 */
export const legacyEngine: PluginFactory<LegacyEngineOptions> = definePlugin({
  name: 'legacy-engine',
  version,
  apiVersion: '^1.0.0',
  options: z.strictObject({}),
  apply: ({ registerEngine }) => registerEngine(id, createLegacyEngine),
});

function createLegacyEngine(): ContextEngine {
  return {
    info: { id, name: 'History as it is', version },
    ingest: async () => ({ ingested: true }),
    assemble: async ({ draft }) => draft,
    compact: async ({ defaultPlan }) => defaultPlan(),
  };
}
