import type { Clock } from '../../clock.ts';
import { VarveError } from '../../errors.ts';
import type { Entry, NewEntry } from '../../journal/entry.ts';
import type { Folded } from '../../journal/fold.ts';
import { foldTail } from '../../journal/fold-tail.ts';
import { readableJournal } from '../../journal/readable-journal.ts';
import type { ForkOrigin } from '../../journal/session-record.ts';
import type { Journal, JournalBatch, Store } from '../../journal/store.ts';
import { tokensOfEntry } from '../../tokens/model-counter.ts';
import type { TokenCounter } from '../../tokens/token-counter.ts';
import type { Seq, Tokens, Ulid } from '../../units.ts';
import { runtimeOfSession } from '../ask/runtime-of-session.ts';
import { type CopySurvey, copyJournal, type JournalCopy } from '../journal-copy.ts';
import { newHeader } from '../new-header.ts';
import type { CheckedFork } from '../open-options.ts';
import { endOfGroup } from '../rewind/end-of-group.ts';
import { readCompactions } from '../rewind/newest-compaction.ts';
import type { Session } from '../session.ts';
import { isTorn, refuseTorn } from './fork-origin.ts';

/** What a fork is made with. */
export interface ForkMeans {
  readonly store: Store;
  readonly clock: Clock;
  readonly counter: TokenCounter;
  readonly mintId: () => Ulid;
  /** The session that is forked, if it is open for writing here. */
  readonly source: Session | null;
}

/**
 * Writes the journal of a fork: what leads to an entry of another session, as it is there, with what the fork begins with
 * behind it in the same append. The other one is read as a stream, and may be in use. A crash leaves a journal that nobody
 * opens before a second call has finished it.
 *
 * @throws VARVE_STORE_MISSING, VARVE_ENTRY_UNKNOWN, VARVE_FORK_EXISTS, VARVE_FORK_TOO_LARGE, VARVE_FORK_TORN,
 *   VARVE_STORE_DAMAGED  and nothing is written then; VARVE_STORE_CONFLICT when somebody else makes the same fork.
 */
export async function writeFork(sessionId: string, fork: CheckedFork, means: ForkMeans): Promise<void> {
  if (means.source === null) return copyInto(sessionId, fork, means);
  const { activity, journal } = runtimeOfSession(means.source);
  // Nothing is forgotten meanwhile: the copy would remember it.
  return activity.during('a fork', async () => {
    // What waits to be stored belongs to it. What is being closed stores it by itself.
    await journal.append([]).catch((error: unknown) => {
      if (!VarveError.is(error, 'VARVE_SESSION_CLOSED')) throw error;
    });
    await copyInto(sessionId, fork, means);
  });
}

async function copyInto(sessionId: string, fork: CheckedFork, means: ForkMeans): Promise<void> {
  const source = readableJournal(await means.store.open(sessionId, { readOnly: true }));
  try {
    const { folding } = await foldTail(source);
    const now = folding.view();
    refuseTorn(source.header, now.lastSeq);
    const begun = await unfinishedFork(sessionId, fork, means);
    const asked = await originOf(source, { at: fork.at, now });
    if (begun !== null && fork.at !== undefined && begun.entryId !== asked.entryId)
      throw existsError(fork.newSessionId);
    const origin = begun ?? asked;
    const survey = await surveyOf(source, origin.seq);
    const copy = (): JournalCopy => copyJournal(source.read({ toSeq: origin.seq }), survey);
    if (fork.mostTokens !== undefined) {
      const seen = origin.seq === now.lastSeq ? now : await foldedBy(copy());
      refuseTooLarge(tokensOf(seen, means.counter), { sessionId, mostTokens: fork.mostTokens });
    }
    await fill(copy(), { origin, fork, means });
  } finally {
    await source.close();
  }
}

/** Says that a fork would take a journal that is there. */
export function existsError(newSessionId: string): VarveError {
  return new VarveError('VARVE_FORK_EXISTS', `There is a session "${newSessionId}" already.`, {
    fix: 'Give another newSessionId; or open that one with host.open, if it is the fork that you mean.',
    details: { newSessionId },
  });
}

/** What a fork that was begun with that id and not finished is a fork of; `null` when there is none. @throws VARVE_FORK_EXISTS */
async function unfinishedFork(
  sessionId: string,
  { newSessionId }: CheckedFork,
  { store }: ForkMeans,
): Promise<ForkOrigin | null> {
  let journal: Journal;
  try {
    journal = await store.open(newSessionId, { readOnly: true });
  } catch (error) {
    if (VarveError.is(error, 'VARVE_STORE_MISSING')) return null;
    throw error;
  }
  try {
    const lastSeq = await lastSeqOf(journal);
    const { forkedFrom } = journal.header;
    if (forkedFrom?.sessionId !== sessionId || !isTorn(journal.header, lastSeq)) throw existsError(newSessionId);
    return forkedFrom;
  } finally {
    await journal.close();
  }
}

async function lastSeqOf(journal: Journal): Promise<Seq> {
  return (await journal.tail()).entries.at(-1)?.seq ?? 0;
}

