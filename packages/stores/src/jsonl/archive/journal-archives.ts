import { dirname } from 'node:path';
import { type JournalArchives, type PackedSize, type SessionRecord, VarveError } from '@varve/core';
import { existing } from '../existing.ts';
import { type FileSystem, openFlags } from '../file-system.ts';
import type { JournalFile } from '../journal-file.ts';
import { findJournal, type JournalPath, syncFolder } from '../journal-path.ts';
import { replacementFileOf } from '../journal-replacement.ts';
import { quarantineFileOf } from '../quarantine.ts';
import { storeError } from '../store-error.ts';
import { takeWriteLock } from '../write-lock.ts';
import { archiveFileOf } from './archive-path.ts';
import { packJournal, removeArchive } from './pack-journal.ts';
import { readingFiles } from './reading-files.ts';

/** What the archives of a store need of it. */
export interface ArchiveParts {
  readonly fileSystem: FileSystem;
  readonly root: string;
  readonly sessions: {
    get(sessionId: string): Promise<SessionRecord | null>;
    remove(sessionId: string): Promise<void>;
  };
  /** The file of a journal, to be opened for writing: that takes its lock, and brings it back. */
  writableFile(path: JournalPath, sessionId: string): JournalFile;
  /** Does one thing after the other with a session. Throws when the store has been closed. */
  inTurn<Result>(sessionId: string, task: () => Promise<Result>): Promise<Result>;
  missing(sessionId: string): VarveError;
}

/** Keeps journals that nobody writes to in compressed files beside the others. */
export function journalArchives(parts: ArchiveParts): JournalArchives {
  const inTurn = <Result>(sessionId: string, doing: string, task: () => Promise<Result>): Promise<Result> =>
    parts.inTurn(sessionId, async () => {
      try {
        return await task();
      } catch (error) {
        throw storeError(error, { doing: `${doing} a journal in`, file: parts.root });
      }
    });
  return {
    isPacked: (sessionId) =>
      inTurn(sessionId, 'look for', async () => {
        const path = await find(parts, sessionId);
        return path === null ? null : !(await isJournal(parts, path));
      }),
    pack: (sessionId) => inTurn(sessionId, 'pack', () => pack(parts, sessionId)),
    unpack: (sessionId) =>
      inTurn(sessionId, 'unpack', async () => {
        const path = await found(parts, sessionId);
        if (await isJournal(parts, path)) return;
        const file = parts.writableFile(path, sessionId);
        await file.open();
        await file.close();
      }),
    remove: (sessionId, { expectedRev }) => inTurn(sessionId, 'remove', () => remove(parts, sessionId, expectedRev)),
  };
}

function find({ fileSystem, root }: ArchiveParts, sessionId: string): Promise<JournalPath | null> {
  return findJournal(fileSystem, { root, sessionId, agentId: undefined });
}

async function found(parts: ArchiveParts, sessionId: string): Promise<JournalPath> {
  const path = await find(parts, sessionId);
  if (path === null) throw parts.missing(sessionId);
  return path;
}

async function isJournal({ fileSystem }: ArchiveParts, { file }: JournalPath): Promise<boolean> {
  return (await existing(fileSystem.stat(file))) !== null;
}

async function pack(parts: ArchiveParts, sessionId: string): Promise<PackedSize> {
  const path = await found(parts, sessionId);
  if (!(await isJournal(parts, path))) return sizeOfArchive(parts, path);
  const { fileSystem, root } = parts;
  const file = parts.writableFile(path, sessionId);
  await file.open();
  try {
    const { shared, end } = await file.view();
    const bytes = await packJournal({ fileSystem, root, file: path.file, source: shared.file, end });
    return { bytes, journalBytes: end };
  } finally {
    await file.close();
  }
}

async function sizeOfArchive({ fileSystem }: ArchiveParts, { file }: JournalPath): Promise<PackedSize> {
  const files = readingFiles(fileSystem, () => {});
  const { size: bytes } = await fileSystem.stat(archiveFileOf(file));
  const opened = await files.open(archiveFileOf(file), openFlags.read);
  try {
    return { bytes, journalBytes: files.fstatSync(opened.fd).size };
  } finally {
    await opened.close();
  }
}

/** The journal first: what a process leaves that ends in between is a record without one, which is removed the next time. */
async function remove(parts: ArchiveParts, sessionId: string, expectedRev: number): Promise<void> {
  const { fileSystem, sessions } = parts;
  const path = await find(parts, sessionId);
  if (path === null && (await sessions.get(sessionId)) === null) throw parts.missing(sessionId);
  const lock = path === null ? null : await takeWriteLock(fileSystem, path.file);
  try {
    const { rev = 0 } = (await sessions.get(sessionId)) ?? {};
    if (rev !== expectedRev) throw changedError(sessionId, { rev, expectedRev });
    if (path !== null) await removeFiles(fileSystem, path.file);
    if (rev > 0 || (await sessions.get(sessionId)) !== null) await sessions.remove(sessionId);
  } finally {
    await lock?.release();
  }
}

async function removeFiles(fileSystem: FileSystem, file: string): Promise<void> {
  await removeArchive(fileSystem, file);
  for (const path of [file, quarantineFileOf(file), replacementFileOf(file)])
    await fileSystem.rm(path, { force: true });
  await syncFolder(fileSystem, dirname(file));
}

function changedError(sessionId: string, revs: { readonly rev: number; readonly expectedRev: number }): VarveError {
  const message = `The record of session "${sessionId}" has rev ${revs.rev}, and not ${revs.expectedRev}.`;
  return new VarveError('VARVE_STORE_CONFLICT', message, {
    fix: 'Read the record again, and decide whether the session is to go all the same.',
    details: { sessionId, ...revs },
  });
}
