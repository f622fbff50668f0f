import { usualDigest } from '../strategies/digest-shares.ts';
import type { Point } from './search-space.ts';

/** What the preset has by default. */
export const usualPoint: Point = {
  firstNote: 0.12,
  question: 0.02,
  note: 0.02,
  noteTokens: 600,
  minScore: 0.25,
  identifiers: 0.6,
  neighbours: 2,
  identifierWeight: 1,
  ...usualDigest,
};
