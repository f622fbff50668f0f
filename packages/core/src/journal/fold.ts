import { VarveError } from '../errors.ts';
import type { Seq, Ulid } from '../units.ts';
import {
  type CarriedState,
  carriedStateVersion,
  carry,
  emptyCarriedState,
  type HeldMessage,
  seqOfKey,
} from './carried-state.ts';
import type {
  AppliedEdit,
  CompactionEntry,
  EditEntry,
  Entry,
  MessageEntry,
  RequestLayer,
  RequestNote,
  Verdict,
} from './entry.ts';
import { extendView } from './extend-view.ts';
import { lastVerdicts } from './last-verdicts.ts';
import { knewSeqOf, lastRebuild, notesInForce } from './notes-in-force.ts';
import { readableEntry } from './readable-journal.ts';
import type { Checkpoint, Tail } from './store.ts';

/** A journal as one value: what a prompt may be made of, and what the session knows. */
export interface Folded {
  readonly lastSeq: Seq;
  /** The entry that the next one follows. */
  readonly headId: Ulid | null;
  /** Settings, state slots, records, ingest keys and the model in force. */
  readonly state: CarriedState;
  /** First entry that is still shown, or is needed to know what is shown. */
  readonly visibleFromSeq: Seq;
  /** The compaction whose summary stands for all before; `null` for none. */
  readonly compaction: CompactionEntry | null;
  /** What stays in front of the kept messages: system messages, and the user message of a turn that goes on. */
  readonly held: readonly MessageEntry[];
  /** The messages on the path that no compaction covers, oldest first. */
  readonly messages: readonly MessageEntry[];
  /** Edits in force, by entry; a later edit of the same part has replaced an earlier one. */
  readonly edits: ReadonlyMap<Ulid, readonly AppliedEdit[]>;
  /** Notes in force: made since the last compaction, undo or move of the head, in the order in which they were made. */
  readonly notes: readonly RequestNote[];
  /** Seq of that compaction, undo or move of the head; 0 for none. */
  readonly rebuiltSeq: Seq;
  /** Seq of the last request; 0 when none is among the visible entries. */
  readonly lastRequestSeq: Seq;
  /** The newest compaction, undo or move of the head that the last request knew, wherever that is stored; 0 for none. */
  readonly lastRequestKnewSeq: Seq;
  /** Seq of the last move of the head, or of what took something back; 0 for none. */
  readonly turnedBackSeq: Seq;
  /** True when that is something that the last request did not know. */
  readonly isTurnedBack: boolean;
  /** Verdicts of the last request that were not `kept`, by seq, from `visibleFromSeq` on. */
  readonly verdicts: ReadonlyMap<Seq, Verdict>;
}

/** A fold that takes entries as they are appended, and holds no more than what is visible. */
export interface Folding {
  apply(entry: Entry): void;
  view(): Folded;
  /** What is known now, without what is visible; cheap. */
  state(): CarriedState;
  /** The last entry and the one that the next follows; cheap, unlike {@link view}. */
  end(): { readonly lastSeq: Seq; readonly headId: Ulid | null };
  /** Seq of the entry on the path to the head that was ingested under a key. */
  seqOfKey(key: string): Seq | undefined;
  /** Layers of the last request; none when no request is among the entries that were read. */
  requestLayers(): readonly RequestLayer[];
  /** A fold with more entries; this one stays as it is. */
  preview(entries: readonly Entry[]): Folding;
  /** What is known of the entries before `seq`, which must be within the entries held. */
  stateBefore(seq: Seq): CarriedState;
  /** Lets go of the entries before what is visible. */
  trim(): void;
}

/**
 * Turns the tail of a journal, or all of it, into what it means. Pure: `fold(tail)` equals `fold(everything)`. Of entries
 * that do not have the shape of their type, or are of a later version, nothing comes.
 *
 * @throws VARVE_CHECKPOINT_VERSION  when another version of Varve wrote the checkpoint; fold the whole journal then.
 */
export function fold(tail: Tail): Folded {
  const { checkpoint, entries } = tail;
  return createFolding({ checkpoint, entries: entries.map(readableEntry) }).view();
}

