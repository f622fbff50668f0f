import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const packages = [
  '@varve/core',
  '@mariozechner/pi-coding-agent',
  '@langchain/core',
  'langchain',
  '@langchain/langgraph',
  '@langchain/langgraph-checkpoint-sqlite',
  'better-sqlite3',
  'ai',
  'tokenx',
  'gpt-tokenizer',
  'tapable',
  'hookable',
  'eventemitter3',
] as const;

/** Names and versions of what is measured, as they are installed. */
export function installedVersions(): readonly string[] {
  return packages.map((name) => {
    const file = join(import.meta.dirname, '../../node_modules', name, 'package.json');
    if (!existsSync(file)) return `${name} (not installed)`;
    return `${name} ${String((JSON.parse(readFileSync(file, 'utf8')) as { version: unknown }).version)}`;
  });
}
