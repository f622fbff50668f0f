import type { Draft, Item } from '../draft/draft.ts';
import { stateOfDraft } from '../draft/draft-operations.ts';
import type { Layer } from '../draft/layer.ts';
import { hasLead, leadOf } from '../draft/lead.ts';
import type { Folded } from '../journal/fold.ts';
import type { Seq } from '../units.ts';
import { entriesBySeq } from './entry-verdicts.ts';
import { noteActions } from './manifest-notes.ts';
import type { Manifest, ManifestAction, Prompt } from './prompt.ts';

/** A prompt in the making, and what it is compared with. */
export interface ComparedPrompt extends Pick<Manifest, 'entries' | 'ranges' | 'notes'> {
  readonly folded: Folded;
  readonly draft: Draft;
  /** Layers with a text, in the order in which they are sent. */
  readonly layers: readonly Layer[];
  readonly model: string;
  /** The prompt of the request before in this process; `null` when unknown. */
  readonly previous: Prompt | null;
}

/** The name of an action, as tables and filters show it: `compaction`, `layer:notes`, `notes:recall`, `cleared:mask-old-result`. */
export function nameOfAction(action: ManifestAction): string {
  if (action.kind === 'layer') return `layer:${action.id}`;
  if (action.kind === 'notes') return `notes:${action.by}`;
  return action.kind === 'verdict' ? `${action.verdict}:${action.rule}` : action.kind;
}

/** What was done since the request before that changes bytes which that one had, sorted by name. */
export function actionsOf(compared: ComparedPrompt): readonly ManifestAction[] {
  const { previous } = compared;
  const since = previous === null ? [] : actionsSince(previous, compared);
  return [...modelActions(compared), ...since].sort((a, b) => (nameOfAction(a) < nameOfAction(b) ? -1 : 1));
}

function modelActions({ folded, model }: ComparedPrompt): readonly ManifestAction[] {
  const before = folded.state.model;
  return before === null || before === model ? [] : [{ kind: 'model', from: before, to: model }];
}

function actionsSince(previous: Prompt, compared: ComparedPrompt): readonly ManifestAction[] {
  const { folded, draft } = compared;
  const compactionSeq = folded.compaction?.seq ?? null;
  const summaryNow = compactionSeq === null ? null : `#${compactionSeq}`;
  const late = lateResults(previous, draft);
  return [
    ...(summaryBy(previous) === summaryNow ? [] : [{ kind: 'compaction' as const, seq: compactionSeq }]),
    ...changedLayers(previous, compared.layers).map((id) => ({ kind: 'layer' as const, id })),
    ...verdictActions(previous, compared),
    ...noteActions(previous, compared.notes),
    ...(late.length === 0 ? [] : [{ kind: 'late-result' as const, seqs: late }]),
    ...(hasLead(previous.messages) && leadOf(draft) === null ? [{ kind: 'opening' as const }] : []),
  ];
}

function summaryBy({ manifest }: Prompt): string | null {
  return manifest.ranges.find(({ kind }) => kind === 'summarised')?.by ?? null;
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

type VerdictAction = Extract<ManifestAction, { readonly kind: 'verdict' }>;

/** One action for all entries that got the same verdict by the same rule, or that a move of the head left behind. */
function verdictActions(previous: Prompt, { entries, ranges }: ComparedPrompt): readonly VerdictAction[] {
  const actions = new Map<string, VerdictAction>();
  const add = (seq: Seq, { verdict, rule }: Pick<VerdictAction, 'verdict' | 'rule'>): void => {
    const name = `${verdict}:${rule}`;
    const known = actions.get(name) ?? { kind: 'verdict', verdict, rule, fromSeq: seq, toSeq: seq, entries: 0 };
    actions.set(name, { ...known, toSeq: seq, entries: known.entries + 1 });
  };
  const entryBefore = entriesBySeq(previous.manifest.entries);
  entries.forEach((entry, index) => {
    const then = entryBefore(entry.seq, index);
    if (then === undefined || then === entry) return;
    const { seq, kind, rule, tokens } = entry;
    // The size tells when another part of an entry was edited by the same rule.
    const same = then.kind === kind && then.rule === rule && then.tokens === tokens;
    if (!same) add(seq, { verdict: kind === 'kept' ? 'restored' : kind, rule: rule ?? then.rule ?? '' });
  });
  for (const { kind, rule = '', fromSeq, toSeq } of ranges) {
    if (kind !== 'off-path') continue;
    for (const { seq } of previous.manifest.entries) {
      if (fromSeq <= seq && seq <= toSeq) add(seq, { verdict: kind, rule });
    }
  }
  return [...actions.values()];
}

/** Results that have come for calls which the request before showed without one. */
function lateResults(previous: Prompt, draft: Draft): readonly Seq[] {
  const newestBefore = previous.manifest.entries.at(-1)?.seq ?? 0;
  const late = new Set<Seq>();
  let head: Item | undefined;
  for (const item of stateOfDraft(draft).items) {
    if (item.groupId !== head?.groupId) head = item;
    const { seq, message } = item;
    if (message.role !== 'tool' || seq === null || seq <= newestBefore) continue;
    if ((head.seq ?? Infinity) <= newestBefore) late.add(seq);
  }
  return [...late];
}
