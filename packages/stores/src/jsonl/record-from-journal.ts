import { countEntry, type Entry, emptyCounters, patchRecord, type SessionRecord } from '@varve/core';
import { noArchive } from './archive/archive-layout.ts';
import { archiveEnding } from './archive/archive-path.ts';
import { readingFiles } from './archive/reading-files.ts';
import { idOfFileName } from './file-names.ts';
import { type FileSystem, type OpenFile, openFlags } from './file-system.ts';
import { findEnd } from './journal-end.ts';
import { headerOfName } from './journal-header.ts';
import { readLinesBackwards } from './line-reader.ts';
import { readEntries, readEntriesInOrder, recordsOf } from './record-reader.ts';
import { codeOf } from './store-error.ts';

/** So many bytes of a journal are counted for a record that is lost; whoever opens the session counts the rest. */
const countedBytes = 4_194_304;

/** What stands in the place of a journal and is none. */
const noJournal: readonly string[] = ['EISDIR', 'ELOOP', 'ENOENT', noArchive];

/**
 * Makes the record of a session whose journal cannot be read: it exists, and nothing else is known. `null` where the
 * name does not tell whose it is, or there is no journal.
 */
export function recordOfUnreadable(
  error: unknown,
  { name, agentId }: { readonly name: string; readonly agentId: string },
): SessionRecord | null {
  const sessionId = idOfFileName(name);
  if (sessionId === null || noJournal.includes(codeOf(error) ?? '')) return null;
  return { ...patchRecord(null, { agentId }, { sessionId, expectedRev: 0 }), rev: 0 };
}

/**
 * Makes the record of a session from its journal: what the header says, and what its first entries count. Its `rev` is
 * 0, as nobody has stored it. `null` when nothing tells whose journal it is.
 */
export async function recordFromJournal(
  fileSystem: FileSystem,
  journal: { readonly file: string; readonly name: string; readonly agentId: string },
): Promise<SessionRecord | null> {
  const files = readingFiles(fileSystem, report);
  const opened = await files.open(journal.file, openFlags.read);
  try {
    const { end } = await findEnd(opened, files.fstatSync(opened.fd).size);
    const header = await headerOfName(opened, { name: journal.name, end });
    const sessionId = header?.sessionId ?? idOfFileName(journal.name);
    if (sessionId === null) return null;
    const { agentId = journal.agentId, createdAt = await timeOfFirst(opened, end) } = header ?? {};
    const { key, previousSessionId, forkedFrom } = header ?? {};
    // Nobody else's journal is in an archive.
    const state = journal.file.endsWith(archiveEnding) ? 'archived' : 'open';
    const said = { agentId, key, state, createdAt, previousSessionId, forkedFrom } as const;
    const record = patchRecord(null, said, { sessionId, expectedRev: 0 });
    const counters = await countersOf(opened, end);
    return { ...record, rev: 0, counters, updatedAt: Math.max(createdAt, await timeOfLast(opened, end)) };
  } finally {
    await opened.close();
  }
}

async function countersOf(file: OpenFile, end: number): Promise<SessionRecord['counters']> {
  let counters = emptyCounters;
  for await (const entries of readEntriesInOrder(file, { from: 0, to: end, report })) {
    for (const { offset, record } of entries) {
      if (offset >= countedBytes) return counters;
      try {
        counters = countEntry(counters, record.entry);
      } catch {
        // An entry that this version cannot count ends the count; whoever opens the session goes on from here.
        return counters;
      }
    }
  }
  return counters;
}

async function timeOfFirst(file: OpenFile, end: number): Promise<number> {
  for await (const entries of readEntries(file, { from: 0, to: end, report })) return timeOf(entries[0]?.record.entry);
  return 0;
}

async function timeOfLast(file: OpenFile, end: number): Promise<number> {
  for await (const lines of readLinesBackwards(file, end)) {
    for (const line of lines) {
      const found = recordsOf(line).findLast(({ record }) => record.kind === 'entry');
      if (found?.record.kind === 'entry') return timeOf(found.record.entry);
    }
  }
  return 0;
}

function timeOf(entry: Entry | undefined): number {
  return Number.isFinite(entry?.at) ? Number(entry?.at) : 0;
}

/** Who opens the journal is told of its damage. */
function report(): void {}
