import type { PressureLevel } from '../budget.ts';
import { type Budget, resolveBudget } from '../budget.ts';
import { allocateLayers } from '../draft/allocate-layers.ts';
import type { Draft } from '../draft/draft.ts';
import { createDraft, stateOfDraft } from '../draft/draft-operations.ts';
import { firstDraft } from '../draft/first-draft.ts';
import { cutToWindow, sizeOf } from '../draft/window-cut.ts';
import { throwIfAborted, VarveError } from '../errors.ts';
import type { Edit, NewEntry } from '../journal/entry.ts';
import type { Folded } from '../journal/fold.ts';
import type { JsonValue } from '../json-value.ts';
import { type ModelRef, nameOfModel } from '../model-ref.ts';
import { checkDraft } from '../plugins/guard.ts';
import type { Prompt } from '../prompt/prompt.ts';
import { toPrompt, verdictChanges } from '../prompt/to-prompt.ts';
import type { Tokens } from '../units.ts';
import { callEngine, type RunFacts, runHook, type SessionRuntime, turnIdOf } from './session-runtime.ts';

/** What a prompt is asked for. */
export interface AssembleOptions {
  readonly model: ModelRef;
  /** Definitions of the tools that the host sends along; they count against the budget. */
  readonly tools?: readonly JsonValue[] | undefined;
  /** What the prompt is to answer, for plugins that look things up. @default none */
  readonly query?: string | undefined;
  /** Stores nothing: no edits, no request. The bytes are the same. @default false */
  readonly dryRun?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Makes the prompt of the next model call: layers, engine, shape, fit, acceptance. Deterministic: the same journal,
 * options, plugins and time give the same bytes.
 *
 * @throws VARVE_BUDGET_IMPOSSIBLE  when what must be in it does not fit.
 */
export async function assemblePrompt(runtime: SessionRuntime, options: AssembleOptions): Promise<Prompt> {
  throwIfAborted(options.signal);
  const { folded, draft: first } = startDraft(runtime, options);
  const model = nameOfModel(options.model);
  const records: NewEntry[] = [];
  const factsOf = (draft: Draft): RunFacts => runFacts(options, { draft, records });
  const facts = factsOf(first);
  const collected = (await runHook(runtime, { hook: 'collect', value: first }, facts)) ?? first;
  const allocated = allocateLayers(collected);
  const drafted = await assembleWithEngine(runtime, { draft: allocated, options, facts });
  const shaped = (await runHook(runtime, { hook: 'shape', value: drafted }, factsOf(drafted))) ?? drafted;
  const fitted = (await runHook(runtime, { hook: 'fit', value: shaped }, factsOf(shaped))) ?? shaped;
  const cut = cutToWindow(fitted);
  const prompt = toPrompt(cut, { folded, previous: runtime.lastPrompt, model });
  const dryRun = options.dryRun === true;
  if (!dryRun) await commitRequest(runtime, { prompt, folded, draft: cut, model, records });
  runtime.events.emit('prompt-assembled', { sessionId: runtime.sessionId, prompt, dryRun });
  return prompt;
}

/** The budget of the next prompt and the draft that it starts from. */
export function startDraft(
  runtime: SessionRuntime,
  { model, tools }: Pick<AssembleOptions, 'model' | 'tools'>,
): { readonly folded: Folded; readonly draft: Draft } {
  const { counter } = runtime;
  const whole = runtime.journal.folded();
  const changesModel = whole.state.model !== null && whole.state.model !== nameOfModel(model);
  const folded = changesModel ? withoutStickyEdits(runtime, nameOfModel(model)) : whole;
  const toolTokens = tools === undefined || tools.length === 0 ? 0 : counter.count(JSON.stringify(tools));
  const draft = draftOnce(folded, runtime);
  const budget = budgetFor(runtime, { draft, toolTokens });
  return { folded, draft: createDraft({ ...stateOfDraft(draft), budget, assembly: {} }) };
}

const drafts = new WeakMap<Folded, Draft>();

/** The first draft of a fold: asking how full it is, compacting and assembling all begin with the same one. */
function draftOnce(folded: Folded, { budget, counter }: SessionRuntime): Draft {
  const known = drafts.get(folded);
  if (known !== undefined) return known;
  const unlimited = resolveBudget({ ...budget, inputTokens: null, reservedTokens: 0 });
  const draft = firstDraft(folded, { budget: unlimited, counter });
  drafts.set(folded, draft);
  return draft;
}

/** Sticky edits end with the model they were made for. */
function withoutStickyEdits({ journal }: SessionRuntime, model: string): Folded {
  const { edits } = journal.foldedWith({ type: 'setting', name: 'model', value: model });
  return { ...journal.folded(), edits };
}

function budgetFor(
  runtime: SessionRuntime,
  { draft, toolTokens }: { readonly draft: Draft; readonly toolTokens: Tokens },
): Budget {
  const tokensOf = (place: 'system' | 'other'): Tokens =>
    draft.layers
      .filter((layer) => (layer.place === 'system') === (place === 'system'))
      .reduce((tokens, layer) => tokens + layer.tokens, 0);
  return resolveBudget(runtime.budget, {
    toolTokens,
    systemTokens: tokensOf('system'),
    layerTokens: tokensOf('other'),
  });
}

function runFacts(
  options: AssembleOptions,
  { draft, records }: { readonly draft: Draft; readonly records: NewEntry[] },
): RunFacts {
  return {
    model: options.model,
    budget: draft.budget,
    pressure: pressureOf(draft),
    query: options.query ?? null,
    signal: options.signal,
    records,
  };
}

/** How full a draft is. */
export function pressureOf(draft: Draft): PressureLevel {
  const size = sizeOf(draft);
  const { input, hard, soft } = draft.budget;
  if (size > input) return 'overflow';
  if (size > hard) return 'hard';
  return size > soft ? 'soft' : 'none';
}

async function assembleWithEngine(
  runtime: SessionRuntime,
  step: { readonly draft: Draft; readonly options: AssembleOptions; readonly facts: RunFacts },
): Promise<Draft> {
  const { draft, options, facts } = step;
  return callEngine(
    runtime,
    {
      method: 'assemble',
      invoke: (engine, { session, signal }) => {
        const own = createDraft({ ...stateOfDraft(draft), actor: engine.info.id });
        return engine.assemble({ session, draft: own, budget: draft.budget, query: options.query ?? null, signal });
      },
      check: (result) => checkGrowth(checkDraft(result, draft), draft),
      fallback: async () => draft,
    },
    facts,
  );
}

/** An engine may make the prompt larger, as far as there is room for history. @throws VARVE_BUDGET_IMPOSSIBLE */
function checkGrowth(result: Draft, given: Draft): Draft {
  const added = result.layers.filter((layer) => !given.layers.includes(layer));
  const parts = [...result.items.filter((item) => !item.live), ...added];
  const tokens = parts.reduce((sum, part) => sum + part.tokens, 0);
  const { history } = given.budget;
  if (result.tokens <= given.tokens || tokens <= history) return result;
  throw new VarveError('VARVE_BUDGET_IMPOSSIBLE', `The engine's history takes ${tokens} tokens of ${history}.`, {
    fix: 'Let the engine add less than budget.history leaves.',
    details: { tokens, history },
  });
}

async function commitRequest(
  runtime: SessionRuntime,
  made: {
    readonly prompt: Prompt;
    readonly folded: Folded;
    readonly draft: Draft;
    readonly model: string;
    readonly records: readonly NewEntry[];
  },
): Promise<void> {
  const { prompt, folded, draft, model, records } = made;
  const { input } = draft.budget;
  for (const record of records) runtime.journal.defer(record);
  runtime.journal.defer({
    type: 'request',
    turnId: turnIdOf(runtime),
    model,
    budget: input === Infinity ? null : input,
    tokens: prompt.tokens,
    by: runtime.optionsHash,
    firstChangedByte: prompt.manifest.firstChangedByte,
    changes: verdictChanges(prompt, folded),
    layers: prompt.manifest.layers,
  });
  runtime.lastPrompt = prompt;
  await commitEdits(runtime, draft);
}

/** One edit entry a plugin, in the order in which they first edited. */
async function commitEdits(runtime: SessionRuntime, draft: Draft): Promise<void> {
  const byPlugin = new Map<string, Edit[]>();
  for (const { by, edit } of stateOfDraft(draft).stickyEdits) byPlugin.set(by, [...(byPlugin.get(by) ?? []), edit]);
  if (byPlugin.size === 0) return;
  const entries = [...byPlugin].map(([by, edits]): NewEntry => ({ type: 'edit', by, edits }));
  await runtime.journal.append(entries);
  for (const [by, edits] of byPlugin) runtime.events.emit('edit-recorded', { sessionId: runtime.sessionId, by, edits });
}