/** Starts a fold from the tail of a journal. */
export function createFolding(tail: Tail): Folding {
  if (tail.checkpoint !== null) checkVersion(tail.checkpoint);
  let before = tail.checkpoint?.state ?? emptyCarriedState;
  let entries: Entry[] = [...tail.entries];
  let state = entries.reduce(carry, before);
  let headId = entries.reduce(headAfter, before.lastId);
  let requestLayers = entries.findLast((entry) => entry.type === 'request')?.layers ?? [];
  let cached: Folded | null = null;

  const view = (): Folded => {
    cached ??= viewOf({ before, entries, state });
    return cached;
  };
  const stateBefore = (seq: Seq): CarriedState => {
    const earlier = entries.filter((entry) => entry.seq < seq);
    const reduced = earlier.reduce(carry, before);
    const path = pathOf(entries, before.lastId).entries.filter((entry) => entry.seq < seq);
    const input = { before, entries: earlier, path, revoked: revokedOf(entries) };
    const held = view().held.filter((entry) => entry.seq < seq);
    return { ...reduced, held: held.flatMap(({ id }) => heldMessage(id, input) ?? []) };
  };
  return {
    apply: (entry) => {
      entries.push(entry);
      state = carry(state, entry);
      headId = headAfter(headId, entry);
      if (entry.type === 'request') requestLayers = entry.layers;
      cached = cached === null ? null : extendView(cached, { entry, state });
    },
    view,
    state: () => state,
    end: () => ({ lastSeq: state.seq, headId }),
    seqOfKey: (key) => seqOfKey(state, key),
    requestLayers: () => requestLayers,
    preview: (more) => {
      const checkpoint = { visibleFromSeq: before.seq + 1, state: before };
      return createFolding({ checkpoint, entries: [...entries, ...more] });
    },
    stateBefore,
    trim: () => {
      const { visibleFromSeq } = view();
      before = stateBefore(visibleFromSeq);
      entries = entries.filter((entry) => entry.seq >= visibleFromSeq);
      cached = null;
    },
  };
}

function checkVersion({ state }: Checkpoint): void {
  const version: unknown = state.v;
  if (version === carriedStateVersion) return;
  const message = `The checkpoint has version ${String(version)}; this version of Varve reads ${carriedStateVersion}.`;
  throw new VarveError('VARVE_CHECKPOINT_VERSION', message, {
    fix: 'Fold the whole journal instead: { checkpoint: null, entries } with all that read() gives.',
    details: { version },
  });
}

function headAfter(_: Ulid | null, entry: Entry): Ulid | null {
  return entry.type === 'head' ? entry.targetId : entry.id;
}

interface FoldInput {
  readonly before: CarriedState;
  readonly entries: readonly Entry[];
}

function viewOf(input: FoldInput & { readonly state: CarriedState }): Folded {
  const { before, entries, state } = input;
  const path = pathOf(entries, before.lastId);
  const revoked = revokedOf(entries);
  const compaction = newestCompaction(path.entries, revoked);
  const keptFromSeq = compaction === null ? 0 : (compaction.range.firstKept?.seq ?? compaction.seq);
  const messages = path.entries.filter(
    (entry): entry is MessageEntry => entry.type === 'message' && entry.seq >= keptFromSeq,
  );
  const visibleFromSeq = compaction === null ? 1 : keptFromSeq;
  const held = heldIds({ compaction, path: path.entries, before, keptFromSeq }).flatMap(
    (id) => heldMessage(id, { before, entries, path: path.entries, revoked }) ?? [],
  );
  const modelChangedAt = lastModelChange(entries, before.model);
  const rebuiltSeq = lastRebuild(entries);
  const lastOf = (types: readonly string[]): Entry | undefined =>
    entries.findLast((entry) => types.includes(entry.type) && entry.seq >= visibleFromSeq);
  const lastRequest = lastOf(['request']);
  const turnedBackSeq = lastOf(['head', 'revoke'])?.seq ?? 0;
  const lastRequestKnewSeq = lastRequest?.type === 'request' ? knewSeqOf(lastRequest) : 0;
  return {
    lastSeq: state.seq,
    headId: path.headId,
    state: { ...state, held: [] },
    visibleFromSeq,
    compaction,
    held: Object.freeze(held.map(({ entry }) => entry)),
    messages: Object.freeze(messages),
    edits: editsOf({ path: path.entries, revoked, modelChangedAt, held, messages }),
    notes: notesInForce(entries, rebuiltSeq),
    rebuiltSeq,
    lastRequestSeq: lastRequest?.seq ?? 0,
    lastRequestKnewSeq,
    turnedBackSeq,
    isTurnedBack: turnedBackSeq > lastRequestKnewSeq,
    verdicts: lastVerdicts(entries, { visibleFromSeq, compaction, held: held.map(({ entry }) => entry.seq) }),
  };
}

/** The entries that lead to the head. An entry whose parent is not among `entries` is the first of its path. */
function pathOf(entries: readonly Entry[], lastId: Ulid | null): { entries: readonly Entry[]; headId: Ulid | null } {
  let headId = lastId;
  let straight = true;
  for (const entry of entries) {
    if (entry.parentId !== headId && entry !== entries[0]) straight = false;
    if (entry.type === 'head') straight = false;
    headId = headAfter(headId, entry);
  }
  if (straight) return { entries, headId };
  const places = new Map(entries.map((entry, place) => [entry.id, place]));
  const path: Entry[] = [];
  let place = headId === null ? undefined : places.get(headId);
  while (place !== undefined) {
    const entry = entries[place] as Entry;
    path.push(entry);
    places.delete(entry.id);
    place = placeBefore(entry, { place, places, entries });
  }
  return { entries: path.reverse(), headId };
}

/**
 * Where the parent of an entry stands. A parent that ought to be here but is not was lost to damage: then the entry
 * follows the one before it in the file. Ids sort by time, so one that is older than all here lies before them.
 */
