import {
  type Clock,
  type CompactRequest,
  type HookContext,
  type MessageEntry,
  type Seq,
  throwIfAborted,
} from '@varve/core';
import {
  appendNotes,
  type Conversation,
  canAppendNotes,
  conversationOf,
  dayInZone,
  type NewNote,
  ownScope,
  writtenUpTo,
} from '@varve/plugin-workspace-layers';
import { askForNotes } from './ask-for-notes.ts';
import { cycleOf, type EntriesToSave, entriesToSave, seqBefore } from './entries-to-save.ts';
import { sourceOfEntry } from './entry-source.ts';
import { asJson, type FlushRecord, flushKind, isOver, lastFlush } from './flush-record.ts';
import type { NoteLine, NotesFound, Sources } from './note-line.ts';
import { notesOfDigest } from './notes-of-digest.ts';
import type { SettledOptions } from './options.ts';
import { withinTime } from './within-time.ts';

/** What flushes of one plugin share. */
export interface FlushMeans {
  readonly options: SettledOptions;
  readonly clock: Clock;
  /** Sessions in which one is under way. */
  readonly running: Set<string>;
}

/** Failures after which a cycle is given up. */
const mostFailures = 3;

/** Of the time that the hook has, this much is kept to write down how it went. */
const reservedMs = 5_000;

/**
 * Saves what the conversation has that is worth it and has not been saved: once between two compactions. How it went is
 * recorded when it is over, so that one that was cut short is done again.
 *
 * @throws  what went wrong; nothing waits for it.
 */
export async function flush(request: CompactRequest, context: HookContext, means: FlushMeans): Promise<void> {
  const { session } = context;
  const { sessionId } = session;
  const last = lastFlush(session);
  const cycle = cycleOf(request, session);
  if (means.running.has(sessionId) || isOver(last, cycle)) return;
  const before: Before = {
    cycle,
    failures: last?.cycle === cycle ? last.failures : 0,
    savedSeq: last?.savedSeq ?? seqBefore(request),
    stuck: last?.stuck ?? 0,
    stuckSeq: last?.stuckSeq ?? 0,
    more: last?.more ?? false,
    notes: 0,
    path: null,
  };
  let triedSeq = 0;
  means.running.add(sessionId);
  try {
    const why = await reasonToSkip(context, means.options);
    const found = why === null ? await unsavedEntries(request, context, { ...means, before }) : null;
    triedSeq = found?.lastSeq ?? 0;
    const ended =
      found === null ? skipped(before, why ?? '') : await saveOrStepOver(found, { ...means, request, context, before });
    if (why === null || last?.status !== 'skipped' || last.why !== why || last.cycle !== cycle) {
      context.record(flushKind, asJson(ended));
    }
  } catch (error) {
    const stuckSeq = before.stuck === 0 ? triedSeq : before.stuckSeq;
    if (!context.signal.aborted) fail(error, context, { ...before, stuckSeq });
    throw error;
  } finally {
    means.running.delete(sessionId);
  }
}

/** What is known before a flush. */
type Before = Omit<FlushRecord, 'status' | 'why'>;

/** A flush that is under way. */
interface FlushJob extends FlushMeans {
  readonly request: CompactRequest;
  readonly context: HookContext;
  readonly before: Before;
}

function skipped(before: Before, why: string): FlushRecord {
  return { ...before, status: 'skipped', why };
}

/** Writes down that a flush failed; after the third one, that the cycle goes without. */
function fail(error: unknown, { record, warn }: HookContext, before: Before): void {
  const failures = before.failures + 1;
  const stuck = before.stuck + 1;
  const status = failures < mostFailures ? 'failed' : 'given-up';
  const why = messageOf(error);
  record(flushKind, asJson({ ...before, failures, stuck, status, why }));
  if (status === 'given-up') warn(`Nothing is saved before this compaction; ${failures} attempts failed. ${why}`);
}

/** Why nothing is to be saved; `null` when there is no reason. */
async function reasonToSkip({ turn, session }: HookContext, options: SettledOptions): Promise<string | null> {
  if (options.skipKinds.includes(turn.kind)) return `The turn is one of the kind ${turn.kind}.`;
  const { incognito } = session.settings;
  if (incognito === true) return 'The session is incognito.';
  if (conversationOf(session, options.owners).kind === 'subagent') return 'The session is that of a sub-agent.';
  return (await canAppendNotes(options.dir)) ? null : 'The workspace cannot be written to.';
}

/** What has not been saved, without entries whose notes were written by a flush that could not record it. */
async function unsavedEntries(
  request: CompactRequest,
  context: HookContext,
  { options, before }: Pick<FlushJob, 'options' | 'before'>,
): Promise<EntriesToSave> {
  const found = await entriesToSave(request, context, before.savedSeq);
  const written = await writtenUpTo(context.session.sessionId, options.dir);
  const last = found.entries.findLastIndex(({ id }) => written.has(id));
  return { ...found, entries: found.entries.slice(last + 1) };
}

