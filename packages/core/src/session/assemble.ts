import { allocateLayers } from '../draft/allocate-layers.ts';
import type { Draft } from '../draft/draft.ts';
import { createDraft, stateOfDraft } from '../draft/draft-operations.ts';
import { limitBytes } from '../draft/limit-bytes.ts';
import { fitWithNotes, takeNewNotes } from '../draft/new-notes.ts';
import type { NoteItem } from '../draft/note-item.ts';
import { cutToWindow } from '../draft/window-cut.ts';
import { throwIfAborted, VarveError } from '../errors.ts';
import type { Edit, NewEntry } from '../journal/entry.ts';
import type { Folded } from '../journal/fold.ts';
import { type ModelRef, nameOfModel } from '../model-ref.ts';
import { checkDraft, checkFit } from '../plugins/checked-output.ts';
import { requestNotes } from '../prompt/manifest-notes.ts';
import type { Prompt } from '../prompt/prompt.ts';
import { toPrompt, verdictChanges } from '../prompt/to-prompt.ts';
import { budgetOptionsFor } from './budget/model-budget.ts';
import { takeCollected } from './collect-layers.ts';
import type { AssembleOptions, PromptRequest } from './prompt-request.ts';
import { callEngine, type RunFacts, runHook, type SessionRuntime, turnIdOf } from './session-runtime.ts';
import { pressureOf } from './start-draft.ts';

/**
 * Makes the prompt of the next model call: layers, engine, shape, fit, acceptance. Deterministic: the same journal,
 * options, plugins and time give the same bytes.
 *
 * @throws VARVE_BUDGET_IMPOSSIBLE  when what must be in it does not fit.
 */
export async function assemblePrompt(runtime: SessionRuntime, options: PromptRequest): Promise<Prompt> {
  throwIfAborted(options.signal);
  const model = nameOfModel(options.model);
  const { folded, first, draft: collected, records } = await takeCollected(runtime, options);
  const factsOf = (draft: Draft): RunFacts => runFacts(options, { draft, records });
  const facts = factsOf(first);
  const allocated = allocate(runtime, collected);
  const drafted = await assembleWithEngine(runtime, { draft: allocated, options, facts });
  const shaped = takeNewNotes((await runHook(runtime, { hook: 'shape', value: drafted }, factsOf(drafted))) ?? drafted);
  const fitted = takeNewNotes(
    (await runHook(runtime, { hook: 'fit', value: shaped.draft }, factsOf(shaped.draft))) ?? shaped.draft,
  );
  const noted = giveNotesRoom(runtime, fitted.draft, [...shaped.notes, ...fitted.notes]);
  const prompt = toPrompt(noted, { folded, previous: runtime.lastPrompt, model });
  const dryRun = options.dryRun === true;
  if (!dryRun) await commitRequest(runtime, { prompt, folded, draft: noted, model: options.model, records });
  runtime.events.emit('prompt-assembled', { prompt, dryRun });
  return prompt;
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

/** Gives layers their room, and tells whose layer found none. */
function allocate({ health, events, clock }: SessionRuntime, collected: Draft): Draft {
  const { draft, leftOut } = allocateLayers(collected);
  for (const { id, by } of draft.layers) if (by !== 'core') health.breakerOf(by, whereOfLayer(id)).succeeded();
  for (const { id, by, tokens } of leftOut) {
    const error = new VarveError(
      'VARVE_BUDGET_IMPOSSIBLE',
      `There is no room for the ${tokens} tokens of layer "${id}".`,
      {
        fix: 'Lower minTokens of the layer, raise its priority, or raise the budget.',
        details: { layer: id, tokens, budgetTokens: draft.budget.input },
      },
    );
    health.failed(by, whereOfLayer(id), { error, at: clock.now(), skips: false });
    events.emit('plugin-failed', { plugin: by, hook: 'collect', tap: `layer ${id}`, error: error.message });
  }
  return draft;
}

/** Makes the prompt fit, with the notes that were made for it behind all else; tells whose note found no room. */
function giveNotesRoom({ health, events, clock }: SessionRuntime, fitted: Draft, notes: readonly NoteItem[]): Draft {
  const { draft, leftOut } = fitWithNotes(fitted, { notes, cut: (one) => cutToWindow(limitBytes(one)) });
  for (const item of notes) {
    const { id, by } = item.note;
    if (!leftOut.includes(item)) {
      health.breakerOf(by, whereOfNote(id)).succeeded();
      continue;
    }
    const error = new VarveError(
      'VARVE_BUDGET_IMPOSSIBLE',
      `There is no room for the ${item.tokens} tokens of note "${id}".`,
      {
        fix: 'Lower maxTokens of the note, or let the plugin look at draft.budget.hard before it adds one.',
        details: { note: id, tokens: item.tokens, budgetTokens: draft.budget.hard },
      },
    );
    health.failed(by, whereOfNote(id), { error, at: clock.now(), skips: false });
    events.emit('plugin-failed', { plugin: by, hook: 'shape', tap: `note ${id}`, error: error.message });
  }
  return draft;
}

function whereOfNote(id: string): string {
  return `shape: note ${id}`;
}

function whereOfLayer(id: string): string {
  return `collect: layer ${id}`;
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
      check: (result) => checkFit(checkGrowth(checkDraft(result, draft), draft), draft),
      fallback: async () => draft,
    },
    facts,
  );
}

