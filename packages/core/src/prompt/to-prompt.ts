import type { Draft, Item } from '../draft/draft.ts';
import { inRenderOrder, type Layer } from '../draft/layer.ts';
import { hasLead, leadOf, leadTokens } from '../draft/lead.ts';
import { sizeOf } from '../draft/window-cut.ts';
import { VarveError } from '../errors.ts';
import type { MessageEntry, RequestLayer, Verdict, VerdictChange } from '../journal/entry.ts';
import type { Folded } from '../journal/fold.ts';
import { type Message, toolCallsOfMessage } from '../message.ts';
import type { Seq } from '../units.ts';
import type { Block, EntryVerdict, Prompt } from './prompt.ts';
import { firstDifference } from './prompt-bytes.ts';

/** What a draft is accepted against. */
export interface AcceptOptions {
  readonly folded: Folded;
  /** The prompt of the request before in this process; `null` when unknown. */
  readonly previous: Prompt | null;
  readonly model: string;
}

/**
 * Turns a draft into the prompt that is sent, after checking what must hold for every prompt: pairs are closed, the
 * running turn is complete, it fits its budget, and every visible entry has a verdict.
 *
 * @throws VARVE_BUDGET_IMPOSSIBLE  when it does not fit.
 */
export function toPrompt(draft: Draft, options: AcceptOptions): Prompt {
  const { folded, previous } = options;
  const tokens = draft.tokens + leadTokens(draft);
  checkSize(draft);
  checkPairs(draft.items);
  const layers = inRenderOrder(draft.layers.filter((layer) => layer.text !== ''));
  const system: Block[] = layers
    .filter((layer) => layer.place === 'system')
    .map((layer) => ({ layer: layer.id, text: layer.text }));
  const stable = stableMessages(draft, layers);
  const volatile = layers.filter((layer) => layer.place === 'volatile').map(layerMessage);
  const messages = [...stable, ...volatile];
  const marks = { afterSystem: system.length, afterStable: stable.length };
  const firstChangedByte = previous === null ? null : firstDifference({ system, messages, marks }, previous);
  const entries = entryVerdicts(draft, folded);
  const manifest = {
    request: folded.state.requests + 1,
    entries,
    ranges: rangesOf(folded),
    layers: layers.map(layerRecord),
    madeUpTokens:
      leadTokens(draft) + draft.items.reduce((sum, item) => (item.seq === null ? sum + item.tokens : sum), 0),
    actions: actionsOf(draft, { ...options, layers, entries }),
    firstChangedByte,
  };
  return { system, messages, marks, tokens, manifest };
}

function checkSize(draft: Draft): void {
  const size = sizeOf(draft);
  if (size <= draft.budget.input) return;
  throw new VarveError('VARVE_BUDGET_IMPOSSIBLE', `The prompt takes ${size} of ${draft.budget.input} tokens.`, {
    fix: 'Compact the session, raise the budget, or remove layers.',
    details: { tokens: size, budgetTokens: draft.budget.input },
  });
}

/** Draft operations cannot part a pair; this holds them to it. */
function checkPairs(items: readonly Item[]): void {
  const open = new Set<string>();
  for (const { message, id } of items) {
    const results = message.role === 'tool' ? message.content : [];
    const stray = results.find((part) => !open.delete(part.toolCallId));
    if (stray !== undefined || (message.role !== 'tool' && open.size > 0)) {
      throw new VarveError('VARVE_DRAFT_FOREIGN', `At ${id} a tool call and its result are apart.`, {
        fix: 'Report this as a bug of @varve/core: no operation of a draft can do this.',
      });
    }
    for (const call of toolCallsOfMessage(message)) open.add(call.toolCallId);
  }
}

function stableMessages(draft: Draft, layers: readonly Layer[]): readonly Message[] {
  const lead = leadOf(draft);
  return [
    ...layers.filter((layer) => layer.place === 'summary').map(layerMessage),
    ...(lead === null ? [] : [lead]),
    ...draft.items.map((item) => item.message),
  ];
}

const layerMessages = new WeakMap<Layer, Message>();

function layerMessage(layer: Layer): Message {
  const known = layerMessages.get(layer) ?? { role: 'user', content: layer.text };
  layerMessages.set(layer, known);
  return known;
}

function layerRecord(layer: Layer): RequestLayer {
  const sources = layer.items.flatMap((item) => (item.source === undefined ? [] : [item.source]));
  const base = { id: layer.id, place: layer.place, tokens: layer.tokens, sources };
  return layer.place === 'volatile' && layer.by !== 'core' ? { ...base, text: layer.text } : base;
}

function entryVerdicts(draft: Draft, folded: Folded): readonly EntryVerdict[] {
  const tokens = new Map<Seq, number>();
  for (const item of draft.items)
    if (item.seq !== null) tokens.set(item.seq, (tokens.get(item.seq) ?? 0) + item.tokens);
  return [...folded.held, ...folded.messages].map((entry) => ({
    seq: entry.seq,
    ...(entry.key === undefined ? {} : { key: entry.key }),
    role: entry.message.role,
    tokens: tokens.get(entry.seq) ?? 0,
    ...verdictOf(draft, { entry, shown: tokens.has(entry.seq) }),
  }));
}

