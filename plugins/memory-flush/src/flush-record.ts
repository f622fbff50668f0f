import type { JsonValue, Seq, SessionView, Ulid } from '@varve/core';
import { z } from 'zod';

/** How a flush ended. */
export interface FlushRecord {
  /** The compaction that began the cycle; `null` for the first one. */
  readonly cycle: Ulid | null;
  /**
   * `saved` and `nothing` end the cycle, and so does `given-up`; after `failed` and `skipped` the next compaction tries
   * again.
   */
  readonly status: 'saved' | 'nothing' | 'failed' | 'given-up' | 'skipped';
  /** What happened, in a sentence. */
  readonly why: string;
  /** Failures in this cycle. */
  readonly failures: number;
  /** Failures since `savedSeq` has grown last, in whatever cycle. */
  readonly stuck: number;
  /** Up to where the first of these failures had read; 0 for none. */
  readonly stuckSeq: Seq;
  /** The last entry from which everything worth it has been saved; 0 for none. */
  readonly savedSeq: Seq;
  /** Whether there was more than one flush can read: the next cycle goes on behind `savedSeq`. */
  readonly more: boolean;
  /** Notes that were written. */
  readonly notes: number;
  /** File that they were written to; `null` for none. */
  readonly path: string | null;
}

const recordSchema: z.ZodType<FlushRecord> = z.object({
  cycle: z.string().nullable(),
  status: z.enum(['saved', 'nothing', 'failed', 'given-up', 'skipped']),
  why: z.string(),
  failures: z.number(),
  savedSeq: z.number(),
  // Records of earlier versions do not say these.
  stuck: z.number().default(0),
  stuckSeq: z.number().default(0),
  more: z.boolean().default(false),
  notes: z.number(),
  path: z.string().nullable(),
});

/** The kind of the plugin's records: entries of the type `memory-flush:flush`. */
export const flushKind = 'flush';

/** The last record of a session; `null` when there is none, or none that can be read. */
export function lastFlush(session: SessionView): FlushRecord | null {
  return recordSchema.safeParse(session.lastRecord(flushKind)).data ?? null;
}

/** Whether the cycle has had its flush. */
export function isOver(last: FlushRecord | null, cycle: Ulid | null): boolean {
  return last !== null && last.cycle === cycle && last.status !== 'failed' && last.status !== 'skipped';
}

/** A record as it is stored. */
export function asJson(record: FlushRecord): JsonValue {
  return { ...record };
}
