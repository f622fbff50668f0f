import { type PressureLevel, resolveBudget } from '../budget.ts';
import { withLayers } from '../draft/allocate-layers.ts';
import type { Draft } from '../draft/draft.ts';
import { createDraft, stateOfDraft } from '../draft/draft-operations.ts';
import { firstDraft } from '../draft/first-draft.ts';
import { limitLive } from '../draft/limit-live.ts';
import { sizeOf } from '../draft/window-cut.ts';
import type { Folded } from '../journal/fold.ts';
import { nameOfModel } from '../model-ref.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import { budgetOfDraft, budgetOptionsFor } from './budget/model-budget.ts';
import type { DraftRequest } from './prompt-request.ts';
import type { SessionRuntime } from './session-runtime.ts';

/** The budget of the next prompt and the draft that it starts from. */
export function startDraft(
  runtime: SessionRuntime,
  { model, tools, ceilingTokens = Infinity, layers = [] }: DraftRequest,
): { readonly folded: Folded; readonly draft: Draft } {
  const known = budgetOptionsFor(runtime, model);
  const whole = runtime.journal.folded();
  const changesModel = whole.state.model !== null && whole.state.model !== nameOfModel(model);
  const folded = changesModel ? withoutStickyEdits(runtime, nameOfModel(model)) : whole;
  const draft = draftOnce(folded, known.counter);
  const limited = { ...known, ceilingTokens: Math.min(known.ceilingTokens, ceilingTokens) };
  const budget = budgetOfDraft(limited, { draft, tools });
  const state = stateOfDraft(draft);
  const items = limitLive(state.items, { tokens: budget.target - budget.fixed, bytes: budget.inputBytes });
  const first = createDraft({ ...state, items, budget, assembly: {} });
  return { folded, draft: layers.length === 0 ? first : withLayers(first, [...first.layers, ...layers]) };
}

const drafts = new WeakMap<Folded, { readonly counter: TokenCounter; readonly draft: Draft }>();
const unlimited = resolveBudget({ inputTokens: null });

/** The first draft of a fold: asking how full it is, compacting and assembling all begin with the same one. */
function draftOnce(folded: Folded, counter: TokenCounter): Draft {
  const known = drafts.get(folded);
  if (known?.counter === counter) return known.draft;
  const draft = firstDraft(folded, { budget: unlimited, counter });
  drafts.set(folded, { counter, draft });
  return draft;
}

/** Sticky edits end with the model they were made for. */
function withoutStickyEdits({ journal }: SessionRuntime, model: string): Folded {
  const { edits } = journal.foldedWith({ type: 'setting', name: 'model', value: model });
  return { ...journal.folded(), edits };
}

/** How full a draft is. */
export function pressureOf(draft: Draft): PressureLevel {
  const size = sizeOf(draft);
  const { input, hard, soft } = draft.budget;
  if (size > input) return 'overflow';
  if (size > hard) return 'hard';
  return size > soft ? 'soft' : 'none';
}
