import { dirname } from 'node:path';
import { existing } from '../existing.ts';
import { appendTo, type FileSystem, modes, type OpenFile, openFlags, readAt } from '../file-system.ts';
import { findEnd } from '../journal-end.ts';
import { syncFolder } from '../journal-path.ts';
import { replacementFileOf } from '../journal-replacement.ts';
import { quarantine, quarantineFileOf } from '../quarantine.ts';
import type { ReportRepair } from '../repair-report.ts';
import { storeError } from '../store-error.ts';
import type { ArchiveBlock } from './archive-block.ts';
import { ArchiveFile } from './archive-file.ts';
import { archiveFileOf } from './archive-path.ts';
import { isArchive } from './is-archive.ts';
import { leadsElsewhere, removeArchive } from './pack-journal.ts';
import { haveSameBytes } from './same-bytes.ts';

const chunk = 1_048_576;

/** Whose archive is brought back. Its lock is held. */
export interface BroughtBack {
  readonly fileSystem: FileSystem;
  /** The journal's path. */
  readonly file: string;
  readonly report: ReportRepair;
}

/**
 * Makes a journal of an archive again, so that it can be written to, and removes the archive. Where there are both, a
 * process ended between the two steps of a move: the journal counts, and the archive goes.
 *
 * What cannot be read of the archive is in quarantine before that; in the journal, a line of zeros stands in its place.
 *
 * @throws VARVE_STORE_IO
 */
export async function bringBack(journal: BroughtBack): Promise<void> {
  const { fileSystem, file } = journal;
  try {
    const archive = archiveFileOf(file);
    if ((await leadsElsewhere(fileSystem, file)) || !(await isArchive(fileSystem, archive))) return;
    const facts = await existing(fileSystem.stat(file));
    // A file of which nothing is left is no journal.
    if (facts === null || facts.size === 0) await restore(journal, archive);
    else if (await beginsWith(journal, archive)) await removeArchive(fileSystem, file);
    else if (await holdsAsMuch(journal, archive)) await setAside(fileSystem, archive);
  } catch (error) {
    throw storeError(error, { doing: 'bring back', file });
  }
}

/** Whether the journal is what the archive holds, and perhaps more: then nothing goes with the archive. */
async function beginsWith({ fileSystem, file }: BroughtBack, path: string): Promise<boolean> {
  const journal = await fileSystem.open(file, openFlags.read);
  try {
    const opened = await fileSystem.open(path, openFlags.read);
    try {
      let isDamaged = false;
      const { size } = fileSystem.fstatSync(opened.fd);
      const archive = await ArchiveFile.open({ file: opened, size, report: () => (isDamaged = true) });
      return (await haveSameBytes(archive, journal, archive.size)) && !isDamaged;
    } finally {
      await opened.close();
    }
  } finally {
    await journal.close();
  }
}

/** False only where something else than this store took entries away from the journal: then both stay. */
async function holdsAsMuch({ fileSystem, file }: BroughtBack, archive: string): Promise<boolean> {
  const [now, before] = await Promise.all([
    lastSeqOf(fileSystem, { path: file, isArchive: false }),
    lastSeqOf(fileSystem, { path: archive, isArchive: true }),
  ]);
  return now >= before;
}

async function lastSeqOf(
  fileSystem: FileSystem,
  { path, isArchive }: { readonly path: string; readonly isArchive: boolean },
): Promise<number> {
  const opened = await fileSystem.open(path, openFlags.read);
  try {
    const { size } = fileSystem.fstatSync(opened.fd);
    const file = isArchive ? await ArchiveFile.open({ file: opened, size, report: () => {} }) : opened;
    return (await findEnd(file, file instanceof ArchiveFile ? file.size : size)).lastSeq;
  } finally {
    await opened.close();
  }
}

async function restore({ fileSystem, file, report }: BroughtBack, path: string): Promise<void> {
  const target = replacementFileOf(file);
  const opened = await fileSystem.open(path, openFlags.read);
  let isDamaged = false;
  try {
    const damaged: Pick<ArchiveBlock, 'at' | 'length'>[] = [];
    const note: ReportRepair = ({ offset: at, length }) => void damaged.push({ at, length });
    const { size } = fileSystem.fstatSync(opened.fd);
    const archive = await ArchiveFile.open({ file: opened, size, report: note });
    await fileSystem.rm(target, { force: true });
    await copyTo(fileSystem, { target, archive });
    for (const { at, length } of onceEach(damaged)) {
      const stretch = { file, source: opened, from: at, to: at + length };
      const kept = length === 0 ? undefined : await quarantine(fileSystem, stretch);
      report({
        kind: 'bad-block',
        offset: at,
        length,
        file: path,
        ...(kept === undefined ? {} : { quarantine: kept }),
      });
    }
    isDamaged = damaged.length > 0;
    await fileSystem.rename(target, file);
  } catch (error) {
    await fileSystem.rm(target, { force: true }).catch(() => {});
    throw error;
  } finally {
    await opened.close();
  }
  await syncFolder(fileSystem, dirname(file));
  if (isDamaged) await setAside(fileSystem, path);
  else await removeArchive(fileSystem, file);
}

/** What was not as it was written may hold more than could be read of it: it is kept, under another name. */
async function setAside(fileSystem: FileSystem, archive: string): Promise<void> {
  await fileSystem.rename(archive, quarantineFileOf(archive));
  await syncFolder(fileSystem, dirname(archive));
}

/** Writes the journal into a new file, synced and compared. */
async function copyTo(
  fileSystem: FileSystem,
  { target, archive }: { readonly target: string; readonly archive: ArchiveFile },
): Promise<void> {
  const copy: OpenFile = await fileSystem.open(target, openFlags.createNew, modes.file);
  try {
    for (let position = 0; position < archive.size; ) {
      const bytes = await readAt(archive, { position, length: Math.min(chunk, archive.size - position) });
      if (bytes.length === 0) break;
      await appendTo(copy, [bytes]);
      position += bytes.length;
    }
    await copy.datasync();
    if (await haveSameBytes(archive, copy, archive.size)) return;
  } finally {
    await copy.close();
  }
  throw Object.assign(new Error('What was written is not what is read.'), { code: 'EIO' });
}

/** The archive is read twice. */
function onceEach(
  places: readonly Pick<ArchiveBlock, 'at' | 'length'>[],
): readonly Pick<ArchiveBlock, 'at' | 'length'>[] {
  return [...new Map(places.map((place) => [`${place.at} ${place.length}`, place])).values()];
}
