import { mkdir, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { VarveError } from '@varve/core';
import { usage } from './parse-options.ts';

/**
 * Makes a folder, with those above it that are not there. One at a time: Node's own `recursive` never ends where a
 * folder exists that nothing can be made in, as below `/proc`.
 *
 * @param made.option  The option that named the folder, for the message.
 * @param made.mode  Who may enter what is made. @default as the process makes folders
 * @throws VARVE_USAGE  when there is a file of that name.
 * @throws VARVE_STORE_IO  when it cannot be made.
 */
export async function makeFolder(
  path: string,
  { option, mode }: { readonly option: string; readonly mode?: number },
): Promise<void> {
  if (path === '') throw usage(`${option} names no folder.`, `Give a folder to ${option}.`);
  const missing: string[] = [];
  for (let folder = resolve(path); !(await isFolder(folder, option)); folder = dirname(folder)) missing.push(folder);
  for (const folder of missing.reverse()) {
    try {
      await mkdir(folder, mode === undefined ? {} : { mode });
    } catch (error) {
      // Another process may have made it meanwhile.
      if (codeOf(error) !== 'EEXIST') throw cannotMake(path, { option, cause: error });
    }
  }
}

async function isFolder(path: string, option: string): Promise<boolean> {
  try {
    if ((await stat(path)).isDirectory()) return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT' && path !== dirname(path)) return false;
    if (codeOf(error) !== 'ENOTDIR') throw cannotMake(path, { option, cause: error });
  }
  throw usage(`Cannot make the folder "${path}": there is a file of that name.`, `Give a folder to ${option}.`);
}

function cannotMake(path: string, { option, cause }: { readonly option: string; readonly cause: unknown }): VarveError {
  return new VarveError('VARVE_STORE_IO', `Cannot make the folder "${path}": ${codeOf(cause)}.`, {
    fix: `Give ${option} a folder on a disk that this process may write to.`,
    cause,
  });
}

/** What the system calls an error: `ENOENT`, `EACCES`, …; the text of any other. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
