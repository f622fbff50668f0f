import { lstat, mkdir, open, readdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { VarveError } from '@varve/core';
import { codeOf, makeFolder } from '../../terminal/make-folder.ts';
import { usage } from '../../terminal/parse-options.ts';
import type { ScaffoldFile } from './scaffold-files.ts';

/**
 * Writes files into a folder that is not there yet, or has nothing in it. When one cannot be written, those before it are
 * removed, with the folder where it was made for them; folders above it stay.
 *
 * @throws VARVE_USAGE  for a folder with something in it, or something else in its place; VARVE_STORE_IO when the disk
 * refuses.
 */
export async function writeScaffold(folder: string, files: readonly ScaffoldFile[]): Promise<void> {
  await assertFree(folder);
  await makeFolder(dirname(folder), { option: '--folder' });
  const made: Made[] = [];
  try {
    await makeNewFolder(folder, made);
    for (const { path, text } of files) {
      for (const parent of parentsOf(path)) await makeNewFolder(join(folder, parent), made);
      await writeNewFile(join(folder, path), { text, made });
    }
  } catch (error) {
    for (const { path, isFolder } of made.reverse()) {
      // A folder that somebody has put something into stays.
      if (isFolder) await rmdir(path).catch(() => undefined);
      else await rm(path, { force: true });
    }
    throw new VarveError('VARVE_STORE_IO', `"${folder}" cannot be written: ${codeOf(error)}.`, {
      fix: 'Make room on the disk, or name a folder that this process may write to with --folder.',
      cause: error,
    });
  }
}

/** What is there by this run alone. */
interface Made {
  readonly path: string;
  readonly isFolder: boolean;
}

async function makeNewFolder(path: string, made: Made[]): Promise<void> {
  try {
    await mkdir(path);
    made.push({ path, isFolder: true });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

async function writeNewFile(path: string, { text, made }: { readonly text: string; readonly made: Made[] }) {
  // Nobody else's file of that name is replaced, not even one that came this moment.
  await using file = await open(path, 'wx');
  made.push({ path, isFolder: false });
  await file.writeFile(text);
}

/** `a` and `a/b` for `a/b/c.ts`. */
function parentsOf(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

async function assertFree(folder: string): Promise<void> {
  const other = 'Name another one with --folder';
  try {
    const [first] = await readdir(folder);
    if (first !== undefined)
      throw usage(`The folder "${folder}" is there, and holds "${first}".`, `${other}, or empty it.`);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ENOTDIR') throw usage(`"${folder}" is no folder.`, `${other}.`);
    if (code === 'ELOOP' || (code === 'ENOENT' && (await isThere(folder)))) {
      throw usage(`"${folder}" is a link that leads nowhere.`, `${other}, or remove the link.`);
    }
    if (code !== 'ENOENT') throw error;
  }
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
