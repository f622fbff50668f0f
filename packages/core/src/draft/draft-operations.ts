import type { Budget } from '../budget.ts';
import { VarveError } from '../errors.ts';
import type { Edit, Verdict, VerdictKind } from '../journal/entry.ts';
import { nameOfNote } from '../journal/notes-in-force.ts';
import { textOfOutput } from '../text-of-output.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import type { Seq, Tokens } from '../units.ts';
import { applyEdits, textOfEdit } from './apply-edits.ts';
import type { Draft, DraftDiff, EditablePart, Group, Item, NoteSpec } from './draft.ts';
import { groupsIn } from './group-items.ts';
import { createLayer, type Layer, type LayerSpec } from './layer.ts';
import { isNote, type NoteItem, newNoteItem } from './note-item.ts';
import { checkChange, checkLayer, checkNote, checkRule } from './operation-checks.ts';
import { parkMessage } from './park.ts';
import { madeUpPart } from './thread.ts';

/** What a draft is made of; only core sees it. */
export interface DraftState {
  readonly items: readonly Item[];
  readonly layers: readonly Layer[];
  readonly verdicts: ReadonlyMap<Seq, Verdict>;
  readonly stickyEdits: readonly { readonly by: string; readonly edit: Edit }[];
  readonly budget: Budget;
  readonly counter: TokenCounter;
  /** The entry behind whose group new notes stand. */
  readonly endSeq: Seq;
  /** Notes that are not in the draft any more, and why. */
  readonly leftOutNotes: readonly { readonly item: NoteItem; readonly rule: string; readonly by: string }[];
  /** Who acts on the draft: a plugin's name, or `core`. */
  readonly actor: string;
  /** The assembly that the draft belongs to. */
  readonly assembly: object;
}

const states = new WeakMap<Draft, DraftState>();

/** Ids of core's own layers. Nobody else may take them, not even where core has nothing to put there. */
export const reservedLayers: ReadonlySet<string> = new Set(['system', 'summary', 'state']);

/** First match wins when several things happened to one entry. */
const strength: readonly VerdictKind[] = ['kept', 'edited', 'cleared', 'parked', 'dropped', 'summarised', 'off-path'];

/** The state of a draft. @throws VARVE_DRAFT_FOREIGN  when the value is not a draft that core made. */
export function stateOfDraft(draft: unknown): DraftState {
  const state = typeof draft === 'object' && draft !== null ? states.get(draft as Draft) : undefined;
  if (state !== undefined) return state;
  throw new VarveError('VARVE_DRAFT_FOREIGN', 'The value is not a draft of this assembly.', {
    fix: 'Return the draft that you were given, or what one of its operations returned.',
  });
}

/** Makes a draft out of its state. */
export function createDraft(state: DraftState): Draft {
  const groupsOf = (): readonly Group[] => groupsIn(state.items);
  const draft: Draft = Object.freeze({
    get items() {
      return frozenList(state.items);
    },
    layers: Object.freeze(state.layers),
    get tokens() {
      return tokensOf(state);
    },
    budget: Object.freeze(state.budget),
    groups: groupsOf,
    verdictOf: (seq: Seq) => state.verdicts.get(seq) ?? { kind: 'kept' as const },
    edit: (change: Parameters<Draft['edit']>[0], options: Parameters<Draft['edit']>[1]) =>
      editItems(state, { change, ...options }),
    drop: (ids: string | readonly string[], rule: string) => dropGroups(state, { groups: pick(groupsOf(), ids), rule }),
    park: (ids: string | readonly string[], rule: string) => parkGroups(state, { groups: pick(groupsOf(), ids), rule }),
    addLayer: (spec: LayerSpec, rule: string) => putLayer(state, { spec, rule }),
    addNote: (spec: NoteSpec, rule: string) => putNote(state, { spec, rule }),
    protect: (groupId: string) => {
      const [group] = pick(groupsOf(), groupId);
      const items = state.items.map((item) =>
        item.groupId === group?.id ? Object.freeze({ ...item, protected: true }) : item,
      );
      return createDraft({ ...state, items });
    },
    diff: (other: Draft) => diffDrafts(state, stateOfDraft(other)),
  });
  states.set(draft, state);
  return draft;
}

/** What others are handed of core's own lists, which are not frozen: to go through one that is takes many times as long. */
const frozenLists = new WeakMap<readonly Item[], readonly Item[]>();

function frozenList(items: readonly Item[]): readonly Item[] {
  if (Object.isFrozen(items)) return items;
  const known = frozenLists.get(items) ?? Object.freeze([...items]);
  frozenLists.set(items, known);
  return known;
}

