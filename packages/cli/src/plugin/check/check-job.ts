import type { Milliseconds } from '@varve/core';
import type { SubjectKind } from '@varve/testkit';
import { z } from 'zod';

/** What is to be checked, as the process that does it is told. JSON only. */
export interface CheckJob {
  /** The module, absolute. */
  readonly entry: string;
  /** Folder of its package, absolute: the testkit and core are those that it sees. */
  readonly folder: string;
  /** Name of its package; `null` for a file that belongs to none. */
  readonly packageName: string | null;
  /** What it is; `null` for what is found: plugins, and the engines that they register. */
  readonly kind: SubjectKind | null;
  /** Names of its exports that are checked. Empty for all that can be. */
  readonly exports: readonly string[];
  /** Options that plugins are made with; `null` for their defaults. */
  readonly options: unknown;
  /** Whether its plugins change what is stored, on purpose. */
  readonly rewrites: boolean;
  /** Accepted deviations: the name of a case, and why. */
  readonly expectFail: Readonly<Record<string, string>>;
  /** How long importing the module may take. */
  readonly importMs: Milliseconds;
  /** How long one case may take. */
  readonly timeoutMs: Milliseconds;
}

/** A contract that the module is held against. */
export interface FoundTrial {
  readonly kind: SubjectKind;
  readonly subject: string;
  readonly cases: readonly { readonly name: string; readonly why: string }[];
}

/** How a case ended, without what cannot be sent to another process. */
interface CaseOutcome {
  readonly status: 'passed' | 'failed' | 'skipped' | 'expected-failure' | 'unexpected-pass';
  readonly reason: string | null;
}

/** What the process says, in this order; the cases are numbered through all trials. */
export type CheckMessage =
  | { readonly type: 'importing' }
  | { readonly type: 'refused'; readonly message: string; readonly fix: string }
  | { readonly type: 'found'; readonly trials: readonly FoundTrial[] }
  | { readonly type: 'begun'; readonly index: number }
  | ({ readonly type: 'ended'; readonly index: number } & CaseOutcome)
  | { readonly type: 'done' };

const index = z.int().nonnegative();
const trialSchema: z.ZodType<FoundTrial> = z.object({
  kind: z.enum(['plugin', 'engine', 'store', 'adapter', 'model-port']),
  subject: z.string(),
  cases: z.array(z.object({ name: z.string(), why: z.string() })),
});
const messageSchema: z.ZodType<CheckMessage> = z.discriminatedUnion('type', [
  z.object({ type: z.literal('importing') }),
  z.object({ type: z.literal('refused'), message: z.string(), fix: z.string() }),
  z.object({ type: z.literal('found'), trials: z.array(trialSchema) }),
  z.object({ type: z.literal('begun'), index }),
  z.object({
    type: z.literal('ended'),
    index,
    status: z.enum(['passed', 'failed', 'skipped', 'expected-failure', 'unexpected-pass']),
    reason: z.string().nullable(),
  }),
  z.object({ type: z.literal('done') }),
]);

/**
 * Reads what came from the process. The secret was given to the check alone, so that the module cannot speak for it.
 *
 * @returns `null` for what is no message of the check.
 */
export function readMessage(sent: unknown, secret: string): CheckMessage | null {
  const { data } = z.object({ secret: z.literal(secret), message: messageSchema }).safeParse(sent);
  return data?.message ?? null;
}
