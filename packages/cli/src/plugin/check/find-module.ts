import { stat } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { type CheckSettings, type Manifest, manifestAbove, readManifest, unloadable } from './read-manifest.ts';

/** A module that is to be checked, and what its package says about it. */
export interface FoundModule {
  /** The module, absolute. */
  readonly entry: string;
  /** Folder of its package, absolute. */
  readonly folder: string;
  /** Name of its package; `null` for a file that belongs to none. */
  readonly packageName: string | null;
  readonly settings: CheckSettings;
}

/**
 * Finds what was named: a folder with a package, a file, or an installed package.
 *
 * @param target  As it was typed; a path is one from `cwd`.
 * @throws VARVE_PLUGIN_UNLOADABLE
 */
export async function findModule(target: string, { cwd }: { readonly cwd: string }): Promise<FoundModule> {
  const path = resolve(cwd, target);
  const kind = await kindOf(path);
  if (kind === 'file') {
    const manifest = await manifestAbove(path);
    return {
      entry: path,
      folder: manifest?.folder ?? dirname(path),
      packageName: manifest?.name ?? null,
      settings: manifest?.settings ?? {},
    };
  }
  const manifest = kind === 'folder' ? await readManifest(path) : await installed(target, cwd);
  if (manifest !== null) return moduleOf(manifest);
  throw kind === 'folder'
    ? unloadable(`"${path}" has no package.json.`, 'Name the folder of a package, or a file that Node can import.')
    : unloadable(
        `There is no file, folder or installed package "${target}".`,
        'Check the name, or install the package in this folder.',
      );
}

async function moduleOf({ folder, name, entry, settings }: Manifest): Promise<FoundModule> {
  const said = settings.check ?? entryOf(entry) ?? 'index.js';
  const path = resolve(folder, said);
  const inside = relative(folder, path);
  if (inside.startsWith('..') || isAbsolute(inside)) {
    throw unloadable(`The package "${name ?? folder}" names a file outside of it: "${said}".`, 'Name a file inside.');
  }
  if ((await kindOf(path)) === 'file') return { entry: path, folder, packageName: name, settings };
  throw unloadable(
    `The package "${name ?? folder}" says that its module is "${said}", and there is no such file.`,
    'Build it first, as with npm run build.',
  );
}

/** A package in the `node_modules` of a folder, or of one above it. */
async function installed(name: string, cwd: string): Promise<Manifest | null> {
  if (!/^(@[^/@]+\/)?[^/@.][^/@]*$/.test(name)) return null;
  for (let folder = cwd; ; folder = dirname(folder)) {
    const found = await readManifest(join(folder, 'node_modules', name));
    if (found !== null || folder === dirname(folder)) return found;
  }
}

/** What `exports` names for `import`, under the conditions of this process; `null` for nothing. */
function entryOf(exports: unknown): string | null {
  if (typeof exports === 'string') return exports;
  if (Array.isArray(exports)) return exports.map(entryOf).find((one) => one !== null) ?? null;
  if (typeof exports !== 'object' || exports === null) return null;
  const entries = Object.entries(exports);
  if (Object.hasOwn(exports, '.')) return entryOf((exports as Readonly<Record<string, unknown>>)['.']);
  for (const [condition, value] of entries) {
    const found = conditions().has(condition) ? entryOf(value) : null;
    if (found !== null) return found;
  }
  return null;
}

function conditions(): ReadonlySet<string> {
  const own = process.execArgv.flatMap((argument) => /^(?:--conditions|-C)=(.+)$/.exec(argument)?.[1] ?? []);
  return new Set(['node', 'import', 'module-sync', 'default', ...own]);
}

async function kindOf(path: string): Promise<'file' | 'folder' | null> {
  const found = await stat(path).catch(() => null);
  return found === null ? null : found.isDirectory() ? 'folder' : 'file';
}
