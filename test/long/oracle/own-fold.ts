import type { SeenEdit, SeenEntry } from './observation.ts';

/** What a journal means where it ends, worked out from its first line each time. */
export interface OwnFold {
  /** Seqs that lead to the head. */
  readonly path: ReadonlySet<number>;
  readonly compaction: SeenEntry | null;
  /** The message entries that a prompt must give account of, in its order: what is held in front first. */
  readonly visible: readonly SeenEntry[];
  /** How many of them are held. */
  readonly held: number;
  /** Edits in force, by entry id and part. */
  readonly edits: ReadonlyMap<string, ReadonlyMap<number, SeenEdit & { readonly by: string }>>;
  readonly state: ReadonlyMap<string, string>;
  readonly model: string | null;
}

/** The journal with its entries by id: made once, asked for many places. */
export interface OwnJournal {
  readonly entries: readonly SeenEntry[];
  readonly byId: ReadonlyMap<string, SeenEntry>;
}

/** Makes an {@link OwnJournal}. */
export function ownJournal(entries: readonly SeenEntry[]): OwnJournal {
  return { entries, byId: new Map(entries.map((entry) => [entry.id, entry])) };
}

/**
 * Folds the entries before `seq`. `model`, when given, is the one that the next request names: edits that were made for
 * another one end with it. `more` are edits that the same request makes.
 */
export function foldBefore(
  journal: OwnJournal,
  { seq, model, more = [] }: { readonly seq: number; readonly model?: string; readonly more?: readonly SeenEntry[] },
): OwnFold {
  const before = journal.entries.slice(0, seq - 1);
  const revoked = new Set(before.flatMap((entry) => (entry.type === 'revoke' ? [entry.targetId ?? ''] : [])));
  const path = pathTo(journal, headOf(before));
  const onPath = before.filter((entry) => path.has(entry.seq));
  const isCompaction = (entry: SeenEntry): boolean => entry.type === 'compaction' && !revoked.has(entry.id);
  const compaction = onPath.findLast(isCompaction) ?? null;
  const keptFrom = compaction?.range?.firstKept?.seq ?? 0;
  const messages = onPath.filter((entry) => entry.type === 'message');
  const heldId = compaction?.range?.held?.id;
  const systems = messages.filter((entry) => entry.seq < keptFrom && entry.message?.role === 'system');
  const held = [...systems.filter(({ id }) => id !== heldId), ...messages.filter(({ id }) => id === heldId)];
  const named = modelsOf(before);
  const changedAt = model !== undefined && named.model !== null && named.model !== model ? seq : named.changedAt;
  return {
    path,
    compaction,
    visible: [...held, ...messages.filter((entry) => entry.seq >= keptFrom)],
    held: held.length,
    edits: editsOf([...onPath.filter(({ id }) => !revoked.has(id)), ...more], changedAt),
    state: stateOf(before, revoked),
    model: named.model,
  };
}

/** Id of the entry that the next one follows. */
function headOf(entries: readonly SeenEntry[]): string | null {
  const last = entries.at(-1);
  if (last === undefined) return null;
  return last.type === 'head' ? (last.targetId ?? null) : last.id;
}

/** Seqs from the first entry to the one with that id, by their parents. */
export function pathTo({ byId }: OwnJournal, id: string | null): ReadonlySet<number> {
  const path = new Set<number>();
  for (let entry = byId.get(id ?? ''); entry !== undefined; entry = byId.get(entry.parentId ?? '')) path.add(entry.seq);
  return path;
}

function modelsOf(entries: readonly SeenEntry[]): { readonly model: string | null; readonly changedAt: number } {
  let model: string | null = null;
  let changedAt = 0;
  for (const { type, model: asked, name, value, seq } of entries) {
    const named = type === 'request' ? asked : type === 'setting' && name === 'model' ? value : undefined;
    if (typeof named !== 'string') continue;
    if (model !== null && named !== model) changedAt = seq;
    model = named;
  }
  return { model, changedAt };
}

function editsOf(entries: readonly SeenEntry[], modelChangedAt: number): OwnFold['edits'] {
  const edits = new Map<string, Map<number, SeenEdit & { by: string }>>();
  for (const entry of entries) {
    if (entry.type !== 'edit' && entry.type !== 'compaction') continue;
    if (entry.type === 'edit' && entry.seq < modelChangedAt) continue;
    const { by } = entry as { readonly by?: unknown };
    for (const edit of entry.edits ?? []) {
      const parts = edits.get(edit.entryId) ?? new Map();
      parts.delete(edit.part ?? 0);
      edits.set(edit.entryId, parts.set(edit.part ?? 0, { ...edit, by: JSON.stringify(by) }));
    }
  }
  return edits;
}

function stateOf(entries: readonly SeenEntry[], revoked: ReadonlySet<string>): ReadonlyMap<string, string> {
  const state = new Map<string, string>();
  for (const { type, id, slot = '', text } of entries) {
    if (type !== 'state' || revoked.has(id)) continue;
    if (typeof text === 'string') state.set(slot, text);
    else state.delete(slot);
  }
  return state;
}
