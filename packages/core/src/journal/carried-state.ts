import type { JsonValue } from '../json-value.ts';
import { isOfUser } from '../message.ts';
import type { Milliseconds, Seq, Ulid } from '../units.ts';
import { type Branch, pathTo } from './branch.ts';
import { type Calibration, calibrate, uncalibrated } from './calibration.ts';
import type { AppliedEdit, Entry, MessageEntry } from './entry.ts';

/** Version of {@link CarriedState}. A checkpoint of another version is not read: the whole journal is. */
export const carriedStateVersion = 2;

/** Keys that stand together. A new one copies its own group and the list of groups, not all keys that are known. */
const keysInGroup = 40;

/** Groups that are kept: with the newest begun anew there are still 1 000 keys in the others. */
const keyGroups = 26;

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
  readonly v: typeof carriedStateVersion;
  /** Seq of the last entry that was reduced; 0 for none. */
  readonly seq: Seq;
  readonly lastId: Ulid | null;
  /** Every move of the head so far, oldest first. */
  readonly branches: readonly Branch[];
  readonly settings: Readonly<Record<string, JsonValue>>;
  /** Newest text first. */
  readonly slots: Readonly<Record<string, readonly SlotText[]>>;
  /** The last record of each type. */
  readonly records: Readonly<Record<string, { readonly seq: Seq; readonly data: JsonValue }>>;
  /** At least the last 1 000 ingest keys with their entry's seq, oldest first, in groups of 40. */
  readonly keys: readonly (readonly (readonly [key: string, seq: Seq])[])[];
  /** Model of the last request or `model` setting; `null` for none. */
  readonly model: string | null;
  /** How the counts of prompts compare with what that model's provider reports. */
  readonly calibration: Calibration;
  /** Seq of the newest message that the user said, by provenance; 0 for none. Names the turn. */
  readonly lastUserSeq: Seq;
  /** Number of requests made, and when the last one was. */
  readonly requests: number;
  readonly lastRequestAt: Milliseconds | null;
  /** Messages that stay although they lie before the visible range. */
  readonly held: readonly HeldMessage[];
}

/** What is known of no entries at all. */
export const emptyCarriedState: CarriedState = {
  v: carriedStateVersion,
  seq: 0,
  lastId: null,
  branches: [],
  settings: {},
  slots: {},
  records: {},
  keys: [],
  model: null,
  calibration: uncalibrated,
  lastUserSeq: 0,
  requests: 0,
  lastRequestAt: null,
  held: [],
};

/** Reduces one more entry. Pure; entries must come in seq order. */
export function carry(state: CarriedState, entry: Entry): CarriedState {
  const calibration = calibrate(state.calibration, entry, state);
  const next = { ...state, seq: entry.seq, lastId: entry.id, calibration };
  switch (entry.type) {
    case 'message': {
      const lastUserSeq = isOfUser(entry) ? entry.seq : state.lastUserSeq;
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
    case 'head': {
      const branch = { fromSeq: entry.seq + 1, parentSeq: entry.targetSeq, reason: entry.reason };
      return { ...next, branches: [...state.branches, branch] };
    }
    case 'compaction':
    case 'edit':
      return next;
    default:
      return { ...next, records: { ...state.records, [entry.type]: { seq: entry.seq, data: entry.data } } };
  }
}

/** Seq of the entry on the path to the head that was ingested under a key; the newest when there are several. */
export function seqOfKey({ keys, branches }: CarriedState, key: string): Seq | undefined {
  const isOnPath = pathTo(branches, Infinity);
  for (let group = keys.length - 1; group >= 0; group -= 1) {
    const found = keys[group]?.findLast((known) => known[0] === key && isOnPath(known[1]));
    if (found !== undefined) return found[1];
  }
  return undefined;
}

function remember(keys: CarriedState['keys'], key: string, seq: Seq): CarriedState['keys'] {
  const newest = keys.at(-1) ?? [];
  const isFull = keys.length === 0 || newest.length === keysInGroup;
  const groups = isFull ? [...keys, [[key, seq] as const]] : [...keys.slice(0, -1), [...newest, [key, seq] as const]];
  return groups.length > keyGroups ? groups.slice(1) : groups;
}

function withoutText(slots: CarriedState['slots'], entryId: Ulid): CarriedState['slots'] {
  const changed = Object.entries(slots).filter(([, texts]) => texts.some((text) => text.entryId === entryId));
  if (changed.length === 0) return slots;
  const kept = changed.map(([slot, texts]) => [slot, texts.filter((text) => text.entryId !== entryId)] as const);
  return { ...slots, ...Object.fromEntries(kept) };
}
