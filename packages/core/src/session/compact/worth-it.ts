import type { Plan } from '../../compaction/compaction.ts';
import type { Draft } from '../../draft/draft.ts';
import { sizeOf } from '../../draft/window-cut.ts';
import { VarveError } from '../../errors.ts';
import type { SessionRuntime } from '../session-runtime.ts';
import { pressureOf } from '../start-draft.ts';
import { sizeAfter } from './commit-plan.ts';
import type { CompactJob } from './compact-outcome.ts';
import { leastYield } from './compaction-breaker.ts';

/** How far below the size at which it is due again a background compaction must bring a prompt, as a share of the input. */
const leastRoom = 0.05;

/**
 * Why a background compaction is not worth what it costs: each one changes the front of the prompt, which caches pay for.
 * It has to free a tenth of the prompt, and to leave room before it is due again, as little as its prose may become. A
 * prompt above `hard` would be compacted in front of the next answer anyway. `null` for one that is worth it.
 */
export async function whyNotWorthIt(
  runtime: SessionRuntime,
  plan: Plan,
  { draft, options }: { readonly draft: Draft; readonly options: CompactJob },
): Promise<string | null> {
  const level = pressureOf(draft);
  if (level === 'hard' || level === 'overflow') return null;
  const after = await sizeOrNull(runtime, plan, options);
  if (after === null) return null;
  const before = sizeOf(draft);
  const { soft, input } = draft.budget;
  const most = Math.min(before * (1 - leastYield), soft === Infinity ? Infinity : soft - leastRoom * input);
  if (after <= most) return null;
  return `It would leave ${after} of ${before} tokens, and be due again soon; it waits until the prompt is fuller.`;
}

/** What cannot be carried out is told by whoever tries. */
async function sizeOrNull(runtime: SessionRuntime, plan: Plan, options: CompactJob): Promise<number | null> {
  try {
    return await sizeAfter(runtime, plan, options);
  } catch (error) {
    if (VarveError.is(error, 'VARVE_PLAN_INVALID')) return null;
    throw error;
  }
}
