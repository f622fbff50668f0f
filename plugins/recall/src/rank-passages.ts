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
interface RankWeights {
  /** How well the whole stretch fits. */
  readonly stretch: number;
  /** Said by somebody whom the question names. */
  readonly speaker: number;
  /** Said on a day that the question names. */
  readonly date: number;
  /** Of the score of each passage beside it. */
  readonly beside: number;
}

/**
 * Found on long dialogues: neighbours count most (an answer seldom repeats the words of its question), then who speaks,
 * the stretch, and the date.
 */
const weights: RankWeights = { stretch: 0.2, speaker: 0.45, date: 0.3, beside: 0.2 };

/** What passages are ranked for. Passages are named by their places. */
export interface RankQuestion {
  /** The passages that may fit; with those beside them no others are looked at. */
  readonly candidates: Iterable<number>;
  /** How well the words of passages fit; of those that are not there, not at all. */
  readonly wordScores: ReadonlyMap<number, number>;
  /** The same of each stretch, by its number. */
  readonly stretchScores: ReadonlyMap<number, number>;
  readonly terms: ReadonlySet<string>;
  readonly dates: readonly AskedDate[];
  /** How far from a passage others gain by it. */
  readonly neighbours: number;
}

/** A passage by its place, and how well it fits; more than 0. */
export interface Rank {
  readonly place: number;
  readonly score: number;
}

/**
 * The passages that fit a question, best first, of equals the newer one; passages are in the order of the conversation.
 * What it costs depends on the candidates, not on how many passages there are.
 */
export function rankPassages(passages: readonly RankedPassage[], question: RankQuestion): readonly Rank[] {
  const { candidates, neighbours } = question;
  const ownScore = ownScores(passages, question);
  /** What stands beside a passage, if one goes on with the other: talk does, what tools print seldom does. */
  const beside = (place: number, distance: number): number => {
    const [passage, other] = [passages[place], passages[place + distance]];
    if (passage === undefined || other === undefined || passage.stretch !== other.stretch) return 0;
    return passage.isSaid && other.isSaid ? ownScore(place + distance) : 0;
  };
  const places = new Set<number>();
  for (const candidate of candidates) {
    for (let place = candidate - neighbours; place <= candidate + neighbours; place += 1) {
      if (place >= 0 && place < passages.length) places.add(place);
    }
  }
  const ranks: Rank[] = [];
  for (const place of places) {
    let around = 0;
    for (let distance = 1; distance <= neighbours; distance += 1) {
      around += beside(place, -distance) + beside(place, distance);
    }
    const score = ownScore(place) + weights.beside * around;
    if (score > 0) ranks.push({ place, score });
  }
  return ranks.sort((a, b) => b.score - a.score || b.place - a.place);
}

/** How well passages fit by themselves; each is worked out once. */
function ownScores(
  passages: readonly RankedPassage[],
  { wordScores, stretchScores, terms, dates }: RankQuestion,
): (place: number) => number {
  const bestWord = highest(wordScores.values());
  const bestStretch = highest(stretchScores.values());
  const fits = new Map<string, number>();
  const fitOf = (day: string): number => {
    const fit = fits.get(day) ?? dateFit(day, dates);
    fits.set(day, fit);
    return fit;
  };
  const known = new Map<number, number>();
  const score = (place: number): number => {
    const { nameTerms, day, stretch, isSaid } = passages[place] as RankedPassage;
    const words = (wordScores.get(place) ?? 0) / bestWord;
    const around = isSaid ? (stretchScores.get(stretch) ?? 0) / bestStretch : 0;
    const isNamed = terms.size > 0 && nameTerms.some((term) => terms.has(term));
    const date = dates.length === 0 ? 0 : fitOf(day);
    return words + weights.stretch * around + (isNamed ? weights.speaker : 0) + weights.date * date;
  };
  return (place) => {
    const own = known.get(place) ?? score(place);
    known.set(place, own);
    return own;
  };
}

/** The highest of some scores; 1 where there is none. */
function highest(scores: Iterable<number>): number {
  let best = 0;
  for (const score of scores) best = Math.max(best, score);
  return best || 1;
}
