import type { Entry, EntryRef, MessageEntry, Provenance, Seq, Session, Ulid } from '@varve/core';
import { fingerprintOf } from './fingerprint.ts';
import { readKey, type Said, saidIn, splitResults } from './list-unit.ts';

/** A message of the journal that leads to its head; one of results is one unit a result. */
export interface PathUnit extends Said {
  readonly ref: EntryRef;
  /** The entry that it follows; `null` for the first of a journal. */
  readonly parentId: Ulid | null;
  /** What the host said, as its key tells, or else as it is stored; `null` where what was said was forgotten. */
  readonly fingerprint: string | null;
  /** The how manieth it is of those that say the same, as its key tells; `null` without such a key. */
  readonly occurrence: number | null;
  /** True for what others than the two sides of the conversation put in, and no list has had: a list may lack it. */
  readonly isBeside: boolean;
}

/** What led to a head that was left. */
interface LeftPath {
  readonly units: readonly PathUnit[];
  /** The head; `null` where it cannot be told from the entry before the one that moved it. */
  readonly endId: Ulid | null;
}

/** What leads to the head of a session's journal. */
export interface JournalPath {
  readonly units: readonly PathUnit[];
  /** True for a journal without an entry. */
  readonly isEmpty: boolean;
  /** What led to the heads that were left, the newest first: a host may come back to one of them. */
  left(): Iterable<LeftPath>;
}

/** Heads that are looked at when a host may have come back to one. */
const mostLeft = 20;

/** What has been read of a journal. */
interface Known {
  readonly units: PathUnit[];
  readonly branches: { readonly fromSeq: Seq; readonly parentSeq: Seq; readonly endId: Ulid | null }[];
  lastSeq: Seq;
  /** Id of the last entry; `null` for one that moved the head. */
  lastId: Ulid | null;
}

const knownOf = new WeakMap<Session, Known>();

/** Reads what leads to the head: all of the journal the first time, then what has been added. */
export async function pathOfSession(session: Session): Promise<JournalPath> {
  const known = knownOf.get(session) ?? { units: [], branches: [], lastSeq: 0, lastId: null };
  knownOf.set(session, known);
  for await (const entry of session.read({ fromSeq: known.lastSeq + 1 })) take(known, entry);
  const unitsTo = (seq: Seq): readonly PathUnit[] => {
    const isOnPath = pathTest(known.branches, seq);
    return known.units.filter(({ ref }) => isOnPath(ref.seq));
  };
  return {
    units: unitsTo(Number.POSITIVE_INFINITY),
    isEmpty: known.lastSeq === 0,
    *left() {
      // Right before an entry that moved the head stands what was the head then.
      for (const { fromSeq, endId } of known.branches.slice(-mostLeft).reverse()) {
        yield { units: unitsTo(fromSeq - 2), endId };
      }
    },
  };
}

function take(known: Known, entry: Entry): void {
  const { id, seq } = entry;
  if (entry.type === 'message') known.units.push(...unitsOf(entry as MessageEntry));
  if (entry.type === 'head') {
    known.branches.push({ fromSeq: seq + 1, parentSeq: entry.targetSeq, endId: known.lastId });
  }
  known.lastSeq = seq;
  known.lastId = entry.type === 'head' ? null : id;
}

/** Seqs grow along every path, so one walk back over the moves of the head finds what leads to it. */
function pathTest(branches: Known['branches'], head: Seq): (seq: Seq) => boolean {
  const stretches: { readonly fromSeq: Seq; readonly toSeq: Seq }[] = [];
  let toSeq = head;
  for (const { fromSeq, parentSeq } of branches.toReversed()) {
    if (toSeq < fromSeq) continue;
    stretches.push({ fromSeq, toSeq });
    toSeq = parentSeq;
  }
  stretches.push({ fromSeq: 1, toSeq });
  return (seq) => stretches.some((stretch) => stretch.fromSeq <= seq && seq <= stretch.toSeq);
}

const besideKinds: readonly Provenance['kind'][] = ['system-event', 'subagent', 'inter-session', 'plugin'];

function unitsOf({ id, seq, parentId, message, provenance, key, forgotten }: MessageEntry): readonly PathUnit[] {
  const listed = readKey(key);
  const isBeside = listed === null && besideKinds.includes(provenance.kind);
  return splitResults(message).map((one) => ({
    ...saidIn(one),
    ref: { id, seq },
    parentId,
    fingerprint: forgotten === undefined ? (listed?.fingerprint ?? fingerprintOf(one)) : null,
    occurrence: listed?.occurrence ?? null,
    isBeside,
  }));
}
