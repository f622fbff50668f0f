import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative, sep } from 'node:path';

/** The repository that this example is a part of. */
export const repositoryRoot: string = realpathSync(join(import.meta.dirname, '../..'));

/** A copy of the repository in which the commands of the dialogue run: nothing here is changed by them. */
export interface WorkingCopy {
  readonly root: string;
  /** Links the packages of a new workspace package, as an installation would. */
  install(): void;
}

/** Not copied: what tools made, what is not ours, what is hidden, and the examples, of which the session writes one. */
const leftOut: ReadonlySet<string> = new Set(['node_modules', 'dist', 'coverage', 'LICENSE', 'examples']);

/** The tests of core that there were before the session: the bug that it is about was not found by any of them. */
const coreTests: ReadonlySet<string> = new Set(
  'budget digest identifiers ledger memory-store plugins render-digest session token-counter token-estimator'
    .split(' ')
    .map((name) => `packages/core/test/${name}.test.ts`),
);

const hiddenButCopied: ReadonlySet<string> = new Set(['.gitignore']);

/** Makes a working copy in the system's folder for temporary files. */
export function makeWorkingCopy(): WorkingCopy {
  const parent = realpathSync(mkdtempSync(join(tmpdir(), 'varve-recording-')));
  const root = join(parent, 'varve');
  cpSync(repositoryRoot, root, { recursive: true, filter: isCopied });
  linkModules('', { root });
  for (const name of workspacePackages()) linkModules(name, { root });
  return { root, install: () => linkModules('examples/redactor', { root }) };
}

function isCopied(path: string): boolean {
  if (path === repositoryRoot) return true;
  const name = basename(path);
  const place = relative(repositoryRoot, path).replaceAll(sep, '/');
  if (/^packages\/core\/test\/[^/]+\.test\.ts$/.test(place)) return coreTests.has(place);
  return !leftOut.has(name) && (!name.startsWith('.') || hiddenButCopied.has(name));
}

function workspacePackages(): string[] {
  return ['packages', 'plugins'].flatMap((group) =>
    readdirSync(join(repositoryRoot, group)).map((name) => `${group}/${name}`),
  );
}

/** Links what is installed in a package; packages of the workspace lead to the copy, not to the original. */
function linkModules(name: string, { root }: { readonly root: string }): void {
  const installed = join(repositoryRoot, name, 'node_modules');
  if (!existsSync(installed)) return;
  for (const module of modulesIn(installed)) {
    // The package that the session writes must be installed before it runs, whatever the root has by now.
    if (name === '' && module === 'zod') continue;
    const target = realpathSync(join(installed, module));
    const inside = relative(repositoryRoot, target);
    const isWorkspace = !inside.startsWith('..') && !inside.split(sep).includes('node_modules');
    const link = join(root, name, 'node_modules', module);
    mkdirSync(dirname(link), { recursive: true });
    if (!existsSync(link)) symlinkSync(isWorkspace ? join(root, inside) : target, link);
  }
}

function modulesIn(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    if (name.startsWith('.') && name !== '.bin') return [];
    return name.startsWith('@') ? readdirSync(join(folder, name)).map((child) => `${name}/${child}`) : [name];
  });
}
