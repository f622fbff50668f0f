import { z } from 'zod';
import { VarveError } from '../errors.ts';
import { firstIssue } from '../first-issue.ts';
import { bestOf } from './best-hits.ts';
import { createDocumentTerms, type DocumentTerms, docOf, type Selection, timesOf } from './document-terms.ts';
import { visitTerms } from './read-terms.ts';

/** A text to be found, under an id of the caller's. */
export interface LexicalDocument {
  readonly id: string | number;
  readonly text: string;
}

/** What is looked for: a text, or several that count more or less. A word counts once, however often it comes. */
export type LexicalQuery = string | readonly { readonly text: string; readonly weight: number }[];

/** What a search may return. */
export interface LexicalSearchOptions {
  /** Most hits. @default 10 */
  readonly limit?: number | undefined;
  /**
   * Which documents there are for this search. Those that it refuses have no part in it: neither as hits nor in how rare
   * a word is. *Contract:* pure; called once a document. @default all
   */
  readonly filter?: ((id: string | number) => boolean) | undefined;
  /**
   * Which documents are one text for this search: those that were added one behind another and for which it gives the same
   * number. A hit then has the id of the first of them. *Contract:* pure; called once a document. @default each by itself
   */
  readonly groupOf?: ((id: string | number) => number) | undefined;
  /** See {@link LexicalIndexOptions}. @default those of the index */
  readonly k1?: number | undefined;
  readonly b?: number | undefined;
}

/** A document that has words of the query. */
export interface LexicalHit {
  readonly id: string | number;
  /** Above 0; it compares hits of one search alone. */
  readonly score: number;
}

/** How an index scores, and how much it holds. */
export interface LexicalIndexOptions {
  /** How fast more of the same word stops to count. @default 0.9 */
  readonly k1?: number | undefined;
  /** How much long texts are held back, 0 to 1. @default 0.5 */
  readonly b?: number | undefined;
  /** Beyond this many documents the oldest fall out. At most 16 000 000. @default 100 000 */
  readonly maxDocuments?: number | undefined;
  /** Beyond this many different terms the oldest documents fall out, an eighth at a time. @default 1 000 000 */
  readonly maxTerms?: number | undefined;
}

/** Texts that can be found by their words, in memory. */
export interface LexicalIndex {
  /** Documents that can be found. */
  readonly size: number;
  has(id: string | number): boolean;
  /** Adds a text as the newest one; one with the same id is replaced. */
  add(document: LexicalDocument): void;
  /** Takes a text out as if it had never been added; false when there is none. */
  remove(id: string | number): boolean;
  /**
   * The documents with words of the query, best first; of equals, the one that was added first. Among more than 10,000
   * documents, words that more than a fifth of them have count only where the others find fewer than `limit`.
   */
  search(query: LexicalQuery, options?: LexicalSearchOptions): readonly LexicalHit[];
}

const optionsSchema = z.strictObject({
  k1: z.number().min(0).max(10).default(0.9),
  b: z.number().min(0).max(1).default(0.5),
  maxDocuments: z.int().min(1).max(16_000_000).default(100_000),
  maxTerms: z.int().min(1).default(1_000_000),
});

/**
 * Makes an empty index that ranks texts by BM25 over the terms of `termsOfText`. Needs no model and nothing of Node; the
 * same documents and query give the same hits everywhere. 100,000 texts of 140 tokens take about 100 MB.
 *
 * @throws VARVE_OPTION_INVALID
 */
export function createLexicalIndex(given: LexicalIndexOptions = {}): LexicalIndex {
  const options = checkOptions(given);
  const documents = createDocumentTerms(options);
  /** Of one search, all 0 between two: work and memory of a search depend on its hits. */
  let scores = new Float64Array(0);
  return {
    get size() {
      return documents.live();
    },
    has: (id) => documents.numberOf(id) !== undefined,
    add: ({ id, text }) => documents.add(id, text),
    remove: (id) => documents.remove(id),
    search: (query, { limit = 10, k1 = options.k1, b = options.b, ...by } = {}) => {
      const weights = weightsOf(query);
      const field = documents.select(by);
      if (scores.length < documents.end()) scores = new Float64Array(documents.end() * 2);
      const touched = score(documents, { k1, b, weights, field, scores, limit });
      const best = bestOf(touched, { limit: Math.max(0, limit), scores });
      const hits = best.map((doc) => ({ id: documents.idOf(doc), score: scores[doc] as number }));
      for (const doc of touched) scores[doc] = 0;
      return hits;
    },
  };
}

function checkOptions(given: LexicalIndexOptions): z.output<typeof optionsSchema> {
  const result = optionsSchema.safeParse(given);
  if (result.success) return result.data;
  const { path, why } = firstIssue(result.error);
  throw new VarveError('VARVE_OPTION_INVALID', `The option at ${path} is not valid: ${why}`, {
    fix: 'Give { k1, b, maxDocuments, maxTerms } as the type LexicalIndexOptions describes them.',
    details: { path },
  });
}

/** The terms of a query in the order of their first appearance, each with what it counts. */
function weightsOf(query: LexicalQuery): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  const texts = typeof query === 'string' ? [{ text: query, weight: 1 }] : query;
  for (const { text, weight } of texts) {
    visitTerms(text, (term) => weights.set(term, Math.max(weights.get(term) ?? 0, weight)));
  }
  return weights;
}

/** From so many documents on, words that most of them have cost more than they tell. */
const manyDocuments = 10_000;
const commonShare = 0.2;

/** What a search scores by. */
interface Scoring {
  readonly k1: number;
  readonly b: number;
  readonly weights: ReadonlyMap<string, number>;
  readonly field: Selection;
  /** All 0 at first. */
  readonly scores: Float64Array;
  readonly limit: number;
}

/** Adds up the scores of all documents, and returns those that have any. */
function score(documents: DocumentTerms, scoring: Scoring): Uint32Array {
  const { weights, field, limit } = scoring;
  const touched: number[] = [];
  const mostCount = field.count > manyDocuments ? field.count * commonShare : Infinity;
  const common: string[] = [];
  for (const term of weights.keys()) {
    if (!scoreTerm(documents, { ...scoring, term, touched, mostCount })) common.push(term);
  }
  if (touched.length >= limit) return Uint32Array.from(touched);
  for (const term of common) scoreTerm(documents, { ...scoring, term, touched, mostCount: Infinity });
  return Uint32Array.from(touched);
}

/** Adds what one term says to the scores; false when more documents have it than `mostCount`. */
function scoreTerm(
  documents: DocumentTerms,
  {
    k1,
    b,
    weights,
    field,
    scores,
    term,
    touched,
    mostCount,
  }: Scoring & { readonly term: string; readonly touched: number[]; readonly mostCount: number },
): boolean {
  const weight = weights.get(term) ?? 0;
  const { postings, count } = documents.postingsOf(term, field);
  if (count > mostCount) return false;
  if (count === 0 || !(weight > 0)) return true;
  const average = Math.max(1, field.length) / Math.max(1, field.count);
  // Rounded, for the last digit of a logarithm depends on the machine.
  const rarity = Math.fround(Math.log(1 + (field.count - count + 0.5) / (count + 0.5)));
  for (let index = 0; index < count; index += 1) {
    const posting = postings[index] as number;
    const doc = docOf(posting);
    const times = timesOf(posting);
    const damping = k1 * (1 - b + (b * ((field.lengths[doc] as number) - 1)) / average);
    const before = scores[doc] as number;
    if (before === 0) touched.push(doc);
    scores[doc] = before + (weight * rarity * times * (k1 + 1)) / (times + damping);
  }
  return true;
}
