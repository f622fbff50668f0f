import type { Store } from '@varve/core';
import { z } from 'zod';

/** Which earlier conversations are searched, and how much of them is kept in memory. */
export interface PastSessionsOptions {
  /** Where the journals of the sessions are: the host's own store. It is read alone, and never closed. */
  readonly store: Store;
  /** Sessions that one search looks at, those that were last updated. @default 100 */
  readonly maxSessions?: number | undefined;
  /** Text whose words are kept; a short message counts as 200 characters. @default 20 000 000 */
  readonly maxChars?: number | undefined;
}

/** The options with their defaults. */
export interface SettledPastOptions {
  readonly store: Store;
  readonly maxSessions: number;
  readonly maxChars: number;
}

/** No object schema: those make copies, and a copy of an instance has no methods. */
const storeSchema: z.ZodType<Store, Store> = z
  .unknown()
  .meta({ type: 'object' })
  .refine(isStore, 'Must be a store: the one that the host was given') as unknown as z.ZodType<Store, Store>;

function isStore(given: unknown): boolean {
  if (typeof given !== 'object' || given === null) return false;
  const { open, sessions } = given as Partial<Store>;
  return typeof open === 'function' && typeof sessions?.get === 'function' && typeof sessions.list === 'function';
}

/** Schema of the options. */
export const pastOptions: z.ZodType<SettledPastOptions, PastSessionsOptions> = z.strictObject({
  store: storeSchema.describe("Where the sessions' journals are: the host's own store."),
  maxSessions: z.int().min(1).max(10_000).default(100).describe('Sessions that one search looks at, the newest.'),
  maxChars: z
    .int()
    .min(10_000)
    .max(1_000_000_000)
    .default(20_000_000)
    .describe('Text whose words are kept in memory; a short message counts as 200 characters.'),
});