/**
 * Saves entries. Where that has failed for many times, what follows is tried, too: when that can be saved, it was these
 * entries, and they are left out; else it was the model or the disk, and they wait.
 */
async function saveOrStepOver(found: EntriesToSave, job: FlushJob): Promise<FlushRecord> {
  const { request, context, before } = job;
  const { savedSeq, stuck, stuckSeq } = before;
  if (stuck + 1 < mostFailures) return save(found, job);
  try {
    return await save(found, { ...job, share: 0.5 });
  } catch (error) {
    throwIfAborted(context.signal);
    if (stuckSeq <= savedSeq) throw error;
    const next = { ...before, savedSeq: stuckSeq };
    const behind = await unsavedEntries(request, context, { ...job, before: next });
    const ended = behind.entries.length === 0 ? null : await save(behind, { ...job, before: next }).catch(() => null);
    if (ended === null) throw error;
    const failed = `Nothing was saved of #${savedSeq + 1} to #${stuckSeq}: that failed ${stuck + 1} times, and what follows did not.`;
    context.warn(`${failed} ${messageOf(error)}`);
    return { ...ended, why: `${ended.why} ${failed}` };
  }
}

/** @param share  Of the time that is left, how much there is for it. @default all */
async function save(
  { entries, lastSeq, more }: EntriesToSave,
  { context, before, options, clock, share = 1 }: FlushJob & { readonly share?: number },
): Promise<FlushRecord> {
  const { session, signal, deadline } = context;
  const conversation = conversationOf(session, options.owners);
  const { savedSeq } = before;
  const sources: Sources = new Map(
    entries.map((entry) => [entry.seq, sourceOfEntry(entry, { conversation, owners: options.owners })]),
  );
  const ms = Math.max(0, deadline - clock.now() - reservedMs) * share;
  const { lines, toSeq } = await withinTime(
    (limited) => write(entries, { context, sources, options, savedSeq, signal: limited }),
    { clock, ms, signal },
  );
  throwIfAborted(signal);
  const readSeq = toSeq ?? lastSeq;
  const isMore = more || toSeq !== null;
  const done = { ...before, savedSeq: Math.max(savedSeq, readSeq), stuck: 0, stuckSeq: 0, more: isMore };
  const rest = isMore ? ` What follows #${readSeq} is left to the next flush.` : '';
  if (lines.length === 0) return { ...done, status: 'nothing', why: `There is nothing worth saving.${rest}` };
  const lastId = entries.findLast(({ seq }) => seq <= readSeq)?.id;
  const rests = { sessionId: session.sessionId, fromSeq: entries[0]?.seq ?? 0, toSeq: readSeq, lastId };
  const notes = notesOf(lines, { conversation, at: clock.now(), entries: rests });
  const path = await appendNotes(notes, { dir: options.dir, timeZone: options.timeZone, now: () => clock.now() });
  return { ...done, status: 'saved', why: `${lines.length} notes were saved.${rest}`, notes: lines.length, path };
}

/** The notes of a model, or of the digest where there is no model. */
async function write(
  entries: readonly MessageEntry[],
  job: {
    readonly context: HookContext;
    readonly sources: Sources;
    readonly options: SettledOptions;
    readonly savedSeq: Seq;
    readonly signal: AbortSignal;
  },
): Promise<NotesFound> {
  const { context, sources, options, savedSeq, signal } = job;
  const { session, countTokens, now } = context;
  if (entries.length === 0) return { lines: [], toSeq: null };
  const chosen = typeof options.model === 'function' ? options.model(session, context.model) : options.model;
  if (chosen === null) {
    const ledger = session.compaction()?.digest.ledger ?? [];
    return notesOfDigest(entries, { known: ledger.filter(({ firstSeq }) => firstSeq <= savedSeq), sources });
  }
  const { prompt, inputTokens } = options;
  const day = dayInZone(now(), options.timeZone);
  return askForNotes(entries, { model: chosen, prompt, day, inputTokens, sources, signal, countTokens });
}

/** Lines as notes for this conversation; those of one source together. */
function notesOf(
  lines: readonly NoteLine[],
  { conversation, ...made }: Pick<NewNote, 'at' | 'entries'> & { readonly conversation: Conversation },
): readonly NewNote[] {
  const notes: NewNote[] = [];
  for (const { text, from } of lines) {
    const last = notes.at(-1);
    const line = `- ${text}`;
    if (last?.from === from) notes[notes.length - 1] = { ...last, text: `${last.text}\n${line}` };
    else notes.push({ ...made, scope: ownScope(conversation), from, text: line });
  }
  return notes;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
