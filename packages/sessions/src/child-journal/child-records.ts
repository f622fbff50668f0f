import type { Session } from '@varve/core';
import { stateOfSession } from '@varve/core/host';
import { z } from 'zod';

/** Types of the records that a sub-agent's journal holds about itself. */
export const childRecords = {
  spawned: 'sessions:spawned',
  resumed: 'sessions:resumed',
  ended: 'sessions:ended',
  delivered: 'sessions:delivered',
} as const;

/** Where a parent was written to from, as the way out of conversations takes it. */
interface ParentAddress {
  readonly channel: string | null;
  readonly account: string | null;
  readonly peer: string;
  readonly threadId: string | null;
}

/** What a sub-agent was begun for. Stands in its journal before its first message. */
export interface SpawnedRecord {
  readonly childKey: string;
  readonly spawnId: string;
  readonly parentKey: string;
  /** The generation of the parent that began it. */
  readonly parentSessionId: string;
  readonly task: string;
  readonly label: string;
  readonly mode: 'isolated' | 'fork';
  readonly cleanup: 'keep' | 'delete';
  /** 1 for the child of a conversation that is no sub-agent itself. */
  readonly depth: number;
  readonly timeoutMs: number;
  readonly at: number;
  /** Where the parent was written to from then: there its end is announced, whoever writes later. `null` for nowhere. */
  readonly returnTo: ParentAddress | null;
}

/** How it ended. Durable before anybody is told. */
export interface EndedRecord {
  readonly childKey: string;
  readonly completionId: string;
  readonly status: 'done' | 'failed' | 'stopped' | 'timeout';
  readonly text: string;
}

/** What a sub-agent's journal says about itself. */
export interface ChildJournal {
  /** `null` for a session that is no sub-agent, or whose beginning was cut short. */
  readonly spawned: SpawnedRecord | null;
  readonly ended: EndedRecord | null;
  /** Whether its end is with its parent, and nothing is left to do. */
  readonly isDelivered: boolean;
  /** How often it went on after a restart. */
  readonly resumes: number;
}

const addressSchema: z.ZodType<ParentAddress> = z.object({
  channel: z.string().nullable(),
  account: z.string().nullable(),
  peer: z.string(),
  threadId: z.string().nullable(),
});

const spawnedSchema: z.ZodType<SpawnedRecord> = z.object({
  childKey: z.string(),
  spawnId: z.string(),
  parentKey: z.string(),
  parentSessionId: z.string(),
  task: z.string(),
  label: z.string(),
  mode: z.enum(['isolated', 'fork']),
  cleanup: z.enum(['keep', 'delete']),
  depth: z.number(),
  timeoutMs: z.number(),
  at: z.number(),
  // Records of before there was one have none.
  returnTo: addressSchema.nullable().default(null),
});

const endedSchema: z.ZodType<EndedRecord> = z.object({
  childKey: z.string(),
  completionId: z.string(),
  status: z.enum(['done', 'failed', 'stopped', 'timeout']),
  text: z.string(),
});

const ofChildSchema = z.object({ childKey: z.string() });
const resumedSchema = z.object({ childKey: z.string(), times: z.number() });

/** Reads it. What a fork has copied of another sub-agent is not its own: each record names whom it is about. */
export function readChild(session: Session): ChildJournal {
  const { records } = stateOfSession(session);
  const { key } = session.info();
  const own = <Shape extends { readonly childKey: string }>(type: string, shape: z.ZodType<Shape>): Shape | null => {
    const { data } = shape.safeParse(records[type]);
    return data?.childKey === key ? data : null;
  };
  return {
    spawned: own(childRecords.spawned, spawnedSchema),
    ended: own(childRecords.ended, endedSchema),
    isDelivered: own(childRecords.delivered, ofChildSchema) !== null,
    resumes: own(childRecords.resumed, resumedSchema)?.times ?? 0,
  };
}

/** The name of a sub-agent's one end: whoever finds it, finds the same. */
export function completionIdOf(childKey: string): string {
  return `subagent-end:${childKey}`;
}
