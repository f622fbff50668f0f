import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type Entry, type JournalHeader, type Seq, type SessionRecord, VarveError } from '@varve/core';
import { entryProblem } from '@varve/core/host';
import { codeOf } from '../../terminal/make-folder.ts';
import { journalFormat } from '../export/journal-lines.ts';
import type { ImportParts } from './import-messages.ts';
import type { ImportLine } from './imported.ts';
import { derivedSessionId } from './openclaw-entry.ts';
import { noteArchived, placeSession } from './place-session.ts';

/** The beginning of a file that is a journal. */
export type JournalBeginning = Pick<SessionRecord, 'sessionId' | 'createdAt'> &
  Partial<Omit<SessionRecord, 'counters'>>;

/** Entries that are appended together. */
const entriesAtOnce = 256;

/** What a store adds to the lines of its files. */
const ofStore: ReadonlySet<string> = new Set(['crc', 'more', 'keep', 'checkpoint']);

/** Longest first line that is looked at. */
const longestTitle = 1_048_576;

/** What the first line of a file says, where it is that of a journal: an exported one, or a file of a store. */
export async function readBeginning(file: string): Promise<JournalBeginning | null> {
  const stream = createReadStream(file, { encoding: 'utf8', end: longestTitle - 1 });
  try {
    let text = '';
    for await (const chunk of stream) {
      text += String(chunk);
      if (text.includes('\n')) break;
    }
    return beginningIn(JSON.parse(text.split('\n', 1)[0] ?? ''));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw new VarveError('VARVE_TRANSCRIPT_UNREADABLE', `"${file}" cannot be read: ${codeOf(error)}.`, {
      fix: 'Give the path of a file that this process may read.',
      cause: error,
    });
  } finally {
    stream.destroy();
  }
}

/** Copies a journal into the store, entry by entry, as it is. Reads it once before anything is written. */
export async function importJournal(
  parts: ImportParts,
  { file, beginning }: { readonly file: string; readonly beginning: JournalBeginning },
  names: {
    readonly key: string | null;
    readonly agentId: string | undefined;
    readonly sessionId: string | undefined;
    readonly isDryRun: boolean;
  },
): Promise<ImportLine> {
  const { host, store } = parts.opened;
  const messages = await countMessages(file);
  const key = names.key ?? beginning.key ?? null;
  const wanted = names.sessionId ?? beginning.sessionId;
  const { sessionId, found } = await placeFor(parts, { file, key, wanted });
  const isOther = sessionId !== wanted;
  const line = { from: file, key, messages, refused: 0, why: isOther ? `there is a session ${wanted} already` : null };
  if (found === 'whole') return { ...line, sessionId, outcome: 'skipped', why: 'it is there already' };
  if (names.isDryRun) return { ...line, sessionId: isOther ? null : sessionId, outcome: 'planned' };
  const before = await host.sessions.get(sessionId);
  const agentId = names.agentId ?? beginning.agentId;
  const { createdAt } = beginning;
  const { previousSessionId, forkedFrom } = beginning;
  const header: JournalHeader = {
    ...{ v: 1, sessionId, createdAt },
    ...(agentId === undefined ? {} : { agentId }),
    ...(key === null ? {} : { key }),
    ...(typeof previousSessionId === 'string' ? { previousSessionId } : {}),
    ...(forkedFrom === undefined || forkedFrom === null ? {} : { forkedFrom }),
  };
  const journal = await store.open(sessionId, { create: header });
  try {
    let [batch, seq]: [Entry[], number] = [[], found];
    const flush = async (): Promise<void> => {
      if (batch.length > 0) ({ seq } = await journal.append(batch, { expectedSeq: seq }));
      batch = [];
    };
    for await (const entry of entriesIn(file)) {
      if (entry.seq <= found) continue;
      batch.push(entry);
      if (batch.length === entriesAtOnce) await flush();
    }
    await flush();
  } finally {
    await journal.close();
  }
  const { channel, chatType, identity, parentSessionKey, label, displayName } = beginning;
  const said = Object.entries({ channel, chatType, identity, parentSessionKey, label, displayName });
  const known = Object.fromEntries(said.filter(([, value]) => typeof value === 'string'));
  await (await host.open(sessionId, { ...known, ...(key !== null && { key }) })).close();
  // What had its place here keeps it, and goes on there.
  if (typeof before?.currentSince !== 'number') await placeSession(parts.opened, { sessionId, key });
  await keepTime(parts, { sessionId, updatedAt: beginning.updatedAt });
  await noteArchived(parts.opened, sessionId);
  return { ...line, sessionId, outcome: 'imported' };
}

