import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Source } from './inspect-source.ts';

const root = join(import.meta.dirname, '../..');

/** Every source file of every package and plugin. */
export function readSources(): Source[] {
  return ['packages', 'plugins'].flatMap(packagesIn).flatMap(sourcesOf);
}

/** Every package in a folder; one whose package.json is missing is a leftover of a build. */
function packagesIn(group: string): string[] {
  const packages = readdirSync(join(root, group)).map((name) => `${group}/${name}`);
  return packages.filter((path) => readdirSync(join(root, path)).includes('package.json'));
}

function sourcesOf(path: string): Source[] {
  const manifest = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'));
  const declared = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
  return readdirSync(join(root, path, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${path}/src/${name.replaceAll('\\', '/')}`)
    .map((file) => ({ path: file, text: readFileSync(join(root, file), 'utf8'), declared }));
}
