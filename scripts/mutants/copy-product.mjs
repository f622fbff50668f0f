import { cpSync, existsSync, mkdirSync, readdirSync, realpathSync, symlinkSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';

/** What of a package is needed to run it. */
const parts = ['package.json', 'bin', 'dist'];

/**
 * Copies the built packages, so that they can be changed: packages of the copy use each other, and share with the
 * original what was installed.
 *
 * @returns {string} The command line of the copy.
 */
export function copyProduct({ from, to }) {
  const packages = ['packages', 'plugins'].flatMap((group) =>
    readdirSync(join(from, group)).map((name) => join(group, name)),
  );
  for (const path of packages) {
    if (!existsSync(join(from, path, 'package.json'))) continue;
    if (!existsSync(join(from, path, 'dist'))) continue;
    mkdirSync(join(to, path), { recursive: true });
    for (const part of parts) {
      if (existsSync(join(from, path, part))) cpSync(join(from, path, part), join(to, path, part), { recursive: true });
    }
    linkModules(join(path, 'node_modules'), { from, to });
  }
  return join(to, 'packages/cli/bin/varve.js');
}

function linkModules(folder, { from, to }) {
  if (!existsSync(join(from, folder))) return;
  for (const name of readdirSync(join(from, folder))) {
    if (name.startsWith('.')) continue;
    const path = join(folder, name);
    if (name.startsWith('@')) {
      linkModules(path, { from, to });
      continue;
    }
    const target = realpathSync(join(from, path));
    const inside = relative(realpathSync(from), target);
    const isOwn = inside.startsWith(`packages${sep}`) || inside.startsWith(`plugins${sep}`);
    mkdirSync(dirname(join(to, path)), { recursive: true });
    symlinkSync(isOwn ? join(to, inside) : target, join(to, path), 'junction');
  }
}
