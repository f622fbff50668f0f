import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLexicalIndex } from '@varve/core';
import { Index } from 'flexsearch';
import MiniSearch from 'minisearch';

/** An index of words, as all of them are used here: texts under numbers. */
export interface SearchEngine {
  add(id: number, text: string): void;
  /** The best ten. */
  search(query: string): readonly number[];
}

/** Names of what is measured. */
export type EngineName = 'varve' | 'minisearch' | 'flexsearch';

/** Each as it comes, asked for any of the words; none keeps the texts themselves. */
export const engines: Readonly<Record<EngineName, () => SearchEngine>> = {
  varve: () => {
    const index = createLexicalIndex({ maxDocuments: 1_000_000 });
    return {
      add: (id, text) => index.add({ id, text }),
      search: (query) => index.search(query).map(({ id }) => Number(id)),
    };
  },
  minisearch: () => {
    const index = new MiniSearch<{ id: number; text: string }>({ fields: ['text'] });
    return {
      add: (id, text) => index.add({ id, text }),
      search: (query) =>
        index
          .search(query)
          .slice(0, 10)
          .map(({ id }) => Number(id)),
    };
  },
  flexsearch: () => {
    const index = new Index({ tokenize: 'strict' });
    return {
      add: (id, text) => void index.add(id, text),
      search: (query) =>
        (index.search(query, { limit: 10, suggest: true }) as readonly (number | string)[]).map(Number),
    };
  },
};

/** The version of the package behind an engine. */
export function versionOf(engine: EngineName): string {
  const path = engine === 'varve' ? '@varve/core' : engine;
  const file = join(import.meta.dirname, '../node_modules', path, 'package.json');
  return String((JSON.parse(readFileSync(file, 'utf8')) as { version: unknown }).version);
}
