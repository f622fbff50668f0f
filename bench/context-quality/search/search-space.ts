import type { RecallOptions } from '@varve/plugin-recall';
import { usualDigest } from '../strategies/digest-shares.ts';
import type { ProductSettings } from '../strategies/product-modes.ts';

/** Everything that is searched: a value for each parameter. */
export interface Point {
  readonly firstNote: number;
  readonly question: number;
  readonly note: number;
  readonly noteTokens: number;
  readonly minScore: number;
  readonly identifiers: number;
  readonly neighbours: number;
  readonly identifierWeight: number;
  readonly userLog: number;
  readonly ledger: number;
  readonly recent: number;
}

/** A parameter. */
export type ParameterName = keyof Point;

/** Values that are tried of each parameter, in this order. */
export const searchSpace: Readonly<Record<ParameterName, readonly number[]>> = {
  question: [0.02, 0.05, 0.08, 0.12],
  firstNote: [0.06, 0.12, 0.18, 0.25],
  note: [0.02, 0.04, 0.06],
  minScore: [0.25, 0.4, 0.5, 0.6],
  identifiers: [0.3, 0.6, 0.8],
  ledger: [0.15, 0.2, 0.25, 0.3],
  userLog: [0.1, 0.15, 0.2],
  recent: [0.45, 0.6],
  noteTokens: [300, 600],
  neighbours: [1, 2, 3],
  identifierWeight: [0.5, 1, 2],
};

/** Their names. */
export const parameterNames = Object.keys(searchSpace) as readonly ParameterName[];

/** What a point means for the preset. */
export function settingsOf(point: Point): ProductSettings {
  const { firstNote, question, note, noteTokens, minScore, identifiers, neighbours, identifierWeight } = point;
  const { userLog, ledger, recent } = point;
  const isUsual = userLog === usualDigest.userLog && ledger === usualDigest.ledger && recent === usualDigest.recent;
  const recall: RecallOptions = {
    mode: 'cache-friendly',
    shares: { firstNote, question, note, identifiers },
    noteTokens,
    minScore,
    neighbours,
    weights: { identifiers: identifierWeight },
  };
  return { pruning: 'auto', recall, digest: isUsual ? null : { userLog, ledger, recent } };
}

/** A point in words, those values alone that another one has not. */
export function differenceOf(point: Point, from: Point): string {
  const changed = parameterNames.filter((name) => point[name] !== from[name]);
  return changed.map((name) => `${name} ${from[name]} → ${point[name]}`).join(', ') || 'as it is';
}
