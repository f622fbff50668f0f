import { dirname } from 'node:path';
import { VarveError } from '@varve/core';
import { existing } from '../existing.ts';
import { type FileSystem, modes, type OpenFile, openFlags } from '../file-system.ts';
import { makeFolderBeside, syncFolder } from '../journal-path.ts';
import { replacementFileOf } from '../journal-replacement.ts';
import { quarantineFileOf } from '../quarantine.ts';
import { ArchiveFile } from './archive-file.ts';
import { archiveFileOf, archiveFolderOf } from './archive-path.ts';
import { haveSameBytes } from './same-bytes.ts';
import { writeArchive } from './write-archive.ts';

/** A journal that is moved into an archive. Its lock is held, and it ends with a whole append. */
export interface PackedJournal {
  readonly fileSystem: FileSystem;
  readonly root: string;
  /** The journal's path. */
  readonly file: string;
  readonly source: OpenFile;
  /** How long it is. */
  readonly end: number;
}

/**
 * Moves a journal into its archive. That is written beside its place, synced, read again and compared, byte by byte, before
 * it gets its name; only when that is durable the journal goes. Whenever this ends, one of the two is whole, and as long
 * as there is a journal, it is the one that counts. Gives how long the archive is.
 *
 * @throws VARVE_STORE_CONFLICT  when the journal was changed meanwhile; VARVE_STORE_LINK; what the file system throws.
 */
export async function packJournal(journal: PackedJournal): Promise<number> {
  const { fileSystem, root, file } = journal;
  const folder = archiveFolderOf(file);
  await makeFolderBeside(fileSystem, { root, folder });
  const archive = archiveFileOf(file);
  const path = replacementFileOf(archive);
  let bytes: number;
  try {
    bytes = await writeCompared(journal, path);
    // One that was left beside its journal holds more than that: it is not written over.
    if ((await existing(fileSystem.lstat(archive))) !== null)
      await fileSystem.rename(archive, quarantineFileOf(archive));
    await fileSystem.rename(path, archive);
  } catch (error) {
    await fileSystem.rm(path, { force: true }).catch(() => {});
    throw error;
  }
  await syncFolder(fileSystem, folder);
  // The folder may be one that a process made and did not live to sync.
  await syncFolder(fileSystem, dirname(folder));
  await fileSystem.rm(file, { force: true });
  await syncFolder(fileSystem, dirname(file));
  return bytes;
}

/** Removes an archive, and what a write that did not end has left beside it. Gives whether there was one. */
export async function removeArchive(fileSystem: FileSystem, file: string): Promise<boolean> {
  const archive = archiveFileOf(file);
  if (await leadsElsewhere(fileSystem, file)) return false;
  const facts = await existing(fileSystem.lstat(archive));
  await fileSystem.rm(replacementFileOf(archive), { force: true });
  // A folder, or a link, is nothing that this store has put there.
  if (facts?.isFile() !== true) return false;
  await fileSystem.rm(archive, { force: true });
  await syncFolder(fileSystem, dirname(archive));
  return true;
}

/** Whether the folder for archives is a link: what is behind it is nobody's to remove. */
export async function leadsElsewhere(fileSystem: FileSystem, file: string): Promise<boolean> {
  const folder = await existing(fileSystem.lstat(archiveFolderOf(file)));
  return folder?.isSymbolicLink() === true;
}

async function writeCompared({ fileSystem, file, source, end }: PackedJournal, path: string): Promise<number> {
  await fileSystem.rm(path, { force: true });
  const target = await fileSystem.open(path, openFlags.createNew, modes.file);
  try {
    const size = await writeArchive(target, { source, end });
    // Not the application's choice: what it replaces may be all there is.
    await target.datasync();
    let isDamaged = false;
    const archive = await ArchiveFile.open({ file: target, size, report: () => (isDamaged = true) });
    const isSame = archive.size === end && (await haveSameBytes(source, archive, end));
    const isUnchanged = fileSystem.fstatSync(source.fd).size === end;
    if (isSame && isUnchanged && !isDamaged) return size;
  } finally {
    await target.close();
  }
  throw new VarveError('VARVE_STORE_CONFLICT', `"${file}" was changed while it was moved into an archive.`, {
    fix: 'Try again. Let one process at a time write to a journal.',
    details: { file },
  });
}
