import type { TranscriptRecord } from '@varve/adapters/transcripts';
import { type JsonValue, type Session, VarveError } from '@varve/core';
import type { ReplayClock } from '../../replay/replay-clock.ts';
import type { OpenedSessions } from '../../store/open-sessions.ts';
import type { ImportLine, ImportTarget } from './imported.ts';
import { createLineCounter, mostUnknownCharacters } from './line-account.ts';
import { noteArchived, placeSession } from './place-session.ts';

/** Records of a session that was imported: what stands at its beginning, and at its end. */
const begun = 'transcripts:importing';
const ended = 'transcripts:imported';

/** Failures that concern one message alone. */
const refusals = ['VARVE_MESSAGE_INVALID', 'VARVE_INGEST_REFUSED', 'VARVE_ENTRY_TOO_LARGE'] as const;

/** What conversations are imported with. */
export interface ImportParts {
  readonly opened: OpenedSessions;
  readonly clock: ReplayClock;
  readonly signal: AbortSignal | undefined;
}

/** Where the records of a conversation come from. */
interface ImportSource {
  readonly from: string;
  readonly records: AsyncIterable<TranscriptRecord>;
  /** How many lines the file has, where each is to be accounted for. */
  readonly lines?: number | undefined;
}

/**
 * Puts the records of one conversation into a session of its own, each message with its time. What was cut short goes on
 * behind the last message that is stored; what is there already is left as it is.
 */
export async function importMessages(
  parts: ImportParts,
  target: ImportTarget,
  source: ImportSource,
): Promise<ImportLine> {
  const { sessionId, key } = target;
  const line = { from: source.from, sessionId, key, messages: 0, refused: 0 };
  const left = await whatIsThere(parts.opened, target);
  if (left === 'done') return { ...line, outcome: 'skipped', why: 'it is there already' };
  if (left === 'another') {
    return { ...line, outcome: 'failed', why: `session ${sessionId} is that of another conversation` };
  }
  const imported = await storeMessages(parts, target, { ...source, left });
  await noteArchived(parts.opened, sessionId);
  return imported;
}

async function storeMessages(
  { opened, clock, signal }: ImportParts,
  target: ImportTarget,
  { left, ...source }: ImportSource & { readonly left: 'nothing' | 'part' },
): Promise<ImportLine> {
  const { sessionId, key, names, settings, at } = target;
  const line = { from: source.from, sessionId, key, messages: 0, refused: 0, why: null };
  clock.restart();
  clock.moveTo(at);
  let [messages, refused] = [0, 0];
  await using session = await opened.host.open(sessionId, { ...names, ...(key !== null && { key }), settings });
  await placeSession(opened, target);
  const counter = createLineCounter();
  const known = await keysIn(session);
  if (left === 'nothing') await session.record(begun, { from: source.from });
  for await (const record of source.records) {
    if (signal?.aborted === true) throw abortedError();
    if ('at' in record && record.at !== undefined) clock.moveTo(record.at);
    let isThere = true;
    if (record.kind !== 'message') await noteRecord(session, record);
    else if (!known.has(record.key)) {
      isThere = await isStored(session, record);
      if (isThere) messages += 1;
      else refused += 1;
    }
    counter.take(record, isThere);
  }
  await session.record(ended, { from: source.from, messages: messages + known.size, refused });
  const account = source.lines === undefined ? {} : { lines: counter.account(source.lines) };
  return { ...line, outcome: 'imported', messages: messages + known.size, refused, ...account };
}

/** Whether a session is there: whole, or as an import left it that was cut short, or as that of another conversation. */
async function whatIsThere(
  { host }: OpenedSessions,
  { sessionId, key }: ImportTarget,
): Promise<'nothing' | 'part' | 'done' | 'another'> {
  try {
    await using session = await host.open(sessionId, { readOnly: true });
    const record = await host.sessions.get(sessionId);
    if (record !== null && record.key !== key) return 'another';
    let isPart = false;
    for await (const { type } of session.read()) {
      if (type === ended) return 'done';
      isPart ||= type === begun;
    }
    return isPart ? 'part' : 'done';
  } catch (error) {
    if (VarveError.is(error, 'VARVE_STORE_MISSING')) return 'nothing';
    throw error;
  }
}

async function keysIn(session: Session): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  for await (const entry of session.read())
    if (entry.type === 'message' && entry.key !== undefined) keys.add(entry.key);
  return keys;
}

async function isStored(
  session: Session,
  { message, provenance, key, usage, line }: Extract<TranscriptRecord, { kind: 'message' }>,
): Promise<boolean> {
  try {
    await session.ingest(message, { provenance, key, ...(message.role === 'assistant' && { usage }) });
    return true;
  } catch (error) {
    if (!refusals.some((code) => VarveError.is(error, code))) throw error;
    await session.record('transcripts:unknown', { line, type: 'refused', reason: (error as VarveError).message });
    return false;
  }
}

/** What is no message goes into the journal, too, where no prompt shows it. */
async function noteRecord(session: Session, record: Exclude<TranscriptRecord, { kind: 'message' }>): Promise<void> {
  switch (record.kind) {
    case 'item':
      return;
    case 'setting':
      return session.set(record.name, record.value);
    case 'compaction':
      return session.record('transcripts:compaction', plainJson({ line: record.line, ...record.data }));
    case 'damaged':
      return session.record('transcripts:unknown', { line: record.line, type: 'damaged', reason: record.reason });
    case 'unknown': {
      const { line, type, data } = record;
      const characters = JSON.stringify(data).length;
      return session.record('transcripts:unknown', {
        line,
        type,
        ...(characters > mostUnknownCharacters ? { characters } : { data }),
      });
    }
  }
}

/** Without fields that are `undefined`, which JSON does not have. */
function plainJson(value: object): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}

function abortedError(): VarveError {
  return new VarveError('VARVE_ABORTED', 'The import was interrupted.', {
    fix: 'Run it again: of a store, what is there already is skipped, and what was cut short goes on.',
  });
}