/** Sums of lists that never change: drafts that share a list, in the name of another actor, share them. */
const sums = new WeakMap<readonly { readonly tokens: Tokens }[], Tokens>();

function tokensOf({ items, layers }: DraftState): Tokens {
  return sumOf(items) + sumOf(layers);
}

function sumOf(parts: readonly { readonly tokens: Tokens }[]): Tokens {
  const known = sums.get(parts) ?? parts.reduce((tokens, part) => tokens + part.tokens, 0);
  sums.set(parts, known);
  return known;
}

function pick(groups: readonly Group[], ids: string | readonly string[]): readonly Group[] {
  const wanted = new Set(typeof ids === 'string' ? [ids] : ids);
  const found = groups.filter((group) => wanted.has(group.id));
  if (found.length === wanted.size) return found;
  const unknown = [...wanted].filter((id) => !found.some((group) => group.id === id));
  throw new VarveError('VARVE_DRAFT_UNKNOWN', `The draft has no group "${unknown[0]}".`, {
    fix: 'Use the ids of draft.groups().',
    details: { unknown },
  });
}

/** Adds a layer in the actor's name, or replaces the actor's own one with its id. */
function putLayer(state: DraftState, asked: { readonly spec: LayerSpec; readonly rule: string }): Draft {
  checkRule(asked.rule);
  const spec = checkLayer(asked.spec);
  const { actor, layers, counter } = state;
  const owner = reservedLayers.has(spec.id) ? 'core' : layers.find((layer) => layer.id === spec.id)?.by;
  if (owner !== undefined && owner !== actor) {
    throw new VarveError('VARVE_DRAFT_LAYER', `The layer "${spec.id}" belongs to ${owner}, not to ${actor}.`, {
      fix: 'Give the layer another id.',
      details: { layer: spec.id, owner, actor },
    });
  }
  const layer = createLayer(spec, { counter, by: actor, rule: asked.rule });
  return createDraft({ ...state, layers: [...layers.filter((other) => other.id !== spec.id), layer] });
}

/** Adds a note in the actor's name, or replaces the actor's own new one with its id. */
function putNote(state: DraftState, asked: { readonly spec: NoteSpec; readonly rule: string }): Draft {
  const { rule } = asked;
  checkRule(rule);
  const spec = checkNote(asked.spec);
  const { actor: by, counter, endSeq: afterSeq, items } = state;
  const name = nameOfNote({ id: spec.id, by, afterSeq });
  // Its bytes have been sent already: they stay as they are, also where this prompt does without them.
  const isKnown = (item: Item): boolean => item.id === name && item.note?.isNew === false;
  if (items.some(isKnown) || state.leftOutNotes.some(({ item }) => isKnown(item))) return createDraft(state);
  const note = newNoteItem(spec, { by, rule, afterSeq, counter });
  const others = items.filter((item) => item.id !== name);
  const leftOutNotes = state.leftOutNotes.filter(({ item }) => item.id !== name);
  return createDraft({ ...state, items: note === null ? others : [...others, note], leftOutNotes });
}

function editItems(
  state: DraftState,
  options: Parameters<Draft['edit']>[1] & { readonly change: Parameters<Draft['edit']>[0] },
): Draft {
  const { change, rule, sticky = false, clears = false } = options;
  checkRule(rule);
  checkChange(change);
  const verdict = clears ? 'cleared' : 'edited';
  const verdicts = new Map(state.verdicts);
  const edits: Edit[] = [];
  const items = state.items.map((item) => {
    if (item.live || item.protected || item.seq === null || item.entryId === null) return item;
    const texts = new Map<number, string>();
    for (const [position, part] of editableParts(item)) {
      const given = change(part);
      if (typeof given !== 'string' || given === part.text) continue;
      const text = textOfEdit(given);
      if (text === part.text) continue;
      texts.set(position, text);
      edits.push({ entryId: item.entryId, seq: item.seq, part: part.part, rule, text, verdict });
    }
    if (texts.size === 0) return item;
    setVerdict(verdicts, item.seq, { kind: verdict, rule, by: state.actor });
    const message = applyEdits(item.message, texts);
    return Object.freeze({ ...item, message, tokens: state.counter.countMessage(message) });
  });
  if (edits.length === 0) return createDraft(state);
  const stickyEdits = sticky ? edits.map((edit) => ({ by: state.actor, edit })) : [];
  return createDraft({ ...state, items, verdicts, stickyEdits: [...state.stickyEdits, ...stickyEdits] });
}