function placeBefore(
  { parentId }: Entry,
  at: { readonly place: number; readonly places: ReadonlyMap<Ulid, number>; readonly entries: readonly Entry[] },
): number | undefined {
  if (parentId === null) return undefined;
  const known = at.places.get(parentId);
  const isLost = known === undefined && at.place > 0 && parentId > (at.entries[0]?.id ?? '');
  const before = isLost ? at.place - 1 : known;
  return before !== undefined && before < at.place ? before : undefined;
}

function revokedOf(entries: readonly Entry[]): ReadonlySet<Ulid> {
  return new Set(entries.flatMap((entry) => (entry.type === 'revoke' ? [entry.targetId] : [])));
}

function newestCompaction(path: readonly Entry[], revoked: ReadonlySet<Ulid>): CompactionEntry | null {
  const active = path.findLast((entry) => entry.type === 'compaction' && !revoked.has(entry.id));
  return active?.type === 'compaction' ? active : null;
}

/** What stays although it lies before the kept messages: what the system says, and the message of a turn that goes on. */
function heldIds(input: {
  readonly compaction: CompactionEntry | null;
  readonly path: readonly Entry[];
  readonly before: CarriedState;
  readonly keptFromSeq: Seq;
}): readonly Ulid[] {
  const { compaction, path, before, keptFromSeq } = input;
  if (compaction === null) return [];
  const isSystem = (entry: Entry): boolean => entry.type === 'message' && entry.message.role === 'system';
  const earlier = [...before.held.map((held) => held.entry), ...path.filter((entry) => entry.seq < keptFromSeq)];
  const { held } = compaction.range;
  return [...new Set([...earlier.filter(isSystem).map(({ id }) => id), ...(held === null ? [] : [held.id])])];
}

function heldMessage(
  id: Ulid,
  input: FoldInput & { readonly path: readonly Entry[]; readonly revoked: ReadonlySet<Ulid> },
): HeldMessage | null {
  const { before, entries, path, revoked } = input;
  const carried = before.held.find((held) => held.entry.id === id);
  const entry = carried?.entry ?? path.find((candidate) => candidate.id === id);
  if (entry === undefined || entry.type !== 'message') return null;
  const modelChangedAt = lastModelChange(entries, before.model);
  const ofType = (type: 'compaction' | 'edit', fromSeq: Seq): AppliedEdit[] =>
    path
      .flatMap((other) =>
        other.type === type && other.seq >= fromSeq && !revoked.has(other.id) ? appliedEdits(other) : [],
      )
      .filter((edit) => edit.entryId === id);
  return {
    entry,
    edits: [...(carried?.edits ?? []), ...ofType('compaction', 0)],
    stickyEdits: [...(modelChangedAt === 0 ? (carried?.stickyEdits ?? []) : []), ...ofType('edit', modelChangedAt)],
  };
}

/** Seq of the last entry that put another model in force; 0 for none. */
function lastModelChange(entries: readonly Entry[], modelBefore: string | null): Seq {
  let model = modelBefore;
  let changedAt = 0;
  for (const entry of entries) {
    const named = modelNamedBy(entry);
    if (named === null) continue;
    if (model !== null && named !== model) changedAt = entry.seq;
    model = named;
  }
  return changedAt;
}

function modelNamedBy(entry: Entry): string | null {
  if (entry.type === 'request') return entry.model;
  const names = entry.type === 'setting' && entry.name === 'model' && typeof entry.value === 'string';
  return names ? String(entry.value) : null;
}

function editsOf(options: {
  readonly path: readonly Entry[];
  readonly revoked: ReadonlySet<Ulid>;
  readonly modelChangedAt: Seq;
  readonly held: readonly HeldMessage[];
  readonly messages: readonly MessageEntry[];
}): ReadonlyMap<Ulid, readonly AppliedEdit[]> {
  const { path, revoked, modelChangedAt, held, messages } = options;
  const visible = new Set(messages.map((entry) => entry.id));
  const edits = new Map<Ulid, readonly AppliedEdit[]>();
  const add = (edit: AppliedEdit): void => {
    const others = (edits.get(edit.entryId) ?? []).filter((other) => (other.part ?? 0) !== (edit.part ?? 0));
    edits.set(edit.entryId, [...others, edit]);
  };
  for (const one of held) for (const edit of [...one.edits, ...one.stickyEdits]) add(edit);
  for (const entry of path) {
    if ((entry.type !== 'edit' && entry.type !== 'compaction') || revoked.has(entry.id)) continue;
    if (entry.type === 'edit' && entry.seq < modelChangedAt) continue;
    for (const edit of appliedEdits(entry)) if (visible.has(edit.entryId)) add(edit);
  }
  return edits;
}

function appliedEdits(entry: CompactionEntry | EditEntry): readonly AppliedEdit[] {
  const by = entry.type === 'edit' ? entry.by : entry.by.plugin;
  return entry.edits.map((edit) => ({ ...edit, by }));
}
