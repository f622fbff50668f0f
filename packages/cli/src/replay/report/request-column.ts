import type { RequestEntry } from '@varve/core';
import type { PictureMark, PictureRequest } from '@varve/gateway/inspector';
import type { RequestRow } from '../request-row.ts';

/** What a row does not say. */
interface ColumnPlace {
  readonly number: number;
  /** The request as the journal has it. */
  readonly stored: RequestEntry | undefined;
}

/** A row of a replay as a column of the picture. */
export function columnOf(row: RequestRow, { number, stored }: ColumnPlace): PictureRequest {
  const { at, model, tokens, budget, layers, actions, cacheRead, cacheWrite, uncached, cost, everything } = row;
  return {
    number,
    seq: stored?.seq ?? null,
    at,
    model,
    tokens,
    budget,
    layers,
    marks: marksOf(row),
    actions,
    firstChangedByte: stored?.firstChangedByte ?? null,
    cache: { read: cacheRead, write: cacheWrite, uncached, cost, everything: everything.cost },
    error: row.error?.message ?? row.invalid ?? null,
  };
}

function marksOf({ actions, dropped, error, invalid }: RequestRow): readonly PictureMark[] {
  const marks = new Set<PictureMark>();
  if (error !== undefined || invalid !== undefined) marks.add('failed');
  for (const action of actions) {
    if (action.startsWith('compaction')) marks.add('compaction');
    else marks.add(action === 'model' ? 'model' : 'prune');
  }
  if (dropped > 0) marks.add('cut');
  return [...marks];
}
