import { targetAbove } from '../budget.ts';
import type { Tokens } from '../units.ts';
import type { Draft } from './draft.ts';
import { createDraft, stateOfDraft } from './draft-operations.ts';
import { type Layer, shrinkLayer } from './layer.ts';
import { leadTokens } from './lead.ts';
import { canBeCut } from './window-cut.ts';

/** The conversation never gets less than this share of what is left beside the running turn. */
const historyShare = 0.5;

/** A draft whose layers have been given their room, and the layers of plugins for which there was none. */
export interface Allocation {
  readonly draft: Draft;
  readonly leftOut: readonly Layer[];
}

/**
 * Makes the layers of a draft small enough: the running turn is reserved whole, history gets at least half of the rest,
 * and layers yield by priority, each down to its `minTokens`. They fill a prompt no further than to `hard`: above it
 * history is cut, and no compaction could make room that they take again. Where the least of all does not fit beside what cannot be
 * left out, plugins' layers go as a whole, the one of the lowest priority first: a plugin cannot make a prompt
 * impossible that is possible without it. Then works out what is left for history.
 */
export function allocateLayers(draft: Draft): Allocation {
  const { budget } = draft;
  if (budget.input === Infinity) return { draft, leftOut: [] };
  if (yielding(draft.layers).length === 0) return { draft: withLayers(draft, draft.layers), leftOut: [] };
  const { items } = stateOfDraft(draft);
  const live = items.reduce((tokens, item) => (item.live ? tokens + item.tokens : tokens), 0);
  const history = items.reduce((tokens, item) => (item.live ? tokens : tokens + item.tokens), 0);
  const free = Math.max(0, budget.hard - budget.reserved - leadTokens(draft) - live);
  const most = free - Math.min(history, free * historyShare);
  return leaveOut(withLayers(draft, shrink(draft, most)));
}

/** Layers of plugins in the order in which they yield: the lowest priority first. */
function yielding(layers: readonly Layer[]): readonly Layer[] {
  return layers.filter((layer) => layer.by !== 'core').toSorted((a, b) => (a.priority ?? 0) - (b.priority ?? 0));
}

/**
 * Takes items from the end of the layers, the one of the lowest priority first, until they fit. A layer that is at its
 * least stays as it is, and the next one yields.
 */
function shrink(draft: Draft, most: Tokens): readonly Layer[] {
  const { layers } = draft;
  let excess = sum(layers) - most;
  if (excess <= 0) return layers;
  const { counter } = stateOfDraft(draft);
  const smaller = new Map<Layer, Layer>();
  for (const layer of yielding(layers)) {
    if (excess <= 0) break;
    if (layer.tokens <= (layer.minTokens ?? 0)) continue;
    const left = shrinkLayer(layer, { counter, limit: layer.tokens - excess });
    smaller.set(layer, left);
    excess -= layer.tokens - left.tokens;
  }
  return layers.map((layer) => smaller.get(layer) ?? layer);
}

/** Leaves layers out until the rest can be made to fit; none where that would not help either. */
function leaveOut(draft: Draft): Allocation {
  const leftOut: Layer[] = [];
  let rest = draft;
  for (const layer of yielding(draft.layers)) {
    if (canBeCut(rest)) break;
    if (layer.tokens === 0) continue;
    leftOut.push(layer);
    rest = withLayers(
      rest,
      rest.layers.filter((other) => other !== layer),
    );
  }
  return canBeCut(rest) ? { draft: rest, leftOut } : { draft, leftOut: [] };
}

/** The draft with these layers as they are, and the budget that follows from them. */
export function withLayers(draft: Draft, layers: readonly Layer[]): Draft {
  const { budget } = draft;
  const systemTokens = sum(layers.filter((layer) => layer.place === 'system'));
  const otherTokens = sum(layers) - systemTokens;
  const fixed = budget.reserved + systemTokens;
  const history = Math.max(0, budget.input - fixed - otherTokens);
  return createDraft({
    ...stateOfDraft(draft),
    layers,
    budget: { ...budget, fixed, history, target: targetAbove(fixed, budget.hard) },
  });
}

function sum(layers: readonly Layer[]): Tokens {
  return layers.reduce((tokens, layer) => tokens + layer.tokens, 0);
}
