import type { Usage } from '../message.ts';
import { reportedTokens } from '../reported-tokens.ts';
import type { Seq, Tokens } from '../units.ts';
import type { Entry, RequestEntry } from './entry.ts';

/** What providers have reported of prompts, against what was counted for them. Of one model, since its last compaction. */
export interface Calibration {
  /** How many of the model's tokens one counted token is; budgets work with it. */
  readonly factor: number;
  /** The same as the reports have it, smoothed. `factor` follows in steps: it moves the cut of a prompt. */
  readonly smoothed: number;
  /** Number of reports behind it. */
  readonly samples: number;
  /** The last request, as long as its answer has not come. */
  readonly request: {
    readonly counted: Tokens;
    readonly window: Tokens | null;
    /** Seq of the last entry that belongs to the request: it, or its edits. */
    readonly endSeq: Seq;
  } | null;
  /** The last prompt that was reported. */
  readonly last: { readonly counted: Tokens; readonly reported: Tokens } | null;
}

/** Where nothing has been reported. */
export const uncalibrated: Calibration = { factor: 1, smoothed: 1, samples: 0, request: null, last: null };

/** No counter is off by more, so no report may say so. */
const leastFactor = 0.8;
const mostFactor = 2;

/** A report beyond these is not about this prompt, or leaves out what came from a cache. */
const leastRatio = 0.5;
const mostRatio = 4;

/** Of a prompt that is shorter than this, what frames messages weighs too much. */
const leastCounted = 500;

/** A prompt cannot grow by more tokens than bytes were appended, which are about four for a counted token. */
const mostGrowth = 4;
const growthSlack = 1_000;

/** Weight of a new report, and how far the factor may be off before it follows. */
const weight = 0.3;
const tolerance = 0.05;

/**
 * Reduces one more entry. Pure. A report counts when it answers the last request, and no compaction, undo or move of the
 * head came between; a compaction or another model begins anew.
 *
 * @param model  The model in force before the entry.
 */
export function calibrate(
  calibration: Calibration,
  entry: Entry,
  { model }: { readonly model: string | null },
): Calibration {
  switch (entry.type) {
    case 'message':
      return entry.message.role === 'assistant' ? answered(calibration, entry.usage) : calibration;
    case 'request':
      return asked(model === null || model === entry.model ? calibration : uncalibrated, entry);
    case 'edit':
      return edited(calibration, entry.seq);
    case 'setting':
      return entry.name === 'model' && entry.value !== model ? uncalibrated : calibration;
    case 'compaction':
      return uncalibrated;
    case 'head':
    case 'revoke':
      return withoutRequest(calibration);
    default:
      return calibration;
  }
}

function asked(calibration: Calibration, entry: RequestEntry): Calibration {
  const { tokens, reserved = 0, window = null, seq } = entry;
  return { ...calibration, request: { counted: tokens + reserved, window, endSeq: seq } };
}

/** The edits that a request committed stand right behind it; any others change what was counted. */
function edited(calibration: Calibration, seq: Seq): Calibration {
  const { request } = calibration;
  if (request === null || seq !== request.endSeq + 1) return withoutRequest(calibration);
  return { ...calibration, request: { ...request, endSeq: seq } };
}

function withoutRequest(calibration: Calibration): Calibration {
  return calibration.request === null ? calibration : { ...calibration, request: null };
}

function answered(calibration: Calibration, usage: Usage | null | undefined): Calibration {
  const { request, last, smoothed, samples, factor } = calibration;
  if (request === null) return calibration;
  const next = { ...calibration, request: null };
  if (usage === undefined || usage === null) return next;
  const { counted, window } = request;
  const parts = [usage.inputTokens, usage.cacheReadTokens, usage.cacheWriteTokens].map(reportedTokens);
  const reported = parts.reduce((sum, part) => sum + part, 0);
  const ratio = reported / counted;
  const isCredible =
    counted >= leastCounted && ratio >= leastRatio && ratio <= mostRatio && reported <= (window ?? Infinity);
  if (!isCredible) return next;
  const now = { ...next, last: { counted, reported } };
  if (last !== null && isJump({ counted, reported }, last)) return now;
  const value = samples === 0 ? ratio : smoothed + weight * (ratio - smoothed);
  const bounded = rounded(Math.min(mostFactor, Math.max(leastFactor, value)), 4);
  const follows = Math.abs(bounded / factor - 1) > tolerance;
  return { ...now, smoothed: bounded, samples: samples + 1, factor: follows ? rounded(bounded, 2) : factor };
}

function isJump(now: NonNullable<Calibration['last']>, before: NonNullable<Calibration['last']>): boolean {
  const appended = Math.max(0, now.counted - before.counted);
  return now.reported - before.reported > mostGrowth * appended + growthSlack;
}

function rounded(value: number, digits: number): number {
  return Math.round(value * 10 ** digits) / 10 ** digits;
}