/** An engine may make the prompt larger, as far as there is room for history. @throws VARVE_BUDGET_IMPOSSIBLE */
function checkGrowth(result: Draft, given: Draft): Draft {
  if (result.tokens <= given.tokens) return result;
  const added = result.layers.filter((layer) => !given.layers.includes(layer));
  const parts = [...result.items.filter((item) => !item.live), ...added];
  const tokens = parts.reduce((sum, part) => sum + part.tokens, 0);
  const { history } = given.budget;
  if (tokens <= history) return result;
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
    readonly model: ModelRef;
    readonly records: readonly NewEntry[];
  },
): Promise<void> {
  const { prompt, folded, draft, model, records } = made;
  const { input, reserved, factor } = draft.budget;
  const { window } = budgetOptionsFor(runtime, model);
  const { notes, leftOutNotes } = requestNotes(prompt);
  const request: NewEntry = {
    type: 'request',
    turnId: turnIdOf(runtime),
    model: nameOfModel(model),
    budget: input === Infinity ? null : input,
    tokens: prompt.tokens,
    ...(reserved === 0 ? {} : { reserved }),
    ...(input === Infinity || window === null ? {} : { window }),
    ...(factor === 1 ? {} : { factor }),
    by: runtime.optionsHash,
    firstChangedByte: prompt.manifest.firstChangedByte,
    changes: verdictChanges(prompt, folded),
    layers: prompt.manifest.layers,
    rebuiltSeq: folded.rebuiltSeq,
    ...(notes.length === 0 ? {} : { notes }),
    ...(leftOutNotes.length === 0 ? {} : { leftOutNotes }),
  };
  const edits = editEntries(draft);
  // With edits the request is part of their append: either both are stored, or the prompt was never made.
  if (edits.length > 0) await runtime.journal.append([...records, request, ...edits]);
  else for (const entry of [...records, request]) runtime.journal.defer(entry);
  runtime.lastPrompt = prompt;
}

/** One edit entry a plugin, in the order in which they first edited. Of edits of one part, the last one is shown. */
function editEntries(draft: Draft): readonly NewEntry[] {
  const last = new Map(stateOfDraft(draft).stickyEdits.map((one) => [`${one.edit.seq} ${one.edit.part ?? 0}`, one]));
  const byPlugin = new Map<string, Edit[]>();
  for (const { by, edit } of last.values()) {
    const edits = byPlugin.get(by);
    if (edits === undefined) byPlugin.set(by, [edit]);
    else edits.push(edit);
  }
  return [...byPlugin].map(([by, edits]): NewEntry => ({ type: 'edit', by, edits }));
}
