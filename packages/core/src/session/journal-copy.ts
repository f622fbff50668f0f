import { checkpointTypes } from '../journal/checkpoint-types.ts';
import type { Entry } from '../journal/entry.ts';
import { createFolding, type Folding } from '../journal/fold.ts';
import { originalOf } from '../journal/readable-journal.ts';
import type { JournalBatch } from '../journal/store.ts';
import type { Seq, Ulid } from '../units.ts';

/** Entries that are handed to the store together. */
const batchSize = 64;

/** What must be known of a whole journal before it is folded anew, entry by entry, without holding all of them. */
export interface CopySurvey {
  /** Entries that are taken back somewhere: what they hide may be needed again. */
  readonly revoked: ReadonlySet<Ulid>;
  /** Seq of the last move of the head; 0 for none. */
  readonly lastHeadSeq: Seq;
}

/** A copy of a journal that is being made, with what it means so far. */
export interface JournalCopy {
  readonly folding: Folding;
  /** Streams it. To be read once. */
  batches(): AsyncGenerator<JournalBatch>;
}

/**
 * Copies entries from the first on. They are folded as they are copied, so that each checkpoint is what it would be had
 * they been appended one by one; what a checkpoint hides for good is let go of.
 *
 * @param entries  As {@link readableJournal} gives them: what cannot be read is copied as it is.
 * @param change  Makes the entry that stands in the place of another; `folding` knows all before it. @default as it is
 */
export function copyJournal(
  entries: AsyncIterable<Entry>,
  { revoked, lastHeadSeq }: CopySurvey,
  change: (entry: Entry, folding: Folding) => Entry = (entry) => entry,
): JournalCopy {
  const folding = createFolding({ checkpoint: null, entries: [] });
  const batches = async function* batches(): AsyncGenerator<JournalBatch> {
    let batch: Entry[] = [];
    for await (const old of entries) {
      const entry = change(old, folding);
      folding.apply(entry);
      batch.push(originalOf(entry));
      if (checkpointTypes.has(entry.type)) {
        const { visibleFromSeq, compaction } = folding.view();
        yield { entries: batch, checkpoint: { visibleFromSeq, state: folding.stateBefore(visibleFromSeq) } };
        batch = [];
        const staysHidden = compaction === null || !revoked.has(compaction.id);
        if (staysHidden && entry.seq >= lastHeadSeq) folding.trim();
      } else if (batch.length === batchSize) {
        yield { entries: batch };
        batch = [];
      }
    }
    if (batch.length > 0) yield { entries: batch };
  };
  return { folding, batches };
}