/** A verdict without its empty fields, so that manifests of two processes are the same bytes. */
function verdictOf(draft: Draft, { entry, shown }: { entry: MessageEntry; shown: boolean }): Verdict {
  const { kind, rule, by } = draft.verdictOf(entry.seq);
  const isSystem = entry.message.role === 'system';
  if (kind === 'kept' && !shown && !isSystem) return { kind: 'dropped', rule: 'not-in-draft', by: 'core' };
  return { kind, ...(rule === undefined ? {} : { rule }), ...(by === undefined ? {} : { by }) };
}

function rangesOf({ compaction }: Folded): Prompt['manifest']['ranges'] {
  if (compaction === null) return [];
  return [{ fromSeq: 1, toSeq: compaction.range.to.seq, kind: 'summarised', by: `#${compaction.seq}` }];
}

/** What was done since the request before that changes bytes which that one had. */
function actionsOf(
  draft: Draft,
  options: AcceptOptions & { readonly layers: readonly Layer[]; readonly entries: readonly EntryVerdict[] },
): readonly string[] {
  const { folded, previous, model, layers, entries } = options;
  const modelBefore = folded.state.model;
  const isOther = modelBefore !== null && modelBefore !== model;
  if (previous === null) return isOther ? ['model'] : [];
  const summaryNow = folded.compaction === null ? null : `#${folded.compaction.seq}`;
  return [
    ...new Set([
      ...(isOther ? ['model'] : []),
      ...(summaryBy(previous) === summaryNow ? [] : ['compaction']),
      ...changedLayers(previous, layers).map((id) => `layer:${id}`),
      ...changedVerdicts(previous, entries),
      ...(hasLateResult(previous, draft) ? ['late-result'] : []),
      ...(hasLead(previous.messages) && leadOf(draft) === null ? ['opening'] : []),
    ]),
  ].sort();
}

function summaryBy({ manifest }: Prompt): string | null {
  return manifest.ranges[0]?.by ?? null;
}

/** Layers before the conversation whose text is another one now, or that are gone. A new summary is a compaction. */
function changedLayers(previous: Prompt, layers: readonly Layer[]): readonly string[] {
  const before = stableLayerTexts(previous);
  const now = new Map(layers.filter(({ place }) => place !== 'volatile').map(({ id, text }) => [id, text]));
  const ids = new Set([...before.keys(), ...now.keys()]);
  return [...ids].filter((id) => id !== 'summary' && before.get(id) !== now.get(id));
}

function stableLayerTexts({ system, messages, manifest }: Prompt): ReadonlyMap<string, unknown> {
  const before = manifest.layers.filter(({ place }) => place === 'summary');
  return new Map<string, unknown>([
    ...system.map(({ layer, text }) => [layer, text] as const),
    ...before.map(({ id }, index) => [id, messages[index]?.content] as const),
  ]);
}

/** The size tells when another part of an entry was edited by the same rule. */
function changedVerdicts(previous: Prompt, entries: readonly EntryVerdict[]): readonly string[] {
  const before = new Map(previous.manifest.entries.map((entry) => [entry.seq, entry]));
  return entries.flatMap(({ seq, kind, rule, tokens }) => {
    const then = before.get(seq);
    const same = then === undefined || (then.kind === kind && then.rule === rule && then.tokens === tokens);
    return same ? [] : [`${kind === 'kept' ? 'restored' : kind}:${rule ?? then.rule ?? ''}`];
  });
}

/** A result has come for a call that the request before showed without one. */
function hasLateResult(previous: Prompt, draft: Draft): boolean {
  const before = new Set(previous.manifest.entries.map((entry) => entry.seq));
  const isNew = ({ message, seq }: Item): boolean => message.role === 'tool' && seq !== null && !before.has(seq);
  return draft.groups().some(({ items }) => before.has(items[0]?.seq ?? 0) && items.some(isNew));
}

/** The verdicts that differ from those of the request before, as its entry in the journal stores them. */
export function verdictChanges(prompt: Prompt, folded: Folded): readonly VerdictChange[] {
  const changes: VerdictChange[] = [];
  const { compaction } = folded;
  const isNewRange = compaction !== null && !knowsSummary(folded);
  if (isNewRange) {
    changes.push({ seq: 1, toSeq: compaction.range.to.seq, verdict: 'summarised', by: `#${compaction.seq}` });
  }
  for (const { seq, kind, rule, by } of prompt.manifest.entries) {
    const before = folded.verdicts.get(seq) ?? { kind: 'kept' };
    const isInNewRange = isNewRange && seq <= compaction.range.to.seq;
    if (!isInNewRange && before.kind === kind && before.rule === rule && before.by === by) continue;
    changes.push({ seq, verdict: kind, ...(rule === undefined ? {} : { rule }), ...(by === undefined ? {} : { by }) });
  }
  return changes;
}

/** True when a request was made since the visible compaction. */
function knowsSummary({ compaction, state, lastRequestSeq }: Folded): boolean {
  return state.requests > 0 && compaction !== null && lastRequestSeq > compaction.seq;
}
