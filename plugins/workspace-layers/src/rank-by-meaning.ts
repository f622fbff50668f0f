import { untilAborted, VarveError } from '@varve/core';
import type { Embedder } from './embedder.ts';

/** Texts in one call of an embedder. */
const batchSize = 64;

/** Vectors that are kept: what is beyond is worked out again. */
const mostVectors = 20_000;

/** Texts by their ids, and what they are ranked with. */
export interface MeaningOptions {
  readonly texts: ReadonlyMap<number, string>;
  readonly embedder: Embedder;
  /** Vectors of texts that are known already; new ones are added. */
  readonly vectors: Map<string, readonly number[]>;
  readonly limit: number;
  readonly signal: AbortSignal;
}

/**
 * The texts that mean something like the query, the nearest first; or why they could not be ranked.
 *
 * @throws VARVE_ABORTED  when the signal is aborted.
 */
export async function rankByMeaning(
  query: string,
  { texts, embedder, vectors, limit, signal }: MeaningOptions,
): Promise<{ readonly ids: readonly number[] } | { readonly failure: string }> {
  if (texts.size === 0) return { ids: [] };
  try {
    const [asked] = await embedAll([query], { embedder, signal });
    const missing = [...new Set(texts.values())].filter((text) => !vectors.has(text));
    const made = await embedAll(missing, { embedder, signal });
    for (const [index, text] of missing.entries()) vectors.set(text, made[index] ?? []);
    const near = [...texts].map(([id, text]) => ({ id, nearness: cosine(asked ?? [], vectors.get(text) ?? []) }));
    for (const text of [...vectors.keys()].slice(0, Math.max(0, vectors.size - mostVectors))) vectors.delete(text);
    const ranked = near.filter(({ nearness }) => nearness > 0).sort((a, b) => b.nearness - a.nearness || a.id - b.id);
    return { ids: ranked.slice(0, limit).map(({ id }) => id) };
  } catch (error) {
    if (signal.aborted && VarveError.is(error, 'VARVE_ABORTED')) throw error;
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}

async function embedAll(
  texts: readonly string[],
  { embedder, signal }: Pick<MeaningOptions, 'embedder' | 'signal'>,
): Promise<readonly (readonly number[])[]> {
  const vectors: (readonly number[])[] = [];
  for (let from = 0; from < texts.length; from += batchSize) {
    const batch = texts.slice(from, from + batchSize);
    const made: unknown = await untilAborted(Promise.resolve(embedder.embed(batch, { signal })), signal);
    if (!areVectors(made, batch.length)) throw new Error(`${embedder.id} did not give one vector a text`);
    vectors.push(...made);
  }
  return vectors;
}

function areVectors(made: unknown, count: number): made is readonly (readonly number[])[] {
  if (!Array.isArray(made) || made.length !== count) return false;
  return made.every((vector: unknown) => Array.isArray(vector) && vector.length > 0 && vector.every(Number.isFinite));
}

/** Nearness from -1 to 1; 0 for vectors that cannot be compared. */
function cosine(a: readonly number[], b: readonly number[]): number {
  if (a.length !== b.length) return 0;
  let [dot, lengthA, lengthB] = [0, 0, 0];
  for (const [index, value] of a.entries()) {
    const other = b[index] ?? 0;
    dot += value * other;
    lengthA += value * value;
    lengthB += other * other;
  }
  return lengthA === 0 || lengthB === 0 ? 0 : dot / Math.sqrt(lengthA * lengthB);
}
