import type { CompactRequest, Entry, HookContext, MessageEntry, Seq, Ulid } from '@varve/core';

/** Most messages of one flush; those behind them are left to the next one. */
const mostMessages = 3_000;

/** The oldest messages that have not been saved yet. */
export interface EntriesToSave {
  readonly entries: readonly MessageEntry[];
  /** Up to where these are all: the last entry of the prompt, or the last of the messages; 0 for none. */
  readonly lastSeq: Seq;
  /** Whether messages of the prompt are left to the next flush. */
  readonly more: boolean;
}

/** The last entry that stands in the prompt of a request; 0 for none. */
function lastSeqOf({ draft }: Pick<CompactRequest, 'draft'>): Seq {
  return draft.items.reduce((last, { seq }) => Math.max(last, seq ?? 0), 0);
}

/** The entry before the first one in the prompt: what nobody has looked at before begins behind it. */
export function seqBefore({ draft }: Pick<CompactRequest, 'draft'>): Seq {
  const first = draft.items.reduce((least, { seq }) => Math.min(least, seq ?? Infinity), Infinity);
  return first === Infinity ? 0 : first - 1;
}

/**
 * The compaction that began the cycle. A request may be older than the newest compaction: then that one belongs to the
 * cycle that follows.
 */
export function cycleOf(request: CompactRequest, session: HookContext['session']): Ulid | null {
  const newest = session.compaction();
  if (newest === null) return null;
  return newest.seq > lastSeqOf(request) ? newest.previousId : newest.id;
}

/**
 * Reads what has not been saved, the oldest first, also what an earlier compaction covers without having been saved; never what was said
 * while the session was incognito.
 */
export async function entriesToSave(
  request: CompactRequest,
  context: HookContext,
  savedSeq: Seq,
): Promise<EntriesToSave> {
  const lastSeq = lastSeqOf(request);
  const entries: MessageEntry[] = [];
  let [isOpen, isKnown, more] = [true, false, false];
  if (lastSeq <= savedSeq) return { entries, lastSeq, more };
  for await (const entry of context.readEntries({ fromSeq: savedSeq + 1, toSeq: lastSeq })) {
    const incognito = incognitoAfter(entry);
    if (incognito !== null) {
      // Whoever ends it has been incognito until then, as far as can be seen from here.
      if (!incognito && !isKnown) {
        entries.length = 0;
        more = false;
      }
      isOpen = !incognito;
      isKnown = true;
    }
    if (entry.type !== 'message' || !isOpen) continue;
    if (entries.length < mostMessages) entries.push(entry);
    else more = true;
    if (more && isKnown) break;
  }
  return { entries, lastSeq: more ? (entries.at(-1)?.seq ?? lastSeq) : lastSeq, more };
}

/** What an entry makes of the setting `incognito`; `null` when it says nothing about it. */
function incognitoAfter(entry: Entry): boolean | null {
  return entry.type === 'setting' && entry.name === 'incognito' ? entry.value === true : null;
}