/** The texts of an item that may be replaced, each with its position in the item's message. */
function editableParts(item: Item): readonly (readonly [position: number, part: EditablePart])[] {
  const { content } = item.message;
  if (typeof content === 'string') return [[0, { item, part: 0, kind: 'text', text: content, toolName: null }]];
  return content.flatMap((part, position): (readonly [number, EditablePart])[] => {
    const index = item.partIndexes[position] ?? madeUpPart;
    if (index === madeUpPart) return [];
    if (part.type === 'text') return [[position, { item, part: index, kind: 'text', text: part.text, toolName: null }]];
    if (part.type !== 'tool-result' || item.unread) return [];
    const text = textOfOutput(part.output);
    return [[position, { item, part: index, kind: 'tool-result', text, toolName: part.toolName }]];
  });
}

function dropGroups(
  state: DraftState,
  { groups, rule }: { readonly groups: readonly Group[]; readonly rule: string },
): Draft {
  checkRule(rule);
  const live = groups.find((group) => group.live);
  if (live !== undefined) {
    throw new VarveError('VARVE_DRAFT_LIVE', `Group "${live.id}" belongs to the running turn and cannot be dropped.`, {
      fix: 'Park it, or drop groups before the current user message.',
      details: { groupId: live.id },
    });
  }
  const gone = new Set(groups.map((group) => group.id));
  const verdicts = new Map(state.verdicts);
  for (const item of groups.flatMap((group) => group.items)) {
    if (item.seq !== null) setVerdict(verdicts, item.seq, { kind: 'dropped', rule, by: state.actor });
  }
  const notes = groups.flatMap((group) => group.items.filter(isNote));
  const leftOutNotes = [...state.leftOutNotes, ...notes.map((item) => ({ item, rule, by: state.actor }))];
  const rest = { ...state, leftOutNotes };
  return createDraft({ ...rest, items: state.items.filter((item) => !gone.has(item.groupId)), verdicts });
}

/** Which groups to park, by which rule. */
interface Parking {
  /** Groups of the draft, in the order in which they are parked. */
  readonly groups: readonly Group[];
  readonly rule: string;
  /** Results that the model has not read too, as only core's last resort asks for. @default false */
  readonly unread?: boolean;
  /** Ends at the group with which this much is saved. @default no end */
  readonly excess?: Tokens;
}

/** Parks groups, one after the other. */
export function parkGroups(state: DraftState, parking: Parking): Draft {
  const { rule, unread = false, excess = Infinity } = parking;
  checkRule(rule);
  const verdicts = new Map(state.verdicts);
  const parked = new Map<Item, Item>();
  let saved = 0;
  for (const group of parking.groups) {
    if (saved >= excess) break;
    for (const item of group.items) {
      const stays = item.protected || item.note !== null || (item.unread && !unread);
      const shorter = stays ? item : parkItem(item, state.counter);
      if (shorter === item) continue;
      parked.set(item, shorter);
      saved += item.tokens - shorter.tokens;
      if (item.seq !== null) setVerdict(verdicts, item.seq, { kind: 'parked', rule, by: state.actor });
    }
  }
  if (parked.size === 0) return createDraft(state);
  return createDraft({ ...state, items: state.items.map((item) => parked.get(item) ?? item), verdicts });
}

function parkItem(item: Item, counter: TokenCounter): Item {
  const message = parkMessage(item.message, { name: item.id, counter });
  if (message === item.message) return item;
  const tokens = counter.countMessage(message);
  return tokens < item.tokens ? Object.freeze({ ...item, message, tokens }) : item;
}

function setVerdict(verdicts: Map<Seq, Verdict>, seq: Seq, verdict: Verdict): void {
  const before = verdicts.get(seq)?.kind ?? 'kept';
  if (strength.indexOf(verdict.kind) >= strength.indexOf(before)) verdicts.set(seq, verdict);
}

function diffDrafts(after: DraftState, before: DraftState): DraftDiff {
  const kept: Verdict = { kind: 'kept' };
  const seqs = new Set([...before.verdicts.keys(), ...after.verdicts.keys()]);
  return {
    changes: [...seqs]
      .map((seq) => ({ seq, before: before.verdicts.get(seq) ?? kept, after: after.verdicts.get(seq) ?? kept }))
      .filter((change) => change.before !== change.after)
      .sort((a, b) => a.seq - b.seq),
    layersAdded: after.layers.filter((layer) => !before.layers.includes(layer)).map((layer) => layer.id),
    tokensBefore: tokensOf(before),
    tokensAfter: tokensOf(after),
  };
}
