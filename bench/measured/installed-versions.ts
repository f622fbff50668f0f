import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Names and versions of packages, as they are installed for the benchmarks. */
export function installedVersions(packages: readonly string[]): readonly string[] {
  return packages.map((name) => {
    const file = join(import.meta.dirname, '../node_modules', name, 'package.json');
    if (!existsSync(file)) return `${name} (not installed)`;
    return `${name} ${String((JSON.parse(readFileSync(file, 'utf8')) as { version: unknown }).version)}`;
  });
}
