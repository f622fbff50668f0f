import { z } from 'zod';

/** What every entry of a journal has; what else depends on its type. */
export interface EntryShape {
  readonly v: number;
  readonly id: string;
  readonly parentId: string | null;
  readonly seq: number;
  readonly at: number;
  readonly type: string;
}

/** One line of a journal, as it is stored. */
export const entryShape: z.ZodType<EntryShape> = z
  .looseObject({
    v: z.int(),
    id: z.string(),
    parentId: z.string().nullable(),
    seq: z.int(),
    at: z.number(),
    type: z
      .string()
      .describe('`message`, `compaction`, `edit`, `setting`, `state`, `head`, `revoke`, `request`, or `plugin:kind`.'),
  })
  .meta({ id: 'Entry' });

/** A verdict with its reason. */
export interface VerdictShape {
  readonly kind: string;
  readonly rule?: string | undefined;
  readonly by?: string | undefined;
}

/** Why an entry is, or is not, in a prompt. */
export const verdictShape: z.ZodType<VerdictShape> = z
  .looseObject({
    kind: z.string().describe('`kept`, `edited`, `cleared`, `parked`, `dropped`, `summarised` or `off-path`.'),
    rule: z.string().optional(),
    by: z.string().optional(),
  })
  .meta({ id: 'Verdict' });

/** How a compaction ended. */
export interface OutcomeShape {
  readonly status: string;
  readonly why: string;
  readonly trigger: string;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

/** How a compaction ended, with its entry. */
export const outcomeShape: z.ZodType<OutcomeShape> = z
  .looseObject({
    status: z.string().describe('`compacted`, or why not: `nothing-to-do`, `stale`, `irreducible`, …'),
    why: z.string(),
    trigger: z.string(),
    tokensBefore: z.number(),
    tokensAfter: z.number(),
    entry: entryShape.nullable().describe('The compaction as it is stored.'),
  })
  .meta({ id: 'CompactOutcome' });
