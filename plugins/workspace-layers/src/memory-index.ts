import { createLexicalIndex } from '@varve/core';
import type { Embedder } from './embedder.ts';
import type { Note } from './note.ts';
import { type Passage, passagesOf } from './passage.ts';
import { rankByMeaning } from './rank-by-meaning.ts';
import type { MemoryFile } from './workspace.ts';

/** What is looked for, and who looks. */
interface MemoryQuery {
  readonly query: string;
  readonly limit: number;
  readonly signal: AbortSignal;
  mayShow(note: Note): boolean;
}

/** The passages that were found, the best first. */
interface MemoryHits {
  readonly passages: readonly Passage[];
  /** Why meanings were not compared, where they should have been; `null` when all went well. */
  readonly failure: string | null;
}

/** Finds notes by their words and, with an embedder, by their meaning. */
export interface MemoryIndex {
  /** Searches the files as they are now. Notes that may not be shown are left out before anything is scored. */
  search(files: readonly MemoryFile[], query: MemoryQuery): Promise<MemoryHits>;
}

/** Of each ranking this many times the limit are merged. */
const spare = 4;

/** Reciprocal ranks are damped by this much, so that the first of one ranking does not win against all others. */
const damping = 60;

/** Makes an empty index. */
export function createMemoryIndex(embedder: Embedder | null): MemoryIndex {
  const lexical = createLexicalIndex();
  const passages = new Map<number, Passage>();
  const indexed = new Map<string, { readonly notes: readonly Note[]; readonly ids: readonly number[] }>();
  const vectors = new Map<string, readonly number[]>();
  let lastId = 0;

  const remove = (path: string): void => {
    for (const id of indexed.get(path)?.ids ?? []) {
      lexical.remove(id);
      passages.delete(id);
    }
    indexed.delete(path);
  };
  const update = (files: readonly MemoryFile[]): void => {
    const paths = new Set(files.map(({ path }) => path));
    for (const path of [...indexed.keys()]) if (!paths.has(path)) remove(path);
    for (const file of files) {
      if (indexed.get(file.path)?.notes === file.notes) continue;
      remove(file.path);
      const ids = passagesOf(file).map((passage) => {
        lastId += 1;
        lexical.add({ id: lastId, text: `${nameOfDay(file.path)} ${passage.text}`.trim() });
        passages.set(lastId, passage);
        return lastId;
      });
      indexed.set(file.path, { notes: file.notes, ids });
    }
  };

  return {
    search: async (files, { query, limit, signal, mayShow }) => {
      update(files);
      const isOpen = (id: number): boolean => {
        const passage = passages.get(id);
        return passage !== undefined && mayShow(passage.note);
      };
      const filter = (id: number | string): boolean => isOpen(Number(id));
      const byWords = lexical.search(query, { limit: limit * spare, filter }).map(({ id }) => Number(id));
      const found = (ids: readonly number[]): readonly Passage[] =>
        ids.slice(0, limit).flatMap((id) => passages.get(id) ?? []);
      if (embedder === null) return { passages: found(byWords), failure: null };
      const open = new Map([...passages].filter(([id]) => isOpen(id)).map(([id, { text }]) => [id, text]));
      const ranked = await rankByMeaning(query, { texts: open, embedder, vectors, limit: limit * spare, signal });
      if ('failure' in ranked) return { passages: found(byWords), failure: ranked.failure };
      return { passages: found(mergeRanks([byWords, ranked.ids])), failure: null };
    },
  };
}

/** Reciprocal rank fusion: what stands high in several rankings wins; equals stay in the order of the first. */
function mergeRanks(rankings: readonly (readonly number[])[]): readonly number[] {
  const scores = new Map<number, number>();
  for (const ids of rankings) {
    for (const [rank, id] of ids.entries()) scores.set(id, (scores.get(id) ?? 0) + 1 / (damping + rank + 1));
  }
  return [...scores].sort(([, a], [, b]) => b - a).map(([id]) => id);
}

/** The day that a file is named after, so that it can be asked for; empty for other files. */
function nameOfDay(path: string): string {
  return /\/(\d{4}-\d{2}-\d{2})[^/]*$/.exec(path)?.[1] ?? '';
}
