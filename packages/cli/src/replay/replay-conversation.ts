import type { MessageRecord, TranscriptRecord } from '@varve/adapters/transcripts';
import { type JsonValue, type Milliseconds, type ModelRef, type Session, VarveError } from '@varve/core';
import { modelOfCall, modelOfSetting } from './call-model.ts';
import { type MadeRequest, makeRequest } from './make-request.ts';
import type { ReplayObserver } from './replay.ts';
import type { ReplayClock } from './replay-clock.ts';
import type { TotalsKeeper } from './replay-totals.ts';
import { createRequestRecorder, type RecorderOptions, type RequestRecorder } from './request-recorder.ts';
import { type CompactionRow, compactionRowOf, type RequestRow } from './request-row.ts';
import type { BodyWriter } from './write-bodies.ts';

/** What all conversations of a file share. */
export interface ReplayContext extends RecorderOptions {
  readonly clock: ReplayClock;
  /** Time between two calls where the transcript does not say. */
  readonly gapMs: Milliseconds;
  readonly totals: TotalsKeeper;
  readonly bodies: BodyWriter | null;
  readonly onRequest: (row: RequestRow) => void;
  readonly onCompaction: (row: CompactionRow) => void;
  readonly observer: ReplayObserver | undefined;
  readonly signal: AbortSignal | undefined;
}

/** One conversation of a transcript on its way through a session. */
export interface Conversation {
  /** Messages taken into the journal. */
  entries(): number;
  /** Takes the next record. A model's answer makes its request first. */
  take(record: TranscriptRecord): Promise<void>;
}

/** Unknown lines are kept in the journal up to this length; all of them stand in the transcript. */
const mostUnknownCharacters = 4_096;

/** Failures that concern one message, not the replay. */
const refusals = ['VARVE_MESSAGE_INVALID', 'VARVE_INGEST_REFUSED', 'VARVE_PLUGIN_FAILED'] as const;

/** Begins a conversation in a session. `item` is its number in a file of several. */
export function createConversation(
  context: ReplayContext,
  { session, item }: { readonly session: Session; readonly item: number | undefined },
): Conversation {
  const recorder = createRequestRecorder(context);
  context.observer?.begin();
  const running: Running = { context, session, item, recorder, model: null, turn: 0, entries: 0, isCompacted: false };
  return {
    entries: () => running.entries,
    take: async (record) => {
      if ('at' in record && record.at !== undefined) context.clock.moveTo(record.at);
      if (record.kind !== 'message') return noteRecord(running, record);
      if (record.call !== undefined) await replayCall(running, record);
      return ingest(running, record);
    },
  };
}

interface Running {
  readonly context: ReplayContext;
  readonly session: Session;
  readonly item: number | undefined;
  readonly recorder: RequestRecorder;
  model: ModelRef | null;
  turn: number;
  entries: number;
  /** Whether the transcript's own tool has compacted. */
  isCompacted: boolean;
}

/** Makes the request that led to an answer. */
async function replayCall(running: Running, { key, at, call, usage, message }: MessageRecord): Promise<void> {
  const { context, session, item, recorder, entries } = running;
  const { clock, totals, signal } = context;
  if (at === undefined) clock.advance(context.gapMs);
  const model = modelOfCall(call ?? {}, running.model);
  running.model = model;
  running.turn += 1;
  const { turn } = running;
  const { result, outcomes } = await makeRequest(session, { model, signal });
  noteOutcomes(context, outcomes, { turn, item });
  const { row, body, everything, empty } = recorder.record({
    turn,
    item,
    key,
    at: clock.now(),
    model,
    entries,
    result,
  });
  const isBeforeCompaction = !running.isCompacted;
  totals.request(row, { everything, isBeforeCompaction });
  totals.count('emptyMessages', empty);
  if (usage !== undefined) totals.usage(usage, { isBeforeCompaction });
  if (body !== null && !VarveError.is(result)) {
    await context.bodies?.write({ ...(item === undefined ? {} : { item }), body, manifest: result.manifest });
  }
  if (!VarveError.is(result)) context.observer?.request({ prompt: result, answer: message });
  context.onRequest(row);
}

async function ingest(running: Running, { message, provenance, key, line }: MessageRecord): Promise<void> {
  const { context, session, recorder } = running;
  try {
    // The usage in the file belongs to another prompt than the one of this replay: the journal does not get it.
    const entry = await session.ingest(message, { provenance, key, signal: context.signal });
    recorder.noteEntry(entry);
    context.observer?.message(entry);
    running.entries += 1;
  } catch (error) {
    if (!refusals.some((code) => VarveError.is(error, code))) throw error;
    context.totals.count('refused');
    await session.record('transcripts:unknown', { line, type: 'refused', reason: (error as VarveError).message });
  }
}

/** What is no message goes into the journal too, where no prompt shows it. */
async function noteRecord(running: Running, record: Exclude<TranscriptRecord, MessageRecord>): Promise<void> {
  const { session, context } = running;
  switch (record.kind) {
    case 'setting':
      if (record.name === 'model') running.model = modelOfSetting(record.value) ?? running.model;
      return session.set(record.name, record.value);
    case 'compaction':
      running.isCompacted = true;
      context.totals.count('recordedCompactions');
      return session.record('transcripts:compaction', plainJson({ line: record.line, ...record.data }));
    case 'unknown': {
      const { line, type, data } = record;
      return session.record('transcripts:unknown', { line, type, ...shortened(data) });
    }
    case 'damaged': {
      const { line, reason } = record;
      context.totals.count('damaged');
      return session.record('transcripts:unknown', { line, type: 'damaged', reason });
    }
  }
}

function noteOutcomes(
  { totals, onCompaction }: ReplayContext,
  outcomes: MadeRequest['outcomes'],
  { turn, item }: { readonly turn: number; readonly item: number | undefined },
): void {
  for (const { entry, status } of outcomes) {
    if (entry !== null) {
      totals.count('compactions');
      onCompaction(compactionRowOf(entry, { turn, ...(item === undefined ? {} : { item }) }));
    } else if (status !== 'below-threshold' && status !== 'nothing-to-do') totals.count('compactionsRefused');
  }
}

/** Without fields that are `undefined`, which JSON does not have. */
function plainJson(value: object): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}

function shortened(data: JsonValue): { readonly data: JsonValue } | { readonly characters: number } {
  const characters = JSON.stringify(data).length;
  return characters > mostUnknownCharacters ? { characters } : { data };
}