/** A session that is brought in was not used by that. */
async function keepTime(
  { opened: { store } }: ImportParts,
  { sessionId, updatedAt }: { readonly sessionId: string; readonly updatedAt: number | undefined },
): Promise<void> {
  const record = await store.sessions.get(sessionId);
  if (record === null || !Number.isFinite(updatedAt)) return;
  await store.sessions.put(sessionId, { updatedAt }, { expectedRev: record.rev });
}

function beginningIn(value: unknown): JournalBeginning | null {
  if (typeof value !== 'object' || value === null) return null;
  const line = value as { readonly format?: unknown; readonly record?: unknown; readonly type?: unknown };
  const title = line.format === journalFormat ? line.record : line.type === undefined ? line : null;
  if (typeof title !== 'object' || title === null) return null;
  const { sessionId, createdAt } = title as Partial<JournalBeginning>;
  return typeof sessionId === 'string' && typeof createdAt === 'number' ? (title as JournalBeginning) : null;
}

async function countMessages(file: string): Promise<number> {
  let messages = 0;
  for await (const entry of entriesIn(file)) if (entry.type === 'message') messages += 1;
  return messages;
}

/** What a session holds of a journal: all, or its first entries up to a seq. */
type FoundPart = 'whole' | Seq;

/** The session that a journal goes to: the one that has its id, or, where that is another conversation, one of its own. */
async function placeFor(
  parts: ImportParts,
  { file, key, wanted }: { readonly file: string; readonly key: string | null; readonly wanted: string },
): Promise<{ readonly sessionId: string; readonly found: FoundPart }> {
  for (const sessionId of [wanted, derivedSessionId(wanted, key)]) {
    const found = await partIn(parts, { file, key, sessionId });
    if (found !== null) return { sessionId, found };
  }
  return { sessionId: randomUUID(), found: 0 };
}

/** Holds the entries of a session against those of a file: it may have gone on since, or have been cut short.
 * `null` where it is another conversation. */
async function partIn(
  { opened: { host, store } }: ImportParts,
  { file, key, sessionId }: { readonly file: string; readonly key: string | null; readonly sessionId: string },
): Promise<FoundPart | null> {
  const journal = await store.open(sessionId, { readOnly: true }).catch((error: unknown) => {
    if (VarveError.is(error, 'VARVE_STORE_MISSING')) return null;
    throw error;
  });
  const record = await host.sessions.get(sessionId);
  if (journal === null) return record === null ? 0 : null;
  const entries = journal.read()[Symbol.asyncIterator]();
  try {
    if (((record ?? journal.header).key ?? null) !== key) return null;
    let found: Seq = 0;
    for await (const entry of entriesIn(file)) {
      const next = await entries.next();
      if (next.done === true) return found;
      if (next.value.seq !== entry.seq || next.value.id !== entry.id) return null;
      found = entry.seq;
    }
    return 'whole';
  } finally {
    await entries.return?.();
    await journal.close();
  }
}

/** The entries of a file. @throws VARVE_TRANSCRIPT_FORMAT  for a line that is none, or does not follow the one before. */
async function* entriesIn(file: string): AsyncGenerator<Entry, void, undefined> {
  let number = 0;
  let seq = 0;
  for await (const text of linesIn(file)) {
    number += 1;
    if (number === 1 || text.trim() === '') continue;
    const entry = parse(text);
    const problem =
      entry === null
        ? 'it is no JSON object'
        : entry.seq === seq + 1
          ? entryProblem(entry, { isAnyType: true })
          : `#${seq + 1} is missing`;
    if (entry === null || problem !== null) throw lineError(file, { number, problem: problem ?? '' });
    seq = entry.seq;
    yield entry;
  }
}

/** Lines end with a line feed and nothing else: what a message says may hold other ends of lines as they are. */
async function* linesIn(file: string): AsyncGenerator<string, void, undefined> {
  let parts: string[] = [];
  for await (const chunk of createReadStream(file, { encoding: 'utf8' })) {
    const [first = '', ...others] = String(chunk).split('\n');
    parts.push(first);
    for (const next of others) {
      yield parts.join('');
      parts = [next];
    }
  }
  const last = parts.join('');
  if (last !== '') yield last;
}

function parse(text: string): Entry | null {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    return Object.fromEntries(Object.entries(value).filter(([name]) => !ofStore.has(name))) as unknown as Entry;
  } catch {
    return null;
  }
}

function lineError(
  file: string,
  { number, problem }: { readonly number: number; readonly problem: string },
): VarveError {
  return new VarveError(
    'VARVE_TRANSCRIPT_FORMAT',
    `Line ${number} of "${file}" is no entry of a journal: ${problem}.`,
    {
      fix: 'Export the session again. A damaged journal of a store is read where it lies: see varve doctor.',
      details: { line: number },
    },
  );
}
