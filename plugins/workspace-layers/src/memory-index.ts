import { createLexicalIndex } from '@varve/core';
import type { Embedder } from './embedder.ts';
import type { Note } from './note.ts';
import { type Passage, passagesOf } from './passage.ts';
import { rankByMeaning } from './rank-by-meaning.ts';
import type { MemoryFile } from './workspace.ts';

/** What is looked for, and who looks. */
interface MemoryQuery<Other> {
  readonly query: string;
  readonly limit: number;
  readonly signal: AbortSignal;
  /** What was found by its words elsewhere, the best first: it is ranked together with the notes. */
  readonly others: readonly Other[];
  mayShow(note: Note): boolean;
}

/** What was found, the best first. */
interface MemoryHits<Other> {
  readonly found: readonly (Passage | Other)[];
  /** Why meanings were not compared, where they should have been; `null` when all went well. */
  readonly failure: string | null;
}

/** Finds notes by their words and, with an embedder, by their meaning. */
export interface MemoryIndex {
  /** Searches the files as they are now. Notes that may not be shown are left out before anything is scored. */
  search<Other extends { readonly text: string }>(
    files: readonly MemoryFile[],
    query: MemoryQuery<Other>,
  ): Promise<MemoryHits<Other>>;
}

/** Of each ranking this many times the limit are merged. */
export const spare = 4;

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
    search: async (files, { query, limit, signal, others, mayShow }) => {
      update(files);
      const isOpen = (id: number | string): boolean => {
        const passage = passages.get(Number(id));
        return passage !== undefined && mayShow(passage.note);
      };
      const hits = lexical.search(query, { limit: limit * spare, filter: isOpen });
      const byWords = [hits.flatMap(({ id }) => passages.get(Number(id)) ?? []), others];
      const merged = mergeRanks<Passage | (typeof others)[number]>(byWords).slice(0, limit);
      if (embedder === null) return { found: merged, failure: null };
      const open = [...[...passages.values()].filter(({ note }) => mayShow(note)), ...others];
      const texts = new Map(open.map(({ text }, place) => [place, text]));
      const ranked = await rankByMeaning(query, { texts, embedder, vectors, limit: limit * spare, signal });
      if ('failure' in ranked) return { found: merged, failure: ranked.failure };
      const byMeaning = ranked.ids.flatMap((place) => open[place] ?? []);
      return {
        found: mergeRanks<Passage | (typeof others)[number]>([...byWords, byMeaning]).slice(0, limit),
        failure: null,
      };
    },
  };
}

/** Reciprocal rank fusion: what stands high in several rankings wins; equals stay in the order of the first. */
function mergeRanks<Found>(rankings: readonly (readonly Found[])[]): readonly Found[] {
  const scores = new Map<Found, number>();
  for (const ranking of rankings) {
    for (const [rank, found] of ranking.entries())
      scores.set(found, (scores.get(found) ?? 0) + 1 / (damping + rank + 1));
  }
  return [...scores].sort(([, a], [, b]) => b - a).map(([found]) => found);
}

/** The day that a file is named after, so that it can be asked for; empty for other files. */
function nameOfDay(path: string): string {
  return /\/(\d{4}-\d{2}-\d{2})[^/]*$/.exec(path)?.[1] ?? '';
}
