import type { MessageEntry, Milliseconds, RequestEntry, Seq, Store, Tokens, Usage } from '@varve/core';
import { readEntries } from '../journal/read-entries.ts';

/** One request of a session in short: a column of the picture of its strata. */
export interface RequestSummary {
  /** Its number, from 1. */
  readonly request: number;
  readonly seq: Seq;
  readonly at: Milliseconds;
  readonly turnId: string;
  readonly model: string;
  /** `null` for no limit. */
  readonly budget: Tokens | null;
  readonly tokens: Tokens;
  /** Tokens of the tools, and of what the host sent besides. */
  readonly reserved: Tokens;
  /** First byte that differs from the request before; `null` when that one is a prefix of it, or there is none. */
  readonly firstChangedByte: number | null;
  /** Text layers; what is left of `tokens` is conversation. */
  readonly layers: readonly { readonly id: string; readonly place: string; readonly tokens: Tokens }[];
  /** Tokens of the notes that it was the first to have. */
  readonly noteTokens: Tokens;
  /** How many entries got each verdict with it that they did not have before. */
  readonly changes: Readonly<Record<string, number>>;
  /** Compactions, undoings and moves of the head since the request before, by type, with their seqs. */
  readonly marks: readonly { readonly type: 'compaction' | 'revoke' | 'head'; readonly seq: Seq }[];
  /** What the provider reported for its answer; `null` where it reported nothing, and before it has answered. */
  readonly usage: Usage | null;
}

/** The requests of sessions, in short. */
export interface RequestIndex {
  /** All requests of a session, the oldest first. What was read once is not read again. */
  of(sessionId: string): Promise<readonly RequestSummary[]>;
}

interface Known {
  lastSeq: Seq;
  readonly requests: RequestSummary[];
  marks: RequestSummary['marks'][number][];
}

/** Requests that are kept of all sessions together; of those that were asked for longest ago they go. */
const mostRequests = 100_000;

/** Reads journals from where they were left. */
export function createRequestIndex(store: Store): RequestIndex {
  const sessions = new Map<string, Known>();
  const reading = new Map<string, Promise<readonly RequestSummary[]>>();
  const read = async (sessionId: string): Promise<readonly RequestSummary[]> => {
    const known = sessions.get(sessionId) ?? { lastSeq: 0, requests: [], marks: [] };
    for await (const entry of readEntries(store, sessionId, { fromSeq: known.lastSeq + 1 })) {
      known.lastSeq = entry.seq;
      if (entry.type === 'compaction' || entry.type === 'revoke' || entry.type === 'head') {
        known.marks.push({ type: entry.type, seq: entry.seq });
      }
      if (entry.type === 'request') noteRequest(known, entry);
      if (entry.type === 'message') noteUsage(known, entry);
    }
    sessions.delete(sessionId);
    sessions.set(sessionId, known);
    let kept = [...sessions.values()].reduce((sum, { requests }) => sum + requests.length, 0);
    for (const [oldest, { requests }] of sessions) {
      if (kept <= mostRequests || oldest === sessionId) break;
      sessions.delete(oldest);
      kept -= requests.length;
    }
    return known.requests;
  };
  return {
    of: (sessionId) => {
      const running = reading.get(sessionId) ?? read(sessionId).finally(() => reading.delete(sessionId));
      reading.set(sessionId, running);
      return running;
    },
  };
}

function noteRequest(known: Known, entry: RequestEntry): void {
  const { seq, at, turnId, model, budget, tokens, reserved = 0, firstChangedByte, layers, notes = [] } = entry;
  const changes: Record<string, number> = {};
  for (const { seq: from, toSeq = from, verdict } of entry.changes) {
    changes[verdict] = (changes[verdict] ?? 0) + toSeq - from + 1;
  }
  known.requests.push({
    request: known.requests.length + 1,
    seq,
    at,
    turnId,
    model,
    budget,
    tokens,
    reserved,
    firstChangedByte,
    layers: layers.map((layer) => ({ id: layer.id, place: layer.place, tokens: layer.tokens })),
    noteTokens: notes.reduce((sum, note) => sum + note.tokens, 0),
    changes,
    marks: known.marks,
    usage: null,
  });
  known.marks = [];
}

/** The answer stands behind its request. */
function noteUsage({ requests }: Known, { usage }: MessageEntry): void {
  const last = requests.at(-1);
  if (usage === undefined || last === undefined || last.usage !== null) return;
  requests[requests.length - 1] = { ...last, usage };
}
