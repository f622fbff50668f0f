import { randomUUID } from 'node:crypto';
import type { Clock, Milliseconds, ModelRef, Plan } from '@varve/core';

/** A plan, and what it was made for. */
interface ShelvedPlan {
  readonly plan: Plan;
  readonly model: ModelRef;
  readonly instructions: string | null;
  /** Until then it may be committed. */
  readonly expiresAt: Milliseconds;
}

/**
 * Plans that were shown and may be committed. They stay here: what a client sends back is a name, so that nobody commits
 * texts of their own.
 */
export interface PlanShelf {
  /** Keeps a plan; gives its name. */
  put(what: Omit<ShelvedPlan, 'expiresAt'>): { readonly planId: string; readonly expiresAt: Milliseconds };
  /** Takes a plan away from the shelf: it is committed once. `null` for one that is not there any more. */
  take(planId: string): ShelvedPlan | null;
}

const mostPlans = 200;
const keptMs: Milliseconds = 600_000;

/** Makes an empty shelf. Of too many plans the oldest go. */
export function createPlanShelf(clock: Clock): PlanShelf {
  const plans = new Map<string, ShelvedPlan>();
  return {
    put: (what) => {
      const planId = randomUUID();
      const expiresAt = clock.now() + keptMs;
      plans.set(planId, { ...what, expiresAt });
      const [oldest] = plans.keys();
      if (plans.size > mostPlans && oldest !== undefined) plans.delete(oldest);
      return { planId, expiresAt };
    },
    take: (planId) => {
      const found = plans.get(planId) ?? null;
      plans.delete(planId);
      return found !== null && clock.now() < found.expiresAt ? found : null;
    },
  };
}
