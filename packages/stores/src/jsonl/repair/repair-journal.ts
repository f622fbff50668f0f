import { basename, dirname, join } from 'node:path';
import { type JournalHeader, type SessionRecord, VarveError } from '@varve/core';
import { existing } from '../existing.ts';
import { fileNameOf, idOfFileName } from '../file-names.ts';
import { type FileSystem, openFlags } from '../file-system.ts';
import { IndexContent } from '../index-content.ts';
import { JournalFile } from '../journal-file.ts';
import { headerIdOf } from '../journal-header.ts';
import { replacementFileOf } from '../journal-replacement.ts';
import type { FindingRepair } from '../store-finding.ts';
import { takeWriteLock } from '../write-lock.ts';
import { rewriteJournal } from './rewrite-journal.ts';

/** What is to be repaired. */
export interface DamagedFile {
  /** The journal, or the index. */
  readonly file: string;
  readonly agentId: string;
  /** What is to be done to it. */
  readonly hows: ReadonlySet<FindingRepair['how']>;
}

/**
 * Repairs a journal under its lock: what its last writer left, then what stands in its middle.
 *
 * @returns What was done, as a sentence.
 * @throws VARVE_STORE_LOCKED, VARVE_STORE_IO; VARVE_STORE_MISSING when nothing says whose journal it is.
 */
export async function repairJournal(fileSystem: FileSystem, { file, agentId, hows }: DamagedFile): Promise<string> {
  if ((await existing(fileSystem.lstat(file))) === null) return removeLeftovers(fileSystem, file);
  const name = basename(file, '.jsonl');
  const record = await recordOf(fileSystem, { file, name });
  const sessionId = record?.sessionId ?? (await headerIdOf(fileSystem, { file, name })) ?? idOfFileName(name);
  if (sessionId === null) throw namelessError(file);
  const header = await settle(fileSystem, { file, agentId, record, sessionId });
  if (!hows.has('rewrite')) return 'Put right what the last writer had left.';
  const lock = await takeWriteLock(fileSystem, file);
  try {
    const bytes = await rewriteJournal(fileSystem, { file, header, lock });
    return `Wrote the journal anew with all that is read of it; ${bytes} bytes went to quarantine.`;
  } finally {
    await lock.release();
  }
}

/** Opens the journal as a writer does, which puts its end right, and gives the header, or what stands for it. */
async function settle(
  fileSystem: FileSystem,
  journal: {
    readonly file: string;
    readonly agentId: string;
    readonly sessionId: string;
    readonly record: SessionRecord | null;
  },
): Promise<JournalHeader> {
  const { file, agentId, sessionId, record } = journal;
  const opened = new JournalFile({
    fileSystem,
    files: fileSystem,
    path: { file, ...(agentId === 'main' ? {} : { agentId }) },
    sessionId,
    isFound: true,
    create: record === null ? madeHeader(sessionId, agentId) : headerOf(record),
    takeLock: () => takeWriteLock(fileSystem, file),
    isSynced: true,
    report: () => {},
  });
  await opened.open();
  const { header } = opened;
  await opened.close();
  return record === null ? header : headerOf(record);
}

/** Takes the lock of a file that is not there, and removes what stands around it. */
async function removeLeftovers(fileSystem: FileSystem, file: string): Promise<string> {
  const lock = await takeWriteLock(fileSystem, file);
  try {
    await fileSystem.rm(replacementFileOf(file), { force: true });
  } finally {
    await lock.release();
  }
  return 'Removed what was left of a write.';
}

/** What the index says of the session; `null` where it says nothing, or cannot be read. */
async function recordOf(
  fileSystem: FileSystem,
  { file, name }: { readonly file: string; readonly name: string },
): Promise<SessionRecord | null> {
  const index = join(dirname(dirname(file)), 'sessions.jsonl');
  try {
    const opened = await fileSystem.open(index, openFlags.read);
    try {
      const content = new IndexContent();
      await content.read(opened, fileSystem.fstatSync(opened.fd));
      return content.records.find(({ sessionId }) => fileNameOf(sessionId) === name) ?? null;
    } finally {
      await opened.close();
    }
  } catch {
    // It is repaired after the journals, and then from them.
    return null;
  }
}

function headerOf({ sessionId, createdAt, agentId, key, previousSessionId, forkedFrom }: SessionRecord): JournalHeader {
  return {
    ...{ v: 1, sessionId, createdAt },
    ...(agentId === 'main' ? {} : { agentId }),
    ...(key === null ? {} : { key }),
    ...(previousSessionId === null ? {} : { previousSessionId }),
    ...(forkedFrom === null ? {} : { forkedFrom }),
  };
}

function madeHeader(sessionId: string, agentId: string): JournalHeader {
  return { v: 1, sessionId, createdAt: 0, ...(agentId === 'main' ? {} : { agentId }) };
}

/** Says that neither its name nor its header nor the index tells whose journal it is. */
export function namelessError(file: string): VarveError {
  return new VarveError('VARVE_STORE_MISSING', `Nothing says which session "${file}" is the journal of.`, {
    fix: 'Restore its first line, or the index of the agent, from a backup.',
    details: { file },
  });
}
