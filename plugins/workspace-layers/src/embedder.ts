import { z } from 'zod';

/** Turns texts into vectors, so that notes can be found by what they mean. Hosts make one around a model of theirs. */
export interface Embedder {
  /** Names the model: vectors of two ids are never compared. */
  readonly id: string;
  /** One vector a text, all of one length, in their order. May throw: then notes are found by their words alone. */
  embed(texts: readonly string[], options: { readonly signal: AbortSignal }): Promise<readonly (readonly number[])[]>;
}

/** Schema of an embedder, which may be an instance of a class: no object schema, for those make copies. */
export const embedderSchema: z.ZodType<Embedder, Embedder> = z
  .unknown()
  .meta({ type: 'object' })
  .refine(isEmbedder, 'Must be an embedder: { id, embed(texts, { signal }) }') as unknown as z.ZodType<
  Embedder,
  Embedder
>;

function isEmbedder(given: unknown): boolean {
  if (typeof given !== 'object' || given === null) return false;
  const { id, embed } = given as Partial<Embedder>;
  return typeof id === 'string' && id !== '' && typeof embed === 'function';
}
