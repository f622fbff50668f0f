import { VarveError } from '../errors.ts';
import type { Seq } from '../units.ts';
import type { Entry, RecordEntry } from './entry.ts';
import { entryProblem } from './entry-problem.ts';
import type { Journal } from './store.ts';

/** Type of the record that stands in the place of an entry that cannot be read; its data says why. */
export const unreadableType = 'core:unreadable';

/** The entries that stand in the place of what cannot be read, with that. */
const originals = new WeakMap<Entry, Entry>();

/**
 * The entry itself; a record in its place, of which nothing comes, where it does not have the shape of its type, or is of
 * a type or version that is not known. What was written stays in the journal as it is: see {@link originalOf}.
 *
 * @throws VARVE_STORE_DAMAGED  for an entry without a place.
 */
export function readableEntry(entry: Entry): Entry {
  const why = entryProblem(entry);
  return why === null ? entry : inPlaceOf(entry, why);
}

/** What an entry is in the journal. */
export function originalOf(entry: Entry): Entry {
  return originals.get(entry) ?? entry;
}

/** Makes a change to what is written where that cannot be read; `null` for an entry that can. */
export function changeUnreadable(entry: Entry, change: (original: Entry) => Entry): Entry | null {
  const original = originals.get(entry);
  return original === undefined ? null : inPlaceOf(change(original), String((entry as RecordEntry).data));
}

/** A journal as sessions read it. `onUnreadable` is told of each entry that cannot be read, each time that it is met. */
export function readableJournal(
  journal: Journal,
  onUnreadable: (seq: Seq, why: string) => void = () => undefined,
): Journal {
  const readable = (entry: Entry): Entry => {
    const read = readableEntry(entry);
    if (read !== entry) onUnreadable(read.seq, String((read as RecordEntry).data));
    return read;
  };
  return {
    header: journal.header,
    append: (entries, options) => journal.append(entries, options),
    tail: async () => {
      const { checkpoint, entries } = await journal.tail();
      return { checkpoint, entries: entries.map(readable) };
    },
    read: async function* (range) {
      for await (const entry of journal.read(range)) yield readable(entry);
    },
    get: async (seqsOrIds) => (await journal.get(seqsOrIds)).map(readable),
    replace: (batches, options) => journal.replace(batches, options),
    close: () => journal.close(),
  };
}

function inPlaceOf(entry: Entry, why: string): Entry {
  const { id, parentId, seq, at }: Readonly<Record<string, unknown>> = { ...entry };
  if (!Number.isSafeInteger(seq)) {
    throw new VarveError(
      'VARVE_STORE_DAMAGED',
      `An entry has no place in its journal: its seq is ${JSON.stringify(seq)}.`,
      {
        fix: 'Look at what varve doctor says of the journal.',
      },
    );
  }
  const record = {
    v: 1,
    id: typeof id === 'string' ? id : '',
    // A parent that is not known: the entry follows the one before it.
    parentId: typeof parentId === 'string' || parentId === null ? parentId : '~',
    seq,
    at: Number.isFinite(at) ? at : 0,
    type: unreadableType,
    data: why,
  } as RecordEntry;
  originals.set(record, entry);
  return record;
}
