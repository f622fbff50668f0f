import { dirname } from 'node:path';
import type { SessionRecord, VarveError } from '@varve/core';
import { changedError } from '../changed-error.ts';
import { removeArchive } from './archive/pack-journal.ts';
import type { FileSystem } from './file-system.ts';
import { findJournal, syncFolder } from './journal-path.ts';
import { replacementFileOf } from './journal-replacement.ts';
import { quarantineFileOf } from './quarantine.ts';
import { takeWriteLock } from './write-lock.ts';

/** What a session is removed with. */
export interface RemovalParts {
  readonly fileSystem: FileSystem;
  readonly root: string;
  readonly sessions: {
    get(sessionId: string): Promise<SessionRecord | null>;
    remove(sessionId: string): Promise<void>;
  };
  missing(sessionId: string): VarveError;
}

/**
 * Removes all files of a session, and its record. The journal first: what a process leaves that ends in between is a record
 * without one, which is removed the next time.
 *
 * @throws VARVE_STORE_MISSING, VARVE_STORE_CONFLICT, VARVE_STORE_LOCKED, and what the file system throws
 */
export async function removeSession(
  parts: RemovalParts,
  { sessionId, expectedRev }: { readonly sessionId: string; readonly expectedRev: number },
): Promise<void> {
  const { fileSystem, root, sessions } = parts;
  const known = await sessions.get(sessionId);
  const path = await findJournal(fileSystem, { root, sessionId, agentId: known?.agentId });
  if (path === null && known === null) throw parts.missing(sessionId);
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
