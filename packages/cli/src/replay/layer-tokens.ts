import type { EntryVerdict, Prompt, Tokens } from '@varve/core';

/** Tokens of one request by what they are; together they are the request's tokens. */
export interface LayerTokens {
  /** System prompt and tools: what the host sends besides, and the layers of the system role. */
  readonly system: Tokens;
  /** The digest of what was compacted, and other layers in front of the messages. */
  readonly summary: Tokens;
  /** Messages before the running turn. */
  readonly history: Tokens;
  /** The newest user message and all behind it. */
  readonly live: Tokens;
  /** Notes of plugins, which stay where they were made until the next rebuild. */
  readonly notes: Tokens;
  /** What changes with every request and stands behind the last cache mark. */
  readonly volatile: Tokens;
}

/** Names of the layers in the order in which they are sent. */
export const layerNames: readonly (keyof LayerTokens)[] = ['system', 'summary', 'history', 'live', 'notes', 'volatile'];

/** A request that was not made. */
export const noLayerTokens: LayerTokens = { system: 0, summary: 0, history: 0, live: 0, notes: 0, volatile: 0 };

/** Tells the tokens of a prompt apart, with `systemTokens` that the host sends besides. */
export function layerTokensOf(prompt: Prompt, { systemTokens }: { readonly systemTokens: Tokens }): LayerTokens {
  const { system, messages, marks, manifest } = prompt;
  const inSystem = new Set(system.map(({ layer }) => layer));
  const others = manifest.layers.filter(({ id }) => !inSystem.has(id));
  // Layers stand in the order in which they are sent, and each volatile one is a message of its own.
  const stableCount = others.length - (messages.length - marks.afterStable);
  const liveFrom = startOfLive(manifest.entries);
  return {
    system: systemTokens + sum(manifest.layers.filter(({ id }) => inSystem.has(id))),
    summary: sum(others.slice(0, stableCount)),
    history: manifest.madeUpTokens + sum(manifest.entries.slice(0, liveFrom)),
    live: sum(manifest.entries.slice(liveFrom)),
    notes: sum(manifest.notes),
    volatile: sum(others.slice(stableCount)),
  };
}

/** The first of the newest run of user messages. */
function startOfLive(entries: readonly EntryVerdict[]): number {
  let start = entries.findLastIndex(({ role }) => role === 'user');
  while (start > 0 && entries[start - 1]?.role === 'user') start -= 1;
  return start === -1 ? entries.length : start;
}

function sum(parts: readonly { readonly tokens: Tokens }[]): Tokens {
  return parts.reduce((total, { tokens }) => total + tokens, 0);
}
