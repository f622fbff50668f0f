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
} from '@varve/plugin-workspace-layers';
import { askForNotes } from './ask-for-notes.ts';
import { cycleOf, entriesToSave, seqBefore } from './entries-to-save.ts';
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
  const before: Omit<FlushRecord, 'status' | 'why'> = {
    cycle,
    failures: last?.cycle === cycle ? last.failures : 0,
    savedSeq: last?.savedSeq ?? seqBefore(request),
    more: last?.more ?? false,
    notes: 0,
    path: null,
  };
  means.running.add(sessionId);
  try {
    const why = await reasonToSkip(context, means.options);
    const ended = why === null ? await save(request, context, { ...means, before }) : skipped(before, why);
    if (why === null || last?.status !== 'skipped' || last.why !== why || last.cycle !== cycle) {
      context.record(flushKind, asJson(ended));
    }
  } catch (error) {
    if (!context.signal.aborted) fail(error, context, before);
    throw error;
  } finally {
    means.running.delete(sessionId);
  }
}

function skipped(before: Omit<FlushRecord, 'status' | 'why'>, why: string): FlushRecord {
  return { ...before, status: 'skipped', why };
}

/** Writes down that a flush failed; after the third one, that the cycle goes without. */
function fail(error: unknown, { record, warn }: HookContext, before: Omit<FlushRecord, 'status' | 'why'>): void {
  const failures = before.failures + 1;
  const status = failures < mostFailures ? 'failed' : 'given-up';
  const why = error instanceof Error ? error.message : String(error);
  record(flushKind, asJson({ ...before, failures, status, why }));
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

async function save(
  request: CompactRequest,
  context: HookContext,
  { before, options, clock }: FlushMeans & { readonly before: Omit<FlushRecord, 'status' | 'why'> },
): Promise<FlushRecord> {
  const { session, signal, deadline } = context;
  const conversation = conversationOf(session, options.owners);
  const { savedSeq } = before;
  const { entries, lastSeq, more } = await entriesToSave(request, context, savedSeq);
  const sources: Sources = new Map(
    entries.map((entry) => [entry.seq, sourceOfEntry(entry, { conversation, owners: options.owners })]),
  );
  const ms = Math.max(0, deadline - clock.now() - reservedMs);
  const { lines, toSeq } = await withinTime(
    (limited) => write(entries, { context, sources, options, savedSeq, signal: limited }),
    { clock, ms, signal },
  );
  throwIfAborted(signal);
  const readSeq = toSeq ?? lastSeq;
  const done = { ...before, savedSeq: Math.max(savedSeq, readSeq), more: more || toSeq !== null };
  const rest = done.more ? ` What follows #${readSeq} is left to the next flush.` : '';
  if (lines.length === 0) return { ...done, status: 'nothing', why: `There is nothing worth saving.${rest}` };
  const rests = { sessionId: session.sessionId, fromSeq: entries[0]?.seq ?? 0, toSeq: readSeq };
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
