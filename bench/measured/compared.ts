import type { Interleaved } from '../interleave.ts';
import { type ComparisonRow, milliseconds } from './comparison-row.ts';

/** What the rows of one measurement have in common. */
export interface Measurement {
  readonly workload: string;
  readonly measured: Interleaved;
  /** Name of our contender. */
  readonly own: string;
  /** Said in front of the contender's name, where a workload has several measurements. @default nothing */
  readonly of?: string | undefined;
}

/** What a row must and should reach. */
export interface Limits {
  readonly must?: number | undefined;
  readonly goal?: number | undefined;
}

/** How many times our time a peer takes. */
export function againstPeer(measurement: Measurement, peer: string, limits: Limits = {}): ComparisonRow {
  const { workload, measured, own, of } = measurement;
  const name = of === undefined ? peer : `${of}: ${peer}`;
  const figure = measured.ratio(peer, own);
  const detail = `${milliseconds(measured.spread(peer).median)}, ours ${milliseconds(measured.spread(own).median)}`;
  return { workload, name, what: `${name} / ours`, figure, unit: '×', better: 'more', detail, ...limits };
}

/** How many times the time of a limit ours takes. */
export function againstLimit(measurement: Measurement, limit: string, limits: Limits = {}): ComparisonRow {
  const { workload, measured, own, of } = measurement;
  const name = of === undefined ? limit : `${of}: ${limit}`;
  const figure = measured.ratio(own, limit);
  const detail = `ours ${milliseconds(measured.spread(own).median)}, ${milliseconds(measured.spread(limit).median)}`;
  return { workload, name, what: `ours / ${name}`, figure, unit: '×', better: 'less', detail, ...limits };
}
