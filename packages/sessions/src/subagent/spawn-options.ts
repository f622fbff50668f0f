import type { Milliseconds } from '@varve/core';
import { VarveError } from '@varve/core';
import { z } from 'zod';

/** A task for another session. */
export interface SpawnOptions {
  /** What is to be done, with all that it takes: an isolated one sees nothing else. */
  readonly task: string;
  /** Who does it. @default the parent's agent */
  readonly agentId?: string | undefined;
  /** Begins with nothing, or with what the parent's model sees. @default 'isolated' */
  readonly mode?: 'isolated' | 'fork' | undefined;
  /** A few words for people and for the parent's model. @default the beginning of the task */
  readonly label?: string | undefined;
  /** `delete` archives the conversation when its result is with the parent. @default 'keep' */
  readonly cleanup?: 'keep' | 'delete' | undefined;
  /** Short name, or provider/model. @default as `SubagentOptions.model` says */
  readonly model?: string | undefined;
  /** @default as `SubagentOptions.timeoutMs` says */
  readonly timeoutMs?: Milliseconds | undefined;
  /** The caller's own name for it: the same parent and name twice is the same sub-agent, also after a restart. */
  readonly spawnId?: string | undefined;
  /** Ends the sub-agent as `stopped`; aborted before it began, none begins. */
  readonly signal?: AbortSignal | undefined;
}

/** How a sub-agent ended. */
export interface ChildEnd {
  readonly childKey: string;
  /** The parent's journal has at most one message with it. */
  readonly completionId: string;
  /** `done`: it answered. `failed`: it could not. `stopped`: somebody ended it. `timeout`: it took too long. */
  readonly status: 'done' | 'failed' | 'stopped' | 'timeout';
  /** Its last answer, or why there is none. Longer ones are shortened in the middle. */
  readonly text: string;
}

/** A sub-agent that has begun. */
export interface Spawned {
  readonly childKey: string;
  readonly sessionId: string;
  readonly spawnId: string;
  /**
   * Resolves when its end is durable, before the parent is told. Rejects with VARVE_SESSION_CLOSED when the sessions are
   * closed first: `recover` goes on with it.
   */
  readonly ended: Promise<ChildEnd>;
}

const signal = z.custom<AbortSignal>(
  (value) => typeof value === 'object' && value !== null && 'aborted' in value && 'addEventListener' in value,
  { error: 'it is no AbortSignal' },
);

/** Longest label, in characters. */
export const maxLabelChars = 80;

const schema: z.ZodType = z.strictObject({
  task: z.string().refine((text) => text.trim() !== '', { error: 'it is blank' }),
  agentId: z.string().min(1).optional(),
  mode: z.enum(['isolated', 'fork']).optional(),
  label: z.string().optional(),
  cleanup: z.enum(['keep', 'delete']).optional(),
  model: z.string().min(1).optional(),
  timeoutMs: z.number().positive().optional(),
  spawnId: z.string().min(1).optional(),
  signal: signal.optional(),
} satisfies Record<keyof SpawnOptions, z.ZodType>);

/** Checks what a sub-agent is asked for, which may come from plain JavaScript. @throws VARVE_OPTION_INVALID */
export function checkSpawn(options: SpawnOptions): void {
  const [issue] = schema.safeParse(options).error?.issues ?? [];
  if (issue === undefined) return;
  const path = issue.path.map(String).join('.');
  throw new VarveError('VARVE_OPTION_INVALID', `A sub-agent cannot begin with its "${path}": ${issue.message}.`, {
    fix: 'Give { task } and what else SpawnOptions describes.',
    details: { path },
  });
}
