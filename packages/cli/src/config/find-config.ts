import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { VarveError } from '@varve/core';

/** Names of configurations; those that are programs first. */
const configNames: readonly string[] = [
  ...['varve.config.ts', 'varve.config.mts', 'varve.config.js', 'varve.config.mjs'],
  ...['varve.config.json5', 'varve.config.json'],
];

/** Where a configuration may lie. */
export interface FindConfigOptions {
  /** Looked in first, then in the folders above it. */
  readonly cwd: string;
  /** Where the way up ends. */
  readonly home: string;
  /** The folder of the store, which is looked in last. */
  readonly root: string;
}

/**
 * Finds the configuration of a working folder: in it, in one above it up to the home folder or the root of a repository,
 * or in the store. `null` for none.
 *
 * @throws VARVE_CONFIG_UNREADABLE  for two in one folder, or one that is a program of somebody else.
 */
export function findConfig({ cwd, home, root }: FindConfigOptions): string | null {
  for (const folder of [...foldersAbove(resolve(cwd), home), resolve(root)]) {
    const found = configNames.map((name) => join(folder, name)).filter((path) => existsSync(path));
    const [file, other] = found;
    if (file === undefined) continue;
    if (other !== undefined) {
      throw new VarveError('VARVE_CONFIG_UNREADABLE', `There are two configurations: "${file}" and "${other}".`, {
        fix: 'Keep one of them, or name one with --config.',
      });
    }
    requireOwn(file);
    return file;
  }
  return null;
}

function foldersAbove(cwd: string, home: string): readonly string[] {
  const folders = [cwd];
  let folder = cwd;
  while (folder !== home && folder !== dirname(folder) && !existsSync(join(folder, '.git'))) {
    folder = dirname(folder);
    folders.push(folder);
  }
  return folders;
}

/** What was found and not named must not run as a program when somebody else put it there, as into /tmp. */
function requireOwn(file: string): void {
  const user = process.getuid?.();
  const { uid } = statSync(file);
  if (user === undefined || uid === user || uid === 0 || /\.json5?$/.test(file)) return;
  throw new VarveError('VARVE_CONFIG_UNREADABLE', `"${file}" belongs to another user, and would be run.`, {
    fix: `Name it with --config if you trust it, or work in another folder.`,
    details: { file, uid },
  });
}
