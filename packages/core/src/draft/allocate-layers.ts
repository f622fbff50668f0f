import { VarveError } from '../errors.ts';
import type { Tokens } from '../units.ts';
import type { Draft } from './draft.ts';
import { createDraft, stateOfDraft } from './draft-operations.ts';
import { type Layer, shrinkLayer } from './layer.ts';

/** The conversation never gets less than this share of what is left beside the running turn. */
const historyShare = 0.5;

/**
 * Makes the layers of a draft small enough: the running turn is reserved whole, history gets at least half of the rest,
 * and layers yield by priority, each down to its `minTokens`. Then works out what is left for history.
 *
 * @throws VARVE_BUDGET_IMPOSSIBLE  when even the least of every layer is too much.
 */
export function allocateLayers(draft: Draft): Draft {
  const { budget } = draft;
  if (budget.input === Infinity) return draft;
  const live = draft.items.reduce((tokens, item) => (item.live ? tokens + item.tokens : tokens), 0);
  const history = draft.items.reduce((tokens, item) => (item.live ? tokens : tokens + item.tokens), 0);
  const free = Math.max(0, budget.input - budget.reserved - live);
  const most = free - Math.min(history, free * historyShare);
  const layers = shrink(draft, most);
  const systemTokens = sum(layers.filter((layer) => layer.place === 'system'));
  const otherTokens = sum(layers) - systemTokens;
  const fixed = budget.reserved + systemTokens;
  return createDraft({
    ...stateOfDraft(draft),
    layers,
    budget: { ...budget, fixed, history: Math.max(0, budget.input - fixed - otherTokens) },
  });
}

/**
 * Takes items from the end of the layers, the one of the lowest priority first, until they fit. A layer that is at its
 * least stays as it is, and the next one yields.
 */
function shrink(draft: Draft, most: Tokens): readonly Layer[] {
  let excess = sum(draft.layers) - most;
  if (excess <= 0) return draft.layers;
  const { counter } = stateOfDraft(draft);
  const smaller = new Map<Layer, Layer>();
  const yielding = draft.layers
    .filter((layer) => layer.by !== 'core' && layer.tokens > (layer.minTokens ?? 0))
    .toSorted((a, b) => (a.priority ?? 0) - (b.priority ?? 0));
  for (const layer of yielding) {
    if (excess <= 0) break;
    const left = shrinkLayer(layer, { counter, limit: layer.tokens - excess });
    smaller.set(layer, left);
    excess -= layer.tokens - left.tokens;
  }
  const layers = draft.layers.map((layer) => smaller.get(layer) ?? layer);
  if (excess > 0 && yielding.some((layer) => (smaller.get(layer)?.tokens ?? 0) > 0)) throw impossible(layers, most);
  return layers;
}

function impossible(layers: readonly Layer[], most: Tokens): VarveError {
  const sizes = layers.map((layer) => `${layer.id} ${layer.tokens}`).join(', ');
  return new VarveError('VARVE_BUDGET_IMPOSSIBLE', `Layers may take ${most} tokens; they need more: ${sizes}.`, {
    fix: 'Raise the budget, or lower minTokens of these layers.',
    details: { layers: layers.map(({ id, tokens }) => ({ id, tokens })), most },
  });
}

function sum(layers: readonly Layer[]): Tokens {
  return layers.reduce((tokens, layer) => tokens + layer.tokens, 0);
}
