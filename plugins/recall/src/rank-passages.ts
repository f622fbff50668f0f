import { type AskedDate, dateFit } from './asked-dates.ts';

/** What the rank of a passage depends on beside its words. */
export interface RankedPassage {
  /** Terms of the speaker's names; empty for a role. */
  readonly nameTerms: readonly string[];
  /** When it was said, as `2026-03-02`. */
  readonly day: string;
  /** The stretch of the conversation that it belongs to. */
  readonly stretch: number;
  /** Said by somebody, not printed by a tool or written into a call. */
  readonly isSaid: boolean;
}

/** How much each part of a score counts; the words themselves count 1. */
export interface RankWeights {
  /** How well the whole stretch fits. */
  readonly stretch: number;
  /** Said by somebody whom the question names. */
  readonly speaker: number;
  /** Said on a day that the question names. */
  readonly date: number;
  /** Of the score of the passages right beside it. */
  readonly near: number;
  /** Of the score of those one farther away. */
  readonly far: number;
}

/**
 * Found on long dialogues: neighbours count most (an answer seldom repeats the words of its question), then who speaks,
 * the stretch, and the date.
 */
export const rankWeights: RankWeights = { stretch: 0.2, speaker: 0.45, date: 0.3, near: 0.2, far: 0.2 };

/** What passages are ranked for. */
export interface RankQuestion {
  /** How well the words of each passage fit, by its place; 0 for those without any. */
  readonly wordScores: Float64Array;
  /** The same of each stretch, by its number. */
  readonly stretchScores: ReadonlyMap<number, number>;
  readonly terms: ReadonlySet<string>;
  readonly dates: readonly AskedDate[];
}

/** The score of each passage for a question, by its place; passages are in the order of the conversation. */
export function rankPassages(
  passages: readonly RankedPassage[],
  { wordScores, stretchScores, terms, dates }: RankQuestion,
  weights: RankWeights = rankWeights,
): Float64Array {
  const bestWord = wordScores.reduce((best, score) => Math.max(best, score), 0) || 1;
  const bestStretch = Math.max(...stretchScores.values(), 0) || 1;
  const own = Float64Array.from(passages, ({ nameTerms, day, stretch, isSaid }, place) => {
    const words = (wordScores[place] ?? 0) / bestWord;
    const around = isSaid ? (stretchScores.get(stretch) ?? 0) / bestStretch : 0;
    const isNamed = nameTerms.some((term) => terms.has(term));
    const date = dates.length === 0 ? 0 : dateFit(day, dates);
    return words + weights.stretch * around + (isNamed ? weights.speaker : 0) + weights.date * date;
  });
  /** What stands beside a passage, if one goes on with the other: talk does, what tools print seldom does. */
  const beside = (place: number, distance: number): number => {
    const [passage, other] = [passages[place], passages[place + distance]];
    if (passage === undefined || other === undefined || passage.stretch !== other.stretch) return 0;
    return passage.isSaid && other.isSaid ? (own[place + distance] ?? 0) : 0;
  };
  return own.map((score, place) => {
    const near = beside(place, -1) + beside(place, 1);
    const far = beside(place, -2) + beside(place, 2);
    return score + weights.near * near + weights.far * far;
  });
}
