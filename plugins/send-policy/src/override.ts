import type { JsonValue, Milliseconds } from '@varve/core';
import { z } from 'zod';

/** What the owner has said of one session. A type, since it is stored: JSON. */
export type Override = {
  readonly mode: 'allow' | 'deny' | 'inherit';
  /** Until when it holds; `null` for ever. */
  readonly until: Milliseconds | null;
  /** When it was said; `null` where nobody knows. */
  readonly at: Milliseconds | null;
};

/** Words for the three modes, in commands and settings. */
export const modeOfWord: ReadonlyMap<string, Override['mode']> = new Map([
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

/** What cannot be read might forbid something. */
const unreadable: Override = { mode: 'deny', until: null, at: null };

/** Reads a value of the setting `send`: a word, or `{ mode, until, at }`. What cannot be read denies. `null` for none. */
export function readOverride(value: JsonValue | undefined): Override | null {
  if (value === undefined || value === null) return null;
  const { success, data } = stored.safeParse(typeof value === 'string' ? { mode: value } : value);
  const mode = success ? modeOfWord.get(data.mode) : undefined;
  if (!success || mode === undefined) return unreadable;
  return { mode, until: data.until ?? null, at: data.at ?? null };
}

/**
 * The override while it holds; `null` where rules decide.
 *
 * @throws RangeError  when there is no time to compare with.
 */
export function overrideInForce(override: Override | null, now: Milliseconds): Override | null {
  if (override === null || override.mode === 'inherit') return null;
  if (override.until === null) return override;
  if (!Number.isFinite(now)) throw new RangeError('There is no time.');
  return now < override.until ? override : null;
}
