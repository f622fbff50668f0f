import { type ContextEngine, type Draft, definePlugin, type Plugin } from '@varve/core';
import type { EngineSubject } from '@varve/testkit';
import { z } from 'zod';

/** Id under which the engines of these tests are registered. */
export const engineId = 'careful';

/** An engine that does what its contract says: it leaves out the oldest groups until history fits. */
export function carefulEngine(changes: Partial<ContextEngine> = {}): ContextEngine {
  return {
    info: { id: engineId, name: 'Oldest first', version: '1.0.0' },
    ingest: async () => ({ ingested: true }),
    assemble: async ({ draft }) => fitted(draft),
    compact: async ({ defaultPlan }) => defaultPlan(),
    ...changes,
  };
}

/** Leaves out the oldest groups before the running turn until the rest fits. */
export function fitted(draft: Draft): Draft {
  let over = draft.items.reduce((sum, { tokens }) => sum + tokens, 0) - draft.budget.history;
  const gone: string[] = [];
  for (const { id, live, tokens } of draft.groups()) {
    if (live || over <= 0) break;
    gone.push(id);
    over -= tokens;
  }
  return gone.length === 0 ? draft : draft.drop(gone, 'oldest-first');
}

/** The plugin that registers an engine. */
function enginePlugin(create: () => ContextEngine): Plugin {
  return definePlugin({
    name: 'acme/engine',
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    apply: ({ registerEngine }) => registerEngine(engineId, create),
  })();
}

/** A subject whose engines differ from the careful one. */
export function engineSubject(create: () => ContextEngine): EngineSubject {
  return { engine: engineId, plugin: () => enginePlugin(create) };
}
