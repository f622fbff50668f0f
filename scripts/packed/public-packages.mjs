import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * What is read of a package.json.
 *
 * @typedef {{
 *   readonly name: string,
 *   readonly version: string,
 *   readonly private?: boolean,
 *   readonly dependencies?: Readonly<Record<string, string>>,
 *   readonly peerDependencies?: Readonly<Record<string, string>>,
 *   readonly exports: Readonly<Record<string, { readonly types?: string }>>,
 * }} Manifest
 */
/** @typedef {{ readonly folder: string, readonly manifest: Manifest }} PublicPackage */
/**
 * A package as its users get it: the manifest is the one in the tarball.
 *
 * @typedef {PublicPackage & {
 *   readonly tarball: string,
 *   readonly paths: readonly string[],
 *   readonly data: Buffer,
 * }} PackedPackage
 */

const root = join(import.meta.dirname, '../..');

/** Every package of this repository that is not private, folders in full. @returns {readonly PublicPackage[]} */
export function publicPackages() {
  return ['packages', 'plugins']
    .flatMap((group) => readdirSync(join(root, group)).map((name) => join(root, group, name)))
    .filter((folder) => existsSync(join(folder, 'package.json')))
    .map((folder) => ({ folder, manifest: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) }))
    .filter(({ manifest }) => manifest.private !== true);
}

/**
 * Packs public packages into a new folder.
 *
 * @param {string} into
 * @param {readonly string[]} [only]  Names of those that are packed, with what they need of this repository. @default all
 * @returns {readonly PackedPackage[]}
 */
export function packAll(into, only) {
  mkdirSync(into);
  const wanted = only === undefined ? publicPackages() : withNeeds(only);
  return wanted.map(({ folder }) => {
    const words = ['pack', '--json', '--pack-destination', into];
    const { filename, files } = JSON.parse(execFileSync('pnpm', words, { cwd: folder, encoding: 'utf8' }));
    const tarball = resolve(folder, filename);
    const text = execFileSync('tar', ['-xOzf', tarball, 'package/package.json'], { encoding: 'utf8' });
    return {
      folder,
      manifest: JSON.parse(text),
      tarball,
      paths: files.map((/** @type {{ readonly path: string }} */ { path }) => path),
      data: readFileSync(tarball),
    };
  });
}

/** @param {readonly string[]} names @returns {readonly PublicPackage[]} */
function withNeeds(names) {
  const known = new Map(publicPackages().map((one) => [one.manifest.name, one]));
  /** @type {Map<string, PublicPackage>} */
  const needed = new Map();
  /** @param {string} name */
  const take = (name) => {
    const one = known.get(name);
    if (one === undefined || needed.has(name)) return;
    needed.set(name, one);
    const { dependencies = {}, peerDependencies = {} } = one.manifest;
    for (const other of Object.keys({ ...dependencies, ...peerDependencies })) take(other);
  };
  for (const name of names) take(name);
  return [...needed.values()];
}
