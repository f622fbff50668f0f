import { type CarriedState, carry, emptyCarriedState } from './carried-state.ts';
import type { Clock } from './clock.ts';
import type { Entry, NewEntry } from './entry.ts';
import { VarveError } from './errors.ts';
import { createFolding, type Folded, type Folding } from './fold.ts';
import type { Checkpoint, Journal } from './store.ts';
import type { Milliseconds, Seq, Ulid } from './units.ts';

/** The journal of one open session and what it means now. The only place that makes entries. */
export interface SessionJournal {
  readonly journal: Journal;
  folded(): Folded;
  /** Seq of the entry that was ingested under a key; `undefined` for a key that is not known. */
  seqOfKey(key: string): Seq | undefined;
  /** Appends entries, in the order of the calls; they follow the head. Resolves when they are durable. */
  append(entries: readonly NewEntry[]): Promise<readonly Entry[]>;
  /** Keeps an entry, with the time it has now, to be stored with, and before, the next append. */
  defer(entry: NewEntry): void;
  /** What the journal would mean with one more entry; nothing is stored. */
  foldedWith(entry: NewEntry): Folded;
  /** Reads the journal again from an earlier entry, which the appended entries make visible. */
  appendFrom(seq: Seq, entries: readonly NewEntry[]): Promise<readonly Entry[]>;
  /** Stores what was deferred and lets go of the journal. */
  close(): Promise<void>;
}

/** An entry to be, and when it was made. */
interface Timed {
  readonly entry: NewEntry;
  readonly at: Milliseconds;
}

/** Entry types whose append carries a checkpoint: they change where reading may start. */
const checkpointTypes: ReadonlySet<string> = new Set(['compaction', 'head', 'revoke']);

/** Opens the journal of a session: reads its tail and folds it. */
export async function openSessionJournal(
  journal: Journal,
  { clock, mintId, onAppend }: { clock: Clock; mintId: () => Ulid; onAppend: (entry: Entry) => void },
): Promise<SessionJournal> {
  let folding: Folding = createFolding(await journal.tail());
  let deferred: Timed[] = [];
  let isClosed = false;
  let queue: Promise<unknown> = Promise.resolve();

  const complete = (entries: readonly Timed[]): readonly Entry[] => {
    let { headId: parentId, lastSeq: seq } = folding.end();
    return entries.map(({ entry, at }) => {
      seq += 1;
      const full = { v: 1, id: mintId(), parentId, seq, at, ...entry } as Entry;
      parentId = full.type === 'head' ? full.targetId : full.id;
      return full;
    });
  };
  const timed = (entry: NewEntry): Timed => ({ entry, at: clock.now() });
  const write = async (entries: readonly NewEntry[]): Promise<readonly Entry[]> => {
    const held = deferred;
    deferred = [];
    const full = complete([...held, ...entries.map(timed)]);
    if (full.length === 0) return [];
    const expectedSeq = folding.end().lastSeq;
    const checkpoint = checkpointFor(full);
    try {
      await journal.append(full, checkpoint === undefined ? { expectedSeq } : { expectedSeq, checkpoint });
    } catch (error) {
      deferred = [...held, ...deferred];
      throw error;
    }
    for (const entry of full) folding.apply(entry);
    if (checkpoint !== undefined) folding.trim();
    for (const entry of full) onAppend(entry);
    return full.slice(held.length);
  };
  const checkpointFor = (full: readonly Entry[]): Checkpoint | undefined => {
    if (!full.some((entry) => checkpointTypes.has(entry.type))) return undefined;
    const preview = folding.preview(full);
    const { visibleFromSeq } = preview.view();
    return { visibleFromSeq, state: preview.stateBefore(visibleFromSeq) };
  };
  const enqueue = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const next = queue.then(work);
    queue = next.catch(() => undefined);
    return next;
  };
  const refuseClosed = (): void => {
    if (!isClosed) return;
    throw new VarveError('VARVE_SESSION_CLOSED', 'The session has been closed.', {
      fix: 'Open it again with host.open.',
    });
  };
  return {
    journal,
    folded: () => folding.view(),
    seqOfKey: (key) => folding.seqOfKey(key),
    append: async (entries) => {
      refuseClosed();
      return enqueue(() => write(entries));
    },
    defer: (entry) => {
      refuseClosed();
      deferred.push(timed(entry));
    },
    foldedWith: (entry) => folding.preview(complete([timed(entry)])).view(),
    appendFrom: async (seq, entries) => {
      refuseClosed();
      return enqueue(async () => {
        const later = folding;
        folding = createFolding(await readFrom(journal, seq));
        try {
          return await write(entries);
        } catch (error) {
          folding = later;
          throw error;
        }
      });
    },
    close: async () => {
      if (isClosed) return;
      isClosed = true;
      await enqueue(() => write([]));
      await journal.close();
    },
  };
}

/** The journal from `seq` on as a tail, with all before it reduced: memory does not grow with what lies before. */
async function readFrom(journal: Journal, seq: Seq): Promise<{ checkpoint: Checkpoint; entries: readonly Entry[] }> {
  let state: CarriedState = emptyCarriedState;
  const entries: Entry[] = [];
  for await (const entry of journal.read()) {
    if (entry.seq < seq) state = carry(state, entry);
    else entries.push(entry);
  }
  return { checkpoint: { visibleFromSeq: seq, state }, entries };
}
