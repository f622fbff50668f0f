import { readFile } from 'node:fs/promises';
import { API_VERSION } from '@varve/core';
import type { ScaffoldKind, ScaffoldName } from './scaffold-name.ts';

/** A file of what is begun, by its path in the folder. */
export interface ScaffoldFile {
  readonly path: string;
  readonly text: string;
}

const templates = new URL('../../../templates/', import.meta.url);

/** Files that every kind has, copied as they are. Its package.json is made out of a template. */
const filesOfAll: readonly string[] = ['tsconfig.json', 'gitignore'];

/** Files of one kind, in its names. */
const filesOfKind: Readonly<Record<ScaffoldKind, readonly string[]>> = {
  plugin: ['README.md', 'src/index.ts', 'suite/contract.ts'],
  engine: ['README.md', 'src/index.ts', 'suite/contract.ts'],
  store: ['README.md', 'src/check.ts', 'src/index.ts', 'suite/contract.ts'],
};

/** What npm leaves out of packages, or runners of tests would find, has another name among the templates. */
const renamed: Readonly<Record<string, string>> = {
  gitignore: '.gitignore',
  'package.template.json': 'package.json',
  'suite/contract.ts': 'test/contract.test.ts',
};

/** The files of a package that passes its contract as it is, with the versions of this command line. */
export async function scaffoldFiles(name: ScaffoldName, kind: ScaffoldKind): Promise<readonly ScaffoldFile[]> {
  const read = (path: string): Promise<string> => readFile(new URL(path, templates), 'utf8');
  const every = filesOfAll.map(async (path) => ({ path, text: await read(`every/${path}`) }));
  const own = filesOfKind[kind].map(async (path) => ({ path, text: named(await read(`${kind}/${path}`), name) }));
  const manifest = await manifestText(await read('every/package.template.json'), { name, kind });
  const files = [{ path: 'package.template.json', text: manifest }, ...(await Promise.all([...every, ...own]))];
  return files.map(({ path, text }) => ({ path: renamed[path] ?? path, text }));
}

/** What stands in the templates for names and versions. */
const placeholder = /varve-template|acme\/template|\btemplate(?:Plugin|Engine|Store)\b|apiVersion: '\^1\.0\.0'/g;

/** Puts the names in the place of those of the templates, all at once: a name may have another's placeholder in it. */
function named(text: string, { packageName, partName, identifier }: ScaffoldName): string {
  const values: Readonly<Record<string, string>> = {
    'varve-template': packageName,
    'acme/template': partName,
    "apiVersion: '^1.0.0'": `apiVersion: '^${API_VERSION}'`,
  };
  return text.replaceAll(placeholder, (found) => values[found] ?? identifier);
}

/** An engine is found as a plugin, too: one registers it. */
const keywordsOf: Readonly<Record<ScaffoldKind, readonly string[]>> = {
  plugin: ['varve-plugin'],
  engine: ['varve-plugin', 'varve-engine'],
  store: ['varve-store'],
};

interface Manifest {
  readonly keywords: readonly string[];
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

async function manifestText(
  template: string,
  { name, kind }: { readonly name: ScaffoldName; readonly kind: ScaffoldKind },
): Promise<string> {
  const read = JSON.parse(template) as Manifest;
  const versions = await installedVersions();
  const ranged = (dependencies: Readonly<Record<string, string>>, rangeOf: (version: string) => string) =>
    Object.fromEntries(
      Object.entries(dependencies)
        .filter(([dependency]) => kind !== 'store' || dependency !== 'zod')
        .map(([dependency, range]) => {
          const version = versions[dependency];
          return [dependency, range !== '*' || version === undefined ? range : rangeOf(version)];
        }),
    );
  const manifest = {
    ...read,
    name: name.packageName,
    description: `A ${kind} for Varve.`,
    keywords: [...read.keywords, ...keywordsOf[kind]],
    varve: kind === 'store' ? { kind, check: './dist/src/check.js' } : { kind },
    peerDependencies: ranged(read.peerDependencies, untilNextMajor),
    devDependencies: ranged(read.devDependencies, (version) => `^${version}`),
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

/** From this version on: a peer should not be more choosy than it has to be. */
function untilNextMajor(version: string): string {
  const major = Number(version.split('.')[0]);
  return `>=${version} <${major + 1}.0.0`;
}

/** Versions of the packages that this command line runs with. */
async function installedVersions(): Promise<Readonly<Record<string, string>>> {
  const { createRequire } = await import('node:module');
  const require = createRequire(import.meta.url);
  const versionOf = async (path: string): Promise<string> => {
    const { version } = JSON.parse(await readFile(path, 'utf8')) as { readonly version: string };
    return version;
  };
  const others = ['@varve/core', '@varve/testkit', 'zod'].map(
    async (name) => [name, await versionOf(require.resolve(`${name}/package.json`))] as const,
  );
  const own = await versionOf(require.resolve('../../../package.json'));
  return { ...Object.fromEntries(await Promise.all(others)), '@varve/cli': own };
}
