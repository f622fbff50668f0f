import { usualDigest } from '../strategies/digest-shares.ts';
import type { Point } from './search-space.ts';

/** What the preset has by default. */
export const usualPoint: Point = {
  firstNote: 0.18,
  question: 0.08,
  note: 0.04,
  noteTokens: 600,
  minScore: 0.5,
  identifiers: 0.6,
  neighbours: 2,
  identifierWeight: 1,
  ...usualDigest,
};
