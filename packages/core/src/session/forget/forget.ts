import { z } from 'zod';
import { coveredBy } from '../../compaction/covered-by.ts';
import { buildDigest } from '../../digest/digest.ts';
import { messageOfError, VarveError } from '../../errors.ts';
import type { CompactionEntry, Entry, MessageEntry } from '../../journal/entry.ts';
import type { Folding } from '../../journal/fold.ts';
import { changeUnreadable } from '../../journal/readable-journal.ts';
import type { Journal, JournalBatch } from '../../journal/store.ts';
import type { TokenCounter } from '../../tokens/token-counter.ts';
import type { Seq, Ulid } from '../../units.ts';
import { type CopySurvey, copyJournal } from '../journal-copy.ts';
import { checkShape } from '../option-checks.ts';
import type { SessionRuntime } from '../session-runtime.ts';
import { forgetInEntry, unknownWithout } from './forget-in-entry.ts';
import { type ForgottenText, rememberForgotten } from './forgotten-text.ts';
import { type Forgotten, textsThatStay, textsToForget, tombstoneOf } from './tombstone.ts';

/** Longest reason, in UTF-16 code units: it is in prompts from now on. */
const maxReasonLength = 200;

const schema = z.object({ entryIds: z.array(z.string().min(1)) });

/** Checks what is to be forgotten, which may come from plain JavaScript. @throws VARVE_OPTION_INVALID */
export function checkForget(entryIds: readonly Ulid[]): void {
  checkShape({ entryIds }, { schema, fix: 'Give the ids of messages as a list.' });
}

/**
 * Replaces the journal by one in which the messages are tombstones and nothing else quotes them: digests are derived
 * again from what remains, prose over a forgotten message goes, and quotations in edits, settings, state, requests and
 * records are blanked. Messages that were not named stay as they are, whatever they repeat.
 *
 * @throws VARVE_ENTRY_UNKNOWN, VARVE_FORGET_REFUSED; nothing is changed then.
 */
export async function forgetEntries(
  runtime: SessionRuntime,
  { entryIds, reason }: { readonly entryIds: readonly Ulid[]; readonly reason: string },
): Promise<void> {
  const { journal, counter, clock, record, events } = runtime;
  const forgotten = { at: clock.now(), reason: checkedReason(reason) };
  let seqs: readonly Seq[] = [];
  await journal.rewrite(async (stored) => {
    const targets = await targetsOf(stored, entryIds);
    if (targets.length === 0) return null;
    const survey = await surveyOf(stored, targets);
    if (survey.text.quotes(forgotten.reason)) throw reasonError('quotes what is to be forgotten');
    // First, since a message that is a tombstone cannot be asked for again: what failed here can be tried anew.
    await record.blankNames(survey.text).catch(refuseForRecord);
    seqs = targets.map(({ seq }) => seq);
    return journalWithout(stored, { ...survey, forgotten, counter });
  });
  if (seqs.length === 0) return;
  runtime.lastPrompt = null;
  runtime.feed.drop();
  events.emit('entries-forgotten', { seqs, reason: forgotten.reason });
}

function checkedReason(given: string): string {
  if (typeof given !== 'string') throw reasonError('is no text');
  const reason = given.trim().replace(/\s+/g, ' ');
  if (reason === '') throw reasonError('is empty');
  if (reason.length > maxReasonLength) throw reasonError(`is longer than ${maxReasonLength} characters`);
  return reason;
}

function reasonError(why: string): VarveError {
  return new VarveError('VARVE_FORGET_REFUSED', `Nothing was forgotten: the reason ${why}.`, {
    fix: 'Say in a few words why the messages go, and nothing of what they said.',
    details: { why: 'reason' },
  });
}

function refuseForRecord(cause: unknown): never {
  const message = `Nothing was forgotten: the session's record could not be changed: ${messageOfError(cause)}`;
  throw new VarveError('VARVE_FORGET_REFUSED', message, {
    fix: 'See to it that the index of the store can be written, and ask again.',
    cause,
    details: { why: 'record' },
  });
}

