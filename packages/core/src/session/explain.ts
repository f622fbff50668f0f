import { z } from 'zod';
import { VarveError } from '../errors.ts';
import { checkpointTypes } from '../journal/checkpoint-types.ts';
import type { MessageEntry, RequestEntry, RequestNote, Verdict } from '../journal/entry.ts';
import { nameOfNote, withNotesOf } from '../journal/notes-in-force.ts';
import { unreadableType } from '../journal/readable-journal.ts';
import type { Journal } from '../journal/store.ts';
import type { Message } from '../message.ts';
import type { Milliseconds, Seq, Tokens } from '../units.ts';
import { checkShape } from './option-checks.ts';
import { previewOf } from './preview.ts';
import { unreadableError } from './tell-unreadable.ts';

/** Which request is to be explained, and which entry of it. */
export interface ExplainQuery {
  /** Number of the request, from 1. @default the last */
  readonly request?: number | undefined;
  /** Only this entry. */
  readonly seq?: Seq | undefined;
}

/** Why an entry was, or was not, in a request. */
export interface EntryExplanation {
  readonly seq: Seq;
  readonly role: Message['role'];
  /** First 80 characters of its text on one line, with `…` where it goes on; no control characters. */
  readonly preview: string;
  /** What the entry costs whole. */
  readonly tokens: Tokens;
  readonly verdict: Verdict;
  /** Plugins that quoted the entry in a note or a layer of this request, whatever its verdict. @default none */
  readonly recalledBy?: readonly string[] | undefined;
}

/** A request as it was recorded when it was made. */
export interface Explanation {
  readonly request: number;
  readonly seq: Seq;
  readonly at: Milliseconds;
  readonly model: string;
  readonly budget: Tokens | null;
  readonly tokens: Tokens;
  /** How many of the model's tokens one counted token was taken to be; the budget is in counted ones. */
  readonly factor: number;
  readonly firstChangedByte: number | null;
  readonly layers: RequestEntry['layers'];
  /** Notes that were in it, those of earlier requests too, in the order in which they were made. */
  readonly notes: readonly RequestNote[];
  readonly entries: readonly EntryExplanation[];
  /** Verdicts that differ from the request before. */
  readonly changes: RequestEntry['changes'];
}

const querySchema = z.object({
  request: z.number().int().positive().optional(),
  seq: z.number().int().positive().optional(),
});

/** Checks what is to be explained, which may come from plain JavaScript. @throws VARVE_OPTION_INVALID */
export function checkExplain(query: ExplainQuery): void {
  checkShape(query, { schema: querySchema, fix: 'Give { request, seq } as whole numbers from 1, or leave them out.' });
}

const previewCharacters = 80;

interface Running {
  readonly verdicts: Map<Seq, Verdict>;
  readonly messages: Map<Seq, EntryExplanation>;
  requests: number;
  /** Notes in force, and since when. */
  notes: readonly RequestNote[];
  rebuiltSeq: Seq;
  /** Why the entry that is asked for cannot be read; `null` when it can. */
  unreadable: string | null;
  /** Those that the last request had. */
  shown: readonly RequestNote[];
}

const nothingRead = { requests: 0, notes: [], rebuiltSeq: 0, unreadable: null, shown: [] } as const;

/**
 * Answers from what was recorded, not from how things are now: reads the journal up to the request and adds up the
 * changes of all requests before. Streams; memory grows with the number of messages, not with their size.
 *
 * @throws VARVE_ENTRY_UNKNOWN  when there is no such request or entry.
 */
export async function explainRequest(journal: Journal, query: ExplainQuery): Promise<Explanation> {
  const running: Running = { ...nothingRead, verdicts: new Map(), messages: new Map() };
  let found: RequestEntry | null = null;
  for await (const entry of journal.read()) {
    if (entry.type === 'message') running.messages.set(entry.seq, messageLine(entry));
    else if (entry.type === unreadableType && entry.seq === query.seq) running.unreadable = String(entry.data);
    if (checkpointTypes.has(entry.type)) Object.assign(running, { notes: [], rebuiltSeq: entry.seq });
    if (entry.type !== 'request') continue;
    noteRequest(running, entry);
    if (query.request === undefined || query.request === running.requests) found = entry;
    if (query.request === running.requests) break;
  }
  if (query.seq !== undefined && running.unreadable !== null) throw unreadableError(query.seq, running.unreadable);
  if (found === null) throw unknown(query, running);
  const explanation = explanationOf(found, { running, query });
  if (query.seq !== undefined && explanation.entries.length === 0) throw unknown(query, running);
  return explanation;
}

function noteRequest(running: Running, request: RequestEntry): void {
  running.requests += 1;
  running.notes = withNotesOf(request, running);
  running.shown = notesOf(request, running.notes);
  for (const { seq: from, toSeq, verdict: kind, rule, by } of request.changes) {
    const verdict = { kind, ...(rule === undefined ? {} : { rule }), ...(by === undefined ? {} : { by }) };
    for (let seq = from; seq <= (toSeq ?? from); seq += 1) running.verdicts.set(seq, verdict);
  }
}

function messageLine({ seq, message, tokens }: MessageEntry): EntryExplanation {
  const preview = previewOf(message, previewCharacters);
  return { seq, role: message.role, preview, tokens: tokens.n, verdict: { kind: 'kept' } };
}

function explanationOf(
  entry: RequestEntry,
  { running, query }: { readonly running: Running; readonly query: ExplainQuery },
): Explanation {
  const lines = [...running.messages.values()].filter(
    ({ seq }) => seq < entry.seq && (query.seq === undefined || seq === query.seq),
  );
  const { seq, at, model, budget = null, tokens, factor = 1, firstChangedByte = null, layers, changes } = entry;
  const recalledBy = quotations(running.shown, layers);
  return {
    request: running.requests,
    seq,
    at,
    model,
    budget,
    tokens,
    factor,
    firstChangedByte,
    layers,
    notes: running.shown,
    entries: lines.map((line) => ({
      ...line,
      verdict: running.verdicts.get(line.seq) ?? line.verdict,
      ...(recalledBy.has(line.seq) ? { recalledBy: recalledBy.get(line.seq) } : {}),
    })),
    changes,
  };
}

/** The notes that a request had: those in force and its own, but for those that were left out. */
function notesOf(
  { notes = [], leftOutNotes = [] }: RequestEntry,
  inForce: readonly RequestNote[],
): readonly RequestNote[] {
  const byName = new Map([...inForce, ...notes].map((note) => [nameOfNote(note), note]));
  for (const leftOut of leftOutNotes) byName.delete(nameOfNote(leftOut));
  return [...byName.values()];
}

/** The plugins that quoted each entry, in notes and in layers. */
function quotations(
  notes: readonly RequestNote[],
  layers: RequestEntry['layers'],
): ReadonlyMap<Seq, readonly string[]> {
  const plugins = new Map<Seq, readonly string[]>();
  for (const { seqs = [], by = '' } of [...notes, ...layers]) {
    for (const seq of seqs) plugins.set(seq, [...new Set([...(plugins.get(seq) ?? []), by])]);
  }
  return plugins;
}

function unknown({ request, seq }: ExplainQuery, { requests }: Running): VarveError {
  const what = seq === undefined ? `request ${request ?? 'at all'}` : `entry #${seq} in request ${request ?? requests}`;
  return new VarveError('VARVE_ENTRY_UNKNOWN', `The journal holds no ${what}; it holds ${requests} requests.`, {
    fix: 'Ask for a request and an entry that are there.',
  });
}
