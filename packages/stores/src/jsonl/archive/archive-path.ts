import { basename, dirname, join } from 'node:path';

/** What the name of an archive ends with. */
export const archiveEnding = '.jsonl.gz';

/** The folder for the archives of journals in the same folder as this one. */
export function archiveFolderOf(journal: string): string {
  return join(dirname(dirname(journal)), 'archive');
}

/** Where the archive of a journal is, or would be. */
export function archiveFileOf(journal: string): string {
  return join(archiveFolderOf(journal), `${basename(journal)}.gz`);
}
