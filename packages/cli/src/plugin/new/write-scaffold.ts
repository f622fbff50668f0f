import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { VarveError } from '@varve/core';
import { codeOf, makeFolder } from '../../terminal/make-folder.ts';
import { usage } from '../../terminal/parse-options.ts';
import type { ScaffoldFile } from './scaffold-files.ts';

/**
 * Writes files into a folder that is not there yet, or has nothing in it. When one cannot be written, those before it are
 * removed.
 *
 * @throws VARVE_USAGE  for a folder with something in it, or a file in its place; VARVE_STORE_IO when the disk refuses.
 */
export async function writeScaffold(folder: string, files: readonly ScaffoldFile[]): Promise<void> {
  const isNew = await assertFree(folder);
  await makeFolder(folder, { option: '--folder' });
  const made: string[] = [];
  try {
    for (const { path, text } of files) {
      const file = join(folder, path);
      await mkdir(dirname(file), { recursive: true });
      // Nobody else's file of that name is replaced, not even one that came this moment.
      await writeFile(file, text, { flag: 'wx' });
      made.push(file);
    }
  } catch (error) {
    for (const file of made) await rm(file, { force: true });
    if (isNew) await rm(folder, { recursive: true, force: true });
    throw new VarveError('VARVE_STORE_IO', `"${folder}" cannot be written: ${codeOf(error)}.`, {
      fix: 'Make room on the disk, or name a folder that this process may write to with --folder.',
      cause: error,
    });
  }
}

/** Whether the folder is still to be made. */
async function assertFree(folder: string): Promise<boolean> {
  try {
    const [first] = await readdir(folder);
    if (first === undefined) return false;
    throw usage(
      `The folder "${folder}" is there, and holds "${first}".`,
      'Name another one with --folder, or empty it.',
    );
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return true;
    if (codeOf(error) === 'ENOTDIR') throw usage(`"${folder}" is no folder.`, 'Name another one with --folder.');
    throw error;
  }
}
