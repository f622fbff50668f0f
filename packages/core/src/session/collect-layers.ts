import { allocateLayers, withLayers } from '../draft/allocate-layers.ts';
import type { Draft } from '../draft/draft.ts';
import { reservedLayers, stateOfDraft } from '../draft/draft-operations.ts';
import type { Layer } from '../draft/layer.ts';
import type { NewEntry, RequestLayer } from '../journal/entry.ts';
import type { Collected } from './collected.ts';
import type { DraftRequest, PromptRequest } from './prompt-request.ts';
import { runHook, type SessionRuntime } from './session-runtime.ts';
import { pressureOf, startDraft } from './start-draft.ts';

/** Lets plugins collect layers for the next prompt. Stores nothing, whatever they record. @throws VARVE_ABORTED */
async function collect(
  runtime: SessionRuntime,
  options: PromptRequest,
  { folded, draft: first } = startDraft(runtime, { ...options, layers: [] }),
): Promise<Collected> {
  const { model, query = null, signal, turn } = options;
  const records: NewEntry[] = [];
  const facts = { model, budget: first.budget, pressure: pressureOf(first), query, signal, records, turn };
  const draft = (await runHook(runtime, { hook: 'collect', value: first }, facts)) ?? first;
  runtime.collectedLayers = pluginLayers(draft);
  return { folded, first, draft, records };
}

/** What was collected for the same prompt a moment before, else what plugins collect now. Called for each prompt. */
export async function takeCollected(runtime: SessionRuntime, options: PromptRequest): Promise<Collected> {
  const { shelf } = options;
  const { collected: known = null } = shelf ?? {};
  if (shelf !== undefined) shelf.collected = null;
  const started = startDraft(runtime, { ...options, layers: [] });
  const isSame =
    known?.folded === started.folded &&
    stateOfDraft(known.first).items === stateOfDraft(started.draft).items &&
    known.first.budget.input === started.draft.budget.input;
  return known !== null && isSame ? known : collect(runtime, options, started);
}

/**
 * A request with the layers that the prompt would have now, each with the room that it would be given: what a compaction
 * is decided, planned and held against. They stay the same while it runs, so that all of it counts alike.
 */
export async function withCollectedLayers<Request extends PromptRequest>(
  runtime: SessionRuntime,
  options: Request,
): Promise<Request & Required<Pick<DraftRequest, 'layers'>>> {
  const collected = await collect(runtime, options);
  if (options.shelf !== undefined) options.shelf.collected = collected;
  return { ...options, layers: pluginLayers(allocateLayers(collected.draft).draft) };
}

/**
 * The first draft of a prompt with the layers that are known without asking plugins: those that they collected last in
 * this process, else those of the last request in the journal, of which only the size is known.
 */
export function draftWithKnownLayers(runtime: SessionRuntime, options: DraftRequest): Draft {
  const { draft } = startDraft(runtime, { ...options, layers: [] });
  const { collectedLayers, hooks, journal } = runtime;
  if (!hooks.isUsed('collect')) return draft;
  const known =
    collectedLayers ??
    journal
      .requestLayers()
      .filter(({ id }) => !reservedLayers.has(id))
      .map(sizeOnly);
  const whole = withLayers(draft, [...draft.layers, ...known]);
  return collectedLayers === null ? whole : allocateLayers(whole).draft;
}

function pluginLayers({ layers }: Draft): readonly Layer[] {
  return layers.filter(({ by }) => by !== 'core');
}

/** A layer of which the text was not kept. */
function sizeOnly({ id, place, tokens, by = '', text = '' }: RequestLayer): Layer {
  const role = place === 'system' ? 'system' : 'user';
  const stability = place === 'volatile' ? 'volatile' : 'session';
  return { id, role, stability, items: [], place, text, tokens, by, rule: 'last-request' };
}
