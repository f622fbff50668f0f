import { type ContextEngine, type Draft, definePlugin } from '@varve/core';
import { z } from 'zod';

const version = '0.1.0';

/** Id under which a host chooses the engine. */
export const engineId = 'acme/template';

/** Registers an engine that leaves out the oldest exchanges once history has no room any more. */
export const templateEngine = definePlugin({
  name: 'acme/template',
  version,
  apiVersion: '^1.0.0',
  options: z.strictObject({
    share: z.number().min(0.1).max(1).default(0.5).describe('How much of the room for history is freed at once.'),
  }),
  apply: ({ registerEngine }, { share }) => registerEngine(engineId, () => createEngine(share)),
});

/** One engine serves one session. What it keeps besides the journal is a cache, gone after a restart. */
function createEngine(share: number): ContextEngine {
  return {
    info: { id: engineId, name: 'Oldest exchanges first', version },
    ingest: async () => ({ ingested: true }),
    assemble: async ({ draft }) => withoutOldest(draft, share),
    compact: async ({ defaultPlan }) => defaultPlan(),
  };
}

/** Cuts in steps, so that the front of the prompt, which providers cache, seldom moves. */
function withoutOldest(draft: Draft, share: number): Draft {
  const { history } = draft.budget;
  const over = draft.items.reduce((sum, { tokens }) => sum + tokens, 0) - history;
  if (over <= 0) return draft;
  const step = Math.max(1, Math.floor(history * share));
  const goal = Math.ceil(over / step) * step;
  const gone: string[] = [];
  let freed = 0;
  for (const { id, live, protected: isProtected, tokens } of draft.groups()) {
    if (live || freed >= goal) break;
    if (isProtected) continue;
    gone.push(id);
    freed += tokens;
  }
  return gone.length === 0 ? draft : draft.drop(gone, 'oldest-first');
}
