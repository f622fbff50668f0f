import type { SessionView } from '@varve/core';
import { newestSeq } from './backwards-reading.ts';
import type { SeqRange } from './session-index.ts';

/** Entries of the first stretch, and of the longest ones: what is looked for is often near, but each stretch has to be found. */
const fewest = 128;
const most = 4_096;

/** Cuts a range of entries into stretches, the newest first, each from its first entry to its last. */
export function* stretchesBackwards({ fromSeq, toSeq }: SeqRange, session: SessionView): Generator<SeqRange> {
  let size = fewest;
  let to = Math.min(toSeq, newestSeq(session));
  while (to >= fromSeq) {
    const from = Math.max(fromSeq, to - size + 1);
    yield { fromSeq: from, toSeq: to };
    to = from - 1;
    size = Math.min(most, size * 2);
  }
}
