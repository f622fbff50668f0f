import { type Milliseconds, type Tokens, VarveError } from '@varve/core';
import { z } from 'zod';

/** A sub-agent that is about to begin. */
export interface PreparedSpawn {
  readonly parentKey: string;
  readonly childKey: string;
  readonly agentId: string;
  readonly task: string;
}

/** How sub-agents are begun, bounded and brought home. */
export interface SubagentOptions {
  /** How deep sub-agents may begin others: 1 lets a conversation have some, and those none. @default 1 */
  readonly maxDepth?: number | undefined;
  /** Most that run for one conversation at a time. @default 5 */
  readonly maxChildren?: number | undefined;
  /** Most that run in this process at a time. @default 50 */
  readonly maxRunning?: number | undefined;
  /** Agents that may get a task of another one; `'*'` stands for all. Its own agent always may. @default none */
  readonly allowAgents?: readonly string[] | undefined;
  /** The model of those for which none is asked. @default that of the parent */
  readonly model?: string | undefined;
  /** How long one may take; it is ended then, and told as `timeout`. @default 3 600 000, an hour */
  readonly timeoutMs?: Milliseconds | undefined;
  /** Longest result that the parent is told, in characters. The rest stays in the child's journal. @default 32 000 */
  readonly maxResultChars?: number | undefined;
  /** Largest history that a fork may begin with. @default 100 000 */
  readonly forkTokens?: Tokens | undefined;
  /** What becomes of a fork whose history is larger: none, or one that begins without a history. @default 'refuse' */
  readonly whenForkTooLarge?: 'refuse' | 'isolate' | undefined;
  /** What `recover` does with those that had not ended: lets them go on, or ends them as failed. @default 'resume' */
  readonly onRestart?: 'resume' | 'fail' | undefined;
  /** Whether the model gets the tool `sessions_spawn`. @default true */
  readonly offersTool?: boolean | undefined;
  /** Whether a parent that is idle answers a result that comes in. @default true */
  readonly announces?: boolean | undefined;
  /**
   * Called when all is checked and before anything is stored. What it gives back is undone when the sub-agent does not
   * begin after all; what it throws ends the spawn. @default nothing
   */
  readonly prepare?:
    | ((about: PreparedSpawn) => Promise<undefined | { readonly rollback: () => Promise<void> }>)
    | undefined;
}

/** The options with every default filled in. */
export type SubagentRules = {
  readonly [Name in keyof SubagentOptions]-?: Name extends 'model' | 'prepare'
    ? SubagentOptions[Name]
    : Exclude<SubagentOptions[Name], undefined>;
};

const callable = z.custom<unknown>((value) => typeof value === 'function', { error: 'it is no function' });

const schema: z.ZodType = z.strictObject({
  maxDepth: z.int().min(0).max(5).optional(),
  maxChildren: z.int().min(0).optional(),
  maxRunning: z.int().min(0).optional(),
  allowAgents: z.array(z.string().min(1)).optional(),
  model: z.string().min(1).optional(),
  timeoutMs: z.number().positive().optional(),
  maxResultChars: z.int().min(200).optional(),
  forkTokens: z.number().nonnegative().optional(),
  whenForkTooLarge: z.enum(['refuse', 'isolate']).optional(),
  onRestart: z.enum(['resume', 'fail']).optional(),
  offersTool: z.boolean().optional(),
  announces: z.boolean().optional(),
  prepare: callable.optional(),
} satisfies Record<keyof SubagentOptions, z.ZodType>);

/** Checks the options, which may come from plain JavaScript, and fills in the defaults. @throws VARVE_OPTION_INVALID */
export function subagentRules(options: SubagentOptions = {}): SubagentRules {
  const [issue] = schema.safeParse(options).error?.issues ?? [];
  if (issue !== undefined) {
    const path = ['subagents', ...issue.path.map(String)].join('.');
    throw new VarveError('VARVE_OPTION_INVALID', `The sessions cannot use the option "${path}": ${issue.message}.`, {
      fix: 'Give what SubagentOptions describes, and nothing else.',
      details: { path },
    });
  }
  const { model, prepare, ...given } = options;
  return {
    maxDepth: given.maxDepth ?? 1,
    maxChildren: given.maxChildren ?? 5,
    maxRunning: given.maxRunning ?? 50,
    allowAgents: given.allowAgents ?? [],
    timeoutMs: given.timeoutMs ?? 3_600_000,
    maxResultChars: given.maxResultChars ?? 32_000,
    forkTokens: given.forkTokens ?? 100_000,
    whenForkTooLarge: given.whenForkTooLarge ?? 'refuse',
    onRestart: given.onRestart ?? 'resume',
    offersTool: given.offersTool ?? true,
    announces: given.announces ?? true,
    model,
    prepare,
  };
}
