import { basename, dirname } from 'node:path';
import { type JournalHeader, VarveError } from '@varve/core';
import { type FileSystem, modes, openFlags } from '../file-system.ts';
import { findEnd } from '../journal-end.ts';
import { syncFolder } from '../journal-path.ts';
import { replacementFileOf } from '../journal-replacement.ts';
import { readLines } from '../line-reader.ts';
import { quarantineAll } from '../quarantine.ts';
import type { WriteLock } from '../write-lock.ts';
import { JournalCopy } from './journal-copy.ts';
import { holdSameEntries } from './same-entries.ts';

/**
 * Puts a new file with all that can be read of a damaged journal in its place; the rest is in quarantine before. The new
 * file is read again, and has to give the same entries. A crash leaves one file or the other.
 *
 * @returns How many bytes went into quarantine.
 * @throws VARVE_STORE_LOCKED  when the lock was lost meanwhile; VARVE_STORE_IO  when the new file gives other entries.
 */
export async function rewriteJournal(
  fileSystem: FileSystem,
  journal: {
    readonly file: string;
    /** Of a journal that has none of its own. */
    readonly header: JournalHeader;
    /** Held by the caller. */
    readonly lock: WriteLock;
  },
): Promise<number> {
  const { file, header, lock } = journal;
  const path = replacementFileOf(file);
  await fileSystem.rm(path, { force: true });
  const source = await fileSystem.open(file, openFlags.read);
  try {
    const target = await fileSystem.open(path, openFlags.createNew, modes.file);
    const copy = new JournalCopy(target, basename(file, '.jsonl'));
    try {
      const { size } = fileSystem.fstatSync(source.fd);
      const { end } = await findEnd(source, size);
      for await (const lines of readLines(source, { from: 0, to: end })) {
        for (const line of lines) await copy.take(line, { header });
      }
      const written = await copy.finish({ header });
      // A copy that lost anything must not take the place of what it was made from.
      if (!(await holdSameEntries({ file: source, end }, { file: target, end: written }))) throw unlikeError(file);
      if (size > end) copy.lost.push({ offset: end, length: size - end });
      await target.datasync();
    } finally {
      await target.close();
    }
    if (copy.lost.length > 0) await quarantineAll(fileSystem, { file, source, stretches: copy.lost });
    if (!lock.isHeld) throw lostLockError(file);
    await fileSystem.rename(path, file);
    await syncFolder(fileSystem, dirname(file));
    return copy.lost.reduce((sum, { length }) => sum + length, 0);
  } catch (error) {
    await fileSystem.rm(path, { force: true }).catch(() => {});
    throw error;
  } finally {
    await source.close();
  }
}

function unlikeError(file: string): VarveError {
  return new VarveError('VARVE_STORE_IO', `What was written in the place of "${file}" gives other entries than it.`, {
    fix: 'Nothing was replaced. Look whether another process writes to the journal, then try again.',
    details: { file },
  });
}

function lostLockError(file: string): VarveError {
  return new VarveError('VARVE_STORE_LOCKED', `The lock of "${file}" was taken over while it was being repaired.`, {
    fix: 'Try again.',
    details: { file },
  });
}
