import { dirname } from 'node:path';
import { VarveError } from '@varve/core';
import { existing } from './existing.ts';
import { appendTo, type FileSystem, modes, openFlags } from './file-system.ts';
import type { IndexContent, NewIndex } from './index-content.ts';
import { encodeIndexHeader } from './index-line.ts';
import { syncFolder } from './journal-path.ts';
import { replacementFileOf } from './journal-replacement.ts';
import { quarantineAll } from './quarantine.ts';
import type { ReportRepair } from './repair-report.ts';
import type { WriteLock } from './write-lock.ts';

/** So many bytes are gathered before they are written. */
const writeSize = 1_048_576;

/**
 * Puts a new index with the records that count in the place of the old one. Bytes of that which could not be read are
 * in quarantine before. Synced in any case: what it replaces may be all there is. Gives what the new file is.
 */
export async function rewriteIndex(
  content: IndexContent,
  index: {
    readonly fileSystem: FileSystem;
    readonly file: string;
    readonly report: ReportRepair;
    /** Held by the caller. */
    readonly lock: WriteLock;
  },
): Promise<NewIndex> {
  const { fileSystem, file, report, lock } = index;
  const path = replacementFileOf(file);
  await fileSystem.rm(path, { force: true });
  let made: NewIndex;
  let lost: readonly LostPlace[];
  try {
    made = await writeLines(content, { fileSystem, path });
    lost = await setLostAside(content, { fileSystem, file });
    if (!lock.isHeld) throw lostLockError(file);
    await fileSystem.rename(path, file);
  } catch (error) {
    await fileSystem.rm(path, { force: true }).catch(() => {});
    throw error;
  }
  await syncFolder(fileSystem, dirname(file));
  for (const place of lost) report({ kind: 'bad-index', ...place });
  return made;
}

interface LostPlace {
  readonly offset: number;
  readonly length: number;
  readonly quarantine: string;
}

async function setLostAside(
  content: IndexContent,
  { fileSystem, file }: { readonly fileSystem: FileSystem; readonly file: string },
): Promise<readonly LostPlace[]> {
  if (content.lost.length === 0) return [];
  const source = await existing(fileSystem.open(file, openFlags.read));
  if (source === null) return [];
  try {
    const path = await quarantineAll(fileSystem, { file, source, stretches: content.lost });
    return content.lost.map(({ offset, length }) => ({ offset, length, quarantine: path }));
  } finally {
    await source.close();
  }
}

async function writeLines(
  content: IndexContent,
  { fileSystem, path }: { readonly fileSystem: FileSystem; readonly path: string },
): Promise<NewIndex> {
  const target = await fileSystem.open(path, openFlags.createNew, modes.file);
  try {
    const header = encodeIndexHeader(content.replaced);
    let lines = [header];
    let bytes = 0;
    for (const line of content.lines()) {
      lines.push(line);
      bytes += line.length;
      if (bytes < writeSize) continue;
      await appendTo(target, lines);
      lines = [];
      bytes = 0;
    }
    await appendTo(target, lines);
    await target.datasync();
    return { facts: fileSystem.fstatSync(target.fd), header };
  } finally {
    await target.close();
  }
}

function lostLockError(file: string): VarveError {
  return new VarveError('VARVE_STORE_LOCKED', `The lock of "${file}" was taken over while it was being rewritten.`, {
    fix: 'Try again.',
    details: { file },
  });
}
