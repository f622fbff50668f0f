import { existing } from './existing.ts';
import type { FileSystem } from './file-system.ts';
import { codeOf } from './store-error.ts';

/** The real path of a file or folder; `null` when there is none, also behind a link that leads nowhere or in a circle. */
export async function linkTarget(fileSystem: Pick<FileSystem, 'realpath'>, path: string): Promise<string | null> {
  try {
    return await existing(fileSystem.realpath(path));
  } catch (error) {
    if (codeOf(error) === 'ELOOP') return null;
    throw error;
  }
}
