import type { MessageRecord, TranscriptRecord } from '@varve/adapters/transcripts';
import { type JsonValue, type Milliseconds, type ModelRef, type Session, VarveError } from '@varve/core';
import { modelOfCall, modelOfSetting } from './call-model.ts';
import { type MadeRequest, makeRequest } from './make-request.ts';
import type { ReplayClock } from './replay-clock.ts';
import type { TotalsKeeper } from './replay-totals.ts';
import { createRequestRecorder, type RecorderOptions } from './request-recorder.ts';
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
  const { clock, totals, signal } = context;
  const recorder = createRequestRecorder(context);
  const state: { model: ModelRef | null; turn: number; entries: number; isBeforeCompaction: boolean } = {
    model: null,
    turn: 0,
    entries: 0,
    isBeforeCompaction: true,
  };
  const keepUnknown = (data: JsonValue): Promise<void> => session.record('transcripts:unknown', data);
  const call = async ({ key, at, call: said, usage }: MessageRecord): Promise<void> => {
    state.turn += 1;
    if (at === undefined) clock.advance(context.gapMs);
    const model = modelOfCall(said ?? {}, state.model);
    state.model = model;
    const { turn, entries, isBeforeCompaction } = state;
    const { result, outcomes } = await makeRequest(session, { model, signal });
    noteOutcomes(context, outcomes, { turn, item });
    const { row, body, everything } = recorder.record({ turn, item, key, at: clock.now(), model, entries, result });
    totals.request(row, { everything, isBeforeCompaction });
    if (usage !== undefined) totals.usage(usage, { isBeforeCompaction });
    if (body !== null && !VarveError.is(result)) {
      await context.bodies?.write({ ...(item === undefined ? {} : { item }), body, manifest: result.manifest });
    }
    context.onRequest(row);
  };
  const ingest = async ({ message, provenance, key, line }: MessageRecord): Promise<void> => {
    try {
      // The usage in the file belongs to another prompt than the one of this replay: the journal does not get it.
      recorder.noteEntry(await session.ingest(message, { provenance, key, signal }));
      state.entries += 1;
    } catch (error) {
      if (!refusals.some((code) => VarveError.is(error, code))) throw error;
      totals.count('refused');
      await keepUnknown({ line, type: 'refused', reason: (error as VarveError).message });
    }
  };
  return {
    entries: () => state.entries,
    take: async (record) => {
      if ('at' in record && record.at !== undefined) clock.moveTo(record.at);
      switch (record.kind) {
        case 'message':
          if (record.call !== undefined) await call(record);
          return ingest(record);
        case 'setting':
          if (record.name === 'model') state.model = modelOfSetting(record.value) ?? state.model;
          return session.set(record.name, record.value);
        case 'compaction':
          state.isBeforeCompaction = false;
          totals.count('recordedCompactions');
          return session.record('transcripts:compaction', plainJson({ line: record.line, ...record.data }));
        case 'unknown':
          return keepUnknown({ line: record.line, type: record.type, ...shortened(record.data) });
        case 'damaged':
          return keepUnknown({ line: record.line, type: 'damaged', reason: record.reason });
      }
    },
  };
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
