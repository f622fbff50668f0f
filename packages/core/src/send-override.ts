import { z } from 'zod';
import type { JsonValue } from './json-value.ts';
import type { Milliseconds } from './units.ts';

/** What the owner has said of what may leave one session: a value of the setting `send`. A type, since it is stored: JSON. */
export type SendOverride = {
  readonly mode: 'allow' | 'deny' | 'inherit';
  /** Until when it holds; `null` for ever. */
  readonly until: Milliseconds | null;
  /** When it was said; `null` where nobody knows. */
  readonly at: Milliseconds | null;
};

const modes: ReadonlyMap<string, SendOverride['mode']> = new Map([
  ['on', 'allow'],
  ['allow', 'allow'],
  ['off', 'deny'],
  ['deny', 'deny'],
  ['inherit', 'inherit'],
  ['default', 'inherit'],
  ['reset', 'inherit'],
]);

const moment = z.number().nullish();
const stored = z.strictObject({ mode: z.string(), until: moment, at: moment });

/** The mode that a word of a command or of the setting means: `on`, `off`, `inherit`, and others; `undefined` for none. */
export function sendModeOf(word: string): SendOverride['mode'] | undefined {
  return modes.get(word);
}

/** Reads a value of the setting `send`: a word, or `{ mode, until, at }`. What cannot be read denies. `null` for none. */
export function readSendOverride(value: JsonValue | undefined): SendOverride | null {
  if (value === undefined || value === null) return null;
  const { data } = stored.safeParse(typeof value === 'string' ? { mode: value } : value);
  const mode = data === undefined ? undefined : modes.get(data.mode);
  // What cannot be read might forbid something.
  if (data === undefined || mode === undefined) return { mode: 'deny', until: null, at: null };
  return { mode, until: data.until ?? null, at: data.at ?? null };
}

/**
 * The override while it holds; `null` where rules decide.
 *
 * @throws RangeError  when there is no time to compare with.
 */
export function sendOverrideInForce(override: SendOverride | null, now: Milliseconds): SendOverride | null {
  if (override === null || override.mode === 'inherit') return null;
  if (override.until === null) return override;
  if (!Number.isFinite(now)) throw new RangeError('There is no time.');
  return now < override.until ? override : null;
}

/**
 * What holds of the setting `send` where generations come together, as in a fork or a return: of the denials that are in
 * force the one that holds longest; where none is, what the first of them says, `null` for nothing. The first is whose
 * word is the newest: what an earlier one allowed does not come back.
 *
 * @throws RangeError  when there is no time to compare with.
 */
export function strictestSend(values: readonly (JsonValue | undefined)[], now: Milliseconds): JsonValue {
  let strictest = values[0] ?? null;
  let end = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    const inForce = sendOverrideInForce(readSendOverride(value), now);
    const until = inForce?.until ?? Number.POSITIVE_INFINITY;
    if (value === undefined || inForce?.mode !== 'deny' || until <= end) continue;
    strictest = value;
    end = until;
  }
  return strictest;
}
