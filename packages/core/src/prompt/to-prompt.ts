import type { Draft, Item } from '../draft/draft.ts';
import { stateOfDraft } from '../draft/draft-operations.ts';
import { inRenderOrder, type Layer, quotedSeqs } from '../draft/layer.ts';
import { leadOf, leadTokens } from '../draft/lead.ts';
import { sizeOf } from '../draft/window-cut.ts';
import { VarveError } from '../errors.ts';
import { offPathStretches } from '../journal/branch.ts';
import type { RequestLayer, Verdict, VerdictChange } from '../journal/entry.ts';
import type { Folded } from '../journal/fold.ts';
import { type Message, toolCallsOfMessage } from '../message.ts';
import { entryVerdicts } from './entry-verdicts.ts';
import { actionsOf } from './manifest-actions.ts';
import { manifestNotes } from './manifest-notes.ts';
import type { Block, Prompt, RangeVerdict } from './prompt.ts';
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
  const ranges = rangesOf(folded);
  const tokens = draft.tokens + leadTokens(draft);
  checkSize(draft);
  const { items } = stateOfDraft(draft);
  checkPairs(items, previous === null ? undefined : acceptedItems.get(previous));
  const layers = inRenderOrder(draft.layers.filter((layer) => layer.text !== ''));
  const system: Block[] = layers
    .filter((layer) => layer.place === 'system')
    .map((layer) => ({ layer: layer.id, text: layer.text }));
  const stable = stableMessages(draft, layers);
  const volatile = layers.filter((layer) => layer.place === 'volatile').map(layerMessage);
  const messages = volatile.length === 0 ? stable : [...stable, ...volatile];
  const marks = { afterSystem: system.length, afterStable: stable.length };
  const firstChangedByte = previous === null ? null : firstDifference({ system, messages, marks }, previous);
  const entries = entryVerdicts(draft, { folded, previous });
  const notes = manifestNotes(draft);
  const manifest = {
    request: folded.state.requests + 1,
    entries,
    ranges,
    layers: layers.map(layerRecord),
    notes,
    madeUpTokens: leadTokens(draft) + items.reduce((sum, item) => (isMadeUp(item) ? sum + item.tokens : sum), 0),
    actions: actionsOf({ ...options, draft, layers, entries, ranges, notes }),
    firstChangedByte,
  };
  const prompt = { system, messages, marks, tokens, manifest };
  acceptedItems.set(prompt, items);
  return prompt;
}

/** The items that a prompt was made of: those that the next one begins with need not be looked at again. */
const acceptedItems = new WeakMap<Prompt, readonly Item[]>();

/** True for a message that no entry and no plugin has given. */
function isMadeUp({ seq, note }: Item): boolean {
  return seq === null && note === null;
}

function checkSize(draft: Draft): void {
  const size = sizeOf(draft);
  if (size <= draft.budget.input) return;
  throw new VarveError('VARVE_BUDGET_IMPOSSIBLE', `The prompt takes ${size} of ${draft.budget.input} tokens.`, {
    fix: 'Compact the session, raise the budget, or remove layers.',
    details: { tokens: size, budgetTokens: draft.budget.input },
  });
}

/** Draft operations cannot part a pair; this holds them to it. Where `accepted` is the beginning, it looks behind that. */
function checkPairs(items: readonly Item[], accepted: readonly Item[] = []): void {
  const open = new Set<string>();
  for (let index = firstUnsure(items, accepted); index < items.length; index += 1) {
    const { message, id } = items[index] as Item;
    // Nearly all messages are plain texts.
    if (typeof message.content === 'string' && open.size === 0) continue;
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

/** Index of the last item of the same beginning before which every call has its result: one that is no result itself. */
function firstUnsure(items: readonly Item[], accepted: readonly Item[]): number {
  let index = 0;
  while (index < accepted.length && items[index] === accepted[index]) index += 1;
  do index -= 1;
  while (index > 0 && items[index]?.message.role === 'tool');
  return Math.max(0, index);
}

function stableMessages(draft: Draft, layers: readonly Layer[]): readonly Message[] {
  const lead = leadOf(draft);
  return [
    ...layers.filter((layer) => layer.place === 'summary').map(layerMessage),
    ...(lead === null ? [] : [lead]),
    ...stateOfDraft(draft).items.map((item) => item.message),
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
  const seqs = quotedSeqs(layer.items);
  const quoting = seqs.length === 0 ? {} : { seqs, by: layer.by };
  const base = { id: layer.id, place: layer.place, tokens: layer.tokens, sources, ...quoting };
  return layer.place === 'volatile' && layer.by !== 'core' ? { ...base, text: layer.text } : base;
}

/** What the compaction stands for, and what is off the path, in order; the latter is what is said of an entry of both. */
function rangesOf({ compaction, state }: Folded): readonly RangeVerdict[] {
  const left = offPathStretches(state.branches).map(({ fromSeq, toSeq, reason, movedBySeq }): RangeVerdict => {
    return { fromSeq, toSeq, kind: 'off-path', rule: reason, by: `#${movedBySeq}` };
  });
  if (compaction === null) return left;
  const verdict = { kind: 'summarised', by: `#${compaction.seq}` } as const;
  const { seq: lastSeq } = compaction.range.to;
  const starts = [1, ...left.map(({ toSeq }) => toSeq + 1)];
  const ends = [...left.map(({ fromSeq }) => fromSeq - 1), Infinity];
  const covered = starts.flatMap((fromSeq, index): RangeVerdict[] => {
    const toSeq = Math.min(lastSeq, ends[index] ?? 0);
    return fromSeq > toSeq ? [] : [{ fromSeq, toSeq, ...verdict }];
  });
  return [...covered, ...left].sort((a, b) => a.fromSeq - b.fromSeq);
}

/** The verdicts that differ from those of the request before, as its entry in the journal stores them. */
export function verdictChanges(prompt: Prompt, folded: Folded): readonly VerdictChange[] {
  const changes: VerdictChange[] = [];
  const { compaction } = folded;
  const areNewRanges = folded.isTurnedBack || (compaction !== null && !knowsSummary(folded));
  for (const { fromSeq: seq, toSeq, kind, rule, by } of areNewRanges ? prompt.manifest.ranges : []) {
    changes.push({ seq, toSeq, verdict: kind, ...(rule === undefined ? {} : { rule }), by });
  }
  for (const { seq, kind, rule, by } of prompt.manifest.entries) {
    const before = folded.verdicts.get(seq) ?? asKept;
    const isInNewRange = areNewRanges && seq <= (compaction?.range.to.seq ?? 0);
    if (!isInNewRange && before.kind === kind && before.rule === rule && before.by === by) continue;
    changes.push({ seq, verdict: kind, ...(rule === undefined ? {} : { rule }), ...(by === undefined ? {} : { by }) });
  }
  return changes;
}

const asKept: Verdict = { kind: 'kept' };

/** True when a request was made that knew the visible compaction. */
function knowsSummary({ compaction, state, lastRequestKnewSeq }: Folded): boolean {
  return state.requests > 0 && compaction !== null && lastRequestKnewSeq >= compaction.seq;
}