/** The entry that the fork is to lead to. @throws VARVE_ENTRY_UNKNOWN */
async function originOf(
  source: Journal,
  { at, now }: { readonly at: Ulid | undefined; readonly now: Folded },
): Promise<ForkOrigin> {
  const { sessionId } = source.header;
  if (at === undefined) return { sessionId, entryId: now.state.lastId, seq: now.lastSeq };
  const [entry] = await source.get([at]);
  if (entry === undefined) {
    throw new VarveError('VARVE_ENTRY_UNKNOWN', `There is no entry "${at}" in session "${sessionId}".`, {
      fix: 'Use the id of an entry of the session that is forked.',
    });
  }
  const compactions = await readCompactions(source);
  const end = await endOfGroup(entry, { journal: source, branches: now.state.branches, compactions });
  return { sessionId, entryId: end.id, seq: end.seq };
}

/** @throws VARVE_STORE_DAMAGED  when entries are missing: what has a hole has no copy that is whole. */
async function surveyOf(source: Journal, toSeq: Seq): Promise<CopySurvey> {
  const revoked = new Set<Ulid>();
  let [lastHeadSeq, seq] = [0, 0];
  for await (const entry of source.read({ toSeq })) {
    if (entry.seq !== seq + 1) break;
    seq = entry.seq;
    if (entry.type === 'revoke') revoked.add(entry.targetId);
    else if (entry.type === 'head') lastHeadSeq = entry.seq;
  }
  if (seq === toSeq) return { revoked, lastHeadSeq };
  const { sessionId } = source.header;
  throw new VarveError('VARVE_STORE_DAMAGED', `Session "${sessionId}" cannot be forked: it lacks entry #${seq + 1}.`, {
    fix: 'Look at what varve doctor says of its journal.',
    details: { sessionId, seq: seq + 1 },
  });
}

async function foldedBy({ batches, folding }: JournalCopy): Promise<Folded> {
  for await (const _batch of batches());
  return folding.view();
}

function tokensOf({ held, messages }: Folded, counter: TokenCounter): Tokens {
  return [...held, ...messages].reduce((sum, entry) => sum + tokensOfEntry(entry, counter), 0);
}

function refuseTooLarge(
  tokens: Tokens,
  { sessionId, mostTokens }: { readonly sessionId: string; readonly mostTokens: Tokens },
): void {
  if (tokens <= mostTokens) return;
  const message = `Session "${sessionId}" cannot be forked: its messages have ${tokens} tokens, at most ${mostTokens} are allowed.`;
  throw new VarveError('VARVE_FORK_TOO_LARGE', message, {
    fix: 'Compact the session first, fork it at an earlier entry, raise mostTokens, or begin a session of its own.',
    details: { sessionId, tokens, mostTokens },
  });
}

async function fill(
  copy: JournalCopy,
  job: { readonly origin: ForkOrigin; readonly fork: CheckedFork; readonly means: ForkMeans },
): Promise<void> {
  const { origin, fork, means } = job;
  const { newSessionId, names, previousSessionId } = fork;
  const now = means.clock.now();
  const create = newHeader(newSessionId, { names, previousSessionId, forkedFrom: origin, now });
  const journal = await means.store.open(newSessionId, { create });
  try {
    const { forkedFrom } = journal.header;
    const isOurs = forkedFrom?.sessionId === origin.sessionId && forkedFrom.entryId === origin.entryId;
    if (!isOurs) throw existsError(newSessionId);
    await appendMissing(journal, withBeginning(copy, job));
  } finally {
    await journal.close();
  }
}

/** Appends what a journal does not have yet of some batches. @throws VARVE_FORK_EXISTS  when what it has is something else. */
async function appendMissing(journal: Journal, batches: AsyncIterable<JournalBatch>): Promise<void> {
  const { sessionId } = journal.header;
  const written = await lastSeqOf(journal);
  const known = journal.read({ toSeq: written })[Symbol.asyncIterator]();
  let expectedSeq = written;
  try {
    for await (const { entries, checkpoint } of batches) {
      for (const entry of entries) {
        if (entry.seq <= written) refuseOther(entry, (await known.next()).value, sessionId);
      }
      const missing = entries.filter(({ seq }) => seq > written);
      if (missing.length === 0) continue;
      const conditions = checkpoint === undefined ? { expectedSeq } : { expectedSeq, checkpoint };
      expectedSeq = (await journal.append(missing, conditions)).seq;
    }
  } finally {
    await known.return?.();
  }
}

/** What was copied before may not be there any more: the fork must not remember what its origin has forgotten. */
function refuseOther(entry: Entry, written: Entry | undefined, newSessionId: string): void {
  if (JSON.stringify(entry) !== JSON.stringify(written)) throw existsError(newSessionId);
}

/** The batches of a copy, the last one with what the fork begins with: it is whole with that or not at all. */
async function* withBeginning(
  { batches, folding }: JournalCopy,
  { fork, means }: { readonly fork: CheckedFork; readonly means: ForkMeans },
): AsyncGenerator<JournalBatch> {
  let last: JournalBatch = { entries: [] };
  for await (const batch of batches()) {
    if (last.entries.length > 0) yield last;
    last = batch;
  }
  const entries = [...last.entries, ...completed(fork.beginning, { ...folding.end(), means })];
  if (entries.length > 0) yield { ...last, entries };
}

function completed(
  beginning: readonly NewEntry[],
  place: { readonly lastSeq: Seq; readonly headId: Ulid | null; readonly means: ForkMeans },
): readonly Entry[] {
  const { mintId, clock } = place.means;
  let { headId: parentId, lastSeq: seq } = place;
  return beginning.map((entry) => {
    seq += 1;
    const full = { v: 1, id: mintId(), parentId, seq, at: clock.now(), ...entry } as Entry;
    parentId = full.id;
    return full;
  });
}