/** The messages that are named and still say something. */
async function targetsOf(journal: Journal, entryIds: readonly Ulid[]): Promise<readonly MessageEntry[]> {
  const ids = [...new Set(entryIds)];
  const entries = await journal.get(ids);
  const known = new Set(entries.map((entry) => entry.id));
  const unknown = ids.find((id) => !known.has(id));
  if (unknown !== undefined) {
    throw new VarveError('VARVE_ENTRY_UNKNOWN', `There is no entry "${unknown}".`, {
      fix: 'Use the ids of message entries of this session.',
      details: { id: unknown },
    });
  }
  return entries.flatMap((entry) => {
    if (entry.type === 'message') return entry.forgotten === undefined ? [entry] : [];
    throw new VarveError(
      'VARVE_FORGET_REFUSED',
      `Entry #${entry.seq} is a ${entry.type}; only messages are forgotten.`,
      {
        fix: 'Name messages. What was derived from them goes with them.',
        details: { why: 'type', seq: entry.seq, type: entry.type },
      },
    );
  });
}

/** What must be known of the whole journal before it can be written anew. */
interface Survey extends CopySurvey {
  readonly targets: ReadonlyMap<Ulid, Seq>;
  readonly text: ForgottenText;
}

async function surveyOf(journal: Journal, targets: readonly MessageEntry[]): Promise<Survey> {
  const text = rememberForgotten(targets.flatMap(textsToForget));
  for (const target of targets) for (const staying of textsThatStay(target)) text.spare(staying);
  const seqs = new Map(targets.map(({ id, seq }) => [id, seq]));
  const revoked = new Set<Ulid>();
  let lastHeadSeq = 0;
  for await (const entry of journal.read()) {
    if (entry.type === 'message' && !seqs.has(entry.id)) {
      for (const staying of [...textsToForget(entry), ...textsThatStay(entry)]) text.spare(staying);
    } else if (entry.type === 'request') text.spare(entry.model);
    else if (entry.type === 'revoke') revoked.add(entry.targetId);
    else if (entry.type === 'head') lastHeadSeq = entry.seq;
  }
  return { targets: seqs, text, revoked, lastHeadSeq };
}

/** The new journal: digests and checkpoints are what they would be had the messages never said anything. */
function journalWithout(
  journal: Journal,
  job: Survey & { readonly forgotten: Forgotten; readonly counter: TokenCounter },
): AsyncGenerator<JournalBatch> {
  const { targets, text, forgotten, counter } = job;
  const renew = compactionRenewal(job);
  return copyJournal(journal.read(), job, (old, folding) => {
    const unreadable = changeUnreadable(old, (original) => unknownWithout(original, text));
    if (unreadable !== null) return unreadable;
    const rewritten = forgetInEntry(old, { targets, text });
    const isTarget = rewritten.type === 'message' && targets.has(rewritten.id);
    return isTarget ? tombstoneOf(rewritten, { forgotten, counter }) : renew(rewritten, folding);
  }).batches();
}

/** Derives compactions again that stand for something forgotten, or build on one that does. */
function compactionRenewal({ targets }: Survey): (entry: Entry, folding: Folding) => Entry {
  const seqs = [...targets.values()];
  const renewed = new Set<Ulid>();
  const isTouched = ({ range: { from, to }, previousId }: CompactionEntry): boolean =>
    (previousId !== null && renewed.has(previousId)) || seqs.some((seq) => from.seq <= seq && seq <= to.seq);
  return (entry, folding) => {
    if (entry.type !== 'compaction' || !isTouched(entry)) return entry;
    renewed.add(entry.id);
    const before = folding.view();
    const { shares } = entry.digest;
    const previous = before.compaction?.digest ?? null;
    const digest = buildDigest({ previous, covered: coveredBy(entry, before), shares });
    return { ...entry, prose: null, digest };
  };
}
