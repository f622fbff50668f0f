import type { JsonValue } from '../json-value.ts';
import type { Milliseconds, Seq, Ulid } from '../units.ts';
import type { AppliedEdit, Entry, MessageEntry } from './entry.ts';

/** How many ingest keys a session remembers; a key that was seen before these is new again. */
const rememberedKeys = 1_000;

/** How many earlier texts of a state slot can be brought back by undoing. */
const rememberedTexts = 8;

/** One text of a state slot, and the entry that set it. */
export interface SlotText {
  readonly entryId: Ulid;
  readonly text: string | null;
}

/** A message before the visible range that stays in the prompt all the same, with the edits made to it. */
export interface HeldMessage {
  readonly entry: MessageEntry;
  /** Edits that belong to a compaction. */
  readonly edits: readonly AppliedEdit[];
  /** Edits that end when the model changes. */
  readonly stickyEdits: readonly AppliedEdit[];
}

/**
 * What a session knows of entries that it no longer holds: JSON only, stored with every checkpoint.
 * It is the reduction of those entries, one by one, by `carry`.
 */
export interface CarriedState {
  /** Seq of the last entry that was reduced; 0 for none. */
  readonly seq: Seq;
  readonly lastId: Ulid | null;
  readonly settings: Readonly<Record<string, JsonValue>>;
  /** Newest text first. */
  readonly slots: Readonly<Record<string, readonly SlotText[]>>;
  /** The last record of each type. */
  readonly records: Readonly<Record<string, { readonly seq: Seq; readonly data: JsonValue }>>;
  /** Ingest keys with their entry's seq, oldest first. */
  readonly keys: readonly (readonly [key: string, seq: Seq])[];
  /** Model of the last request or `model` setting; `null` for none. */
  readonly model: string | null;
  /** Seq of the newest user message; 0 for none. Names the turn. */
  readonly lastUserSeq: Seq;
  /** Number of requests made, and when the last one was. */
  readonly requests: number;
  readonly lastRequestAt: Milliseconds | null;
  /** Messages that stay although they lie before the visible range. */
  readonly held: readonly HeldMessage[];
}

/** What is known of no entries at all. */
export const emptyCarriedState: CarriedState = {
  seq: 0,
  lastId: null,
  settings: {},
  slots: {},
  records: {},
  keys: [],
  model: null,
  lastUserSeq: 0,
  requests: 0,
  lastRequestAt: null,
  held: [],
};

/** Reduces one more entry. Pure; entries must come in seq order. */
export function carry(state: CarriedState, entry: Entry): CarriedState {
  const next = { ...state, seq: entry.seq, lastId: entry.id };
  switch (entry.type) {
    case 'message': {
      const lastUserSeq = entry.message.role === 'user' ? entry.seq : state.lastUserSeq;
      const keys = entry.key === undefined ? state.keys : remember(state.keys, entry.key, entry.seq);
      return { ...next, keys, lastUserSeq };
    }
    case 'setting': {
      const settings = { ...state.settings, [entry.name]: entry.value };
      const names = entry.name === 'model' && typeof entry.value === 'string';
      return { ...next, settings, model: names ? String(entry.value) : state.model };
    }
    case 'state': {
      const known = Object.hasOwn(state.slots, entry.slot) ? (state.slots[entry.slot] ?? []) : [];
      const texts = [{ entryId: entry.id, text: entry.text }, ...known];
      return { ...next, slots: { ...state.slots, [entry.slot]: texts.slice(0, rememberedTexts) } };
    }
    case 'revoke':
      return { ...next, slots: withoutText(state.slots, entry.targetId) };
    case 'request':
      return { ...next, model: entry.model, requests: state.requests + 1, lastRequestAt: entry.at };
    case 'compaction':
    case 'edit':
    case 'head':
      return next;
    default:
      return { ...next, records: { ...state.records, [entry.type]: { seq: entry.seq, data: entry.data } } };
  }
}

function remember(keys: CarriedState['keys'], key: string, seq: Seq): CarriedState['keys'] {
  const all = [...keys, [key, seq] as const];
  return all.length > rememberedKeys ? all.slice(all.length - rememberedKeys) : all;
}

function withoutText(slots: CarriedState['slots'], entryId: Ulid): CarriedState['slots'] {
  const changed = Object.entries(slots).filter(([, texts]) => texts.some((text) => text.entryId === entryId));
  if (changed.length === 0) return slots;
  const kept = changed.map(([slot, texts]) => [slot, texts.filter((text) => text.entryId !== entryId)] as const);
  return { ...slots, ...Object.fromEntries(kept) };
}
