import type { Seq } from '../units.ts';
import type { CompactionEntry, Entry, RequestEntry, Verdict, VerdictChange } from './entry.ts';
import { knewSeqOf } from './notes-in-force.ts';

/** Verdicts of the last request. Those of held messages begin anew with the compaction that holds them. */
export function lastVerdicts(
  entries: readonly Entry[],
  shown: {
    readonly visibleFromSeq: Seq;
    readonly compaction: CompactionEntry | null;
    readonly held: readonly Seq[];
  },
): ReadonlyMap<Seq, Verdict> {
  const verdicts = new Map<Seq, Verdict>();
  const { visibleFromSeq } = shown;
  const held = new Set(shown.held);
  for (const entry of entries) {
    if (entry.type !== 'request') continue;
    const isAfter = knewSeqOf(entry) >= (shown.compaction?.seq ?? 0);
    noteChanges(verdicts, entry, { visibleFromSeq, heldSeqs: isAfter ? held : none });
  }
  return verdicts;
}

const none: ReadonlySet<Seq> = new Set();

/** Notes what a request changed of the verdicts of visible entries, and of those that are held. */
export function noteChanges(
  verdicts: Map<Seq, Verdict>,
  { changes }: RequestEntry,
  { visibleFromSeq, heldSeqs }: { readonly visibleFromSeq: Seq; readonly heldSeqs: ReadonlySet<Seq> },
): void {
  for (const change of changes) {
    if (change.toSeq === undefined && heldSeqs.has(change.seq)) note(verdicts, change, change.seq);
    for (let seq = Math.max(change.seq, visibleFromSeq); seq <= (change.toSeq ?? change.seq); seq += 1) {
      note(verdicts, change, seq);
    }
  }
}

function note(verdicts: Map<Seq, Verdict>, { verdict, rule, by }: VerdictChange, seq: Seq): void {
  if (verdict === 'kept') verdicts.delete(seq);
  else verdicts.set(seq, { kind: verdict, rule, by });
}
