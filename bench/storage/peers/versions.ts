import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const packages = [
  '@varve/core',
  '@varve/stores',
  '@varve/sessions',
  '@mariozechner/pi-coding-agent',
  'better-sqlite3',
  '@langchain/langgraph',
  '@langchain/langgraph-checkpoint-sqlite',
] as const;

/** Names and versions of what is measured, as they are installed. */
export function installedVersions(): readonly string[] {
  return packages.map((name) => {
    const file = join(import.meta.dirname, '../../node_modules', name, 'package.json');
    if (!existsSync(file)) return `${name} (not installed)`;
    return `${name} ${String((JSON.parse(readFileSync(file, 'utf8')) as { version: unknown }).version)}`;
  });
}
