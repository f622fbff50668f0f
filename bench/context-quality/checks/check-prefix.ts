import { isDeepStrictEqual } from 'node:util';
import { askFor } from '../measure/walk.ts';
import type { Trajectory } from '../sets/trajectory.ts';
import type { Strategy } from '../strategies/strategy.ts';

/** Requests of one conversation that were made twice. */
export interface PrefixCheck {
  readonly strategy: string;
  readonly trajectory: string;
  readonly checked: number;
  /** Turns before which the prompts differ. */
  readonly different: readonly number[];
}

/**
 * Makes the request before some answers twice: while going through the whole conversation, and in a new run that is
 * given the turns before it alone. They must be the same: nothing looks ahead, and nothing is left to chance.
 */
export async function checkPrefix(
  strategy: Strategy,
  {
    trajectory,
    budget,
    samples,
  }: { readonly trajectory: Trajectory; readonly budget: number; readonly samples: number },
): Promise<PrefixCheck> {
  const { turns, id } = trajectory;
  const answers = turns.flatMap(({ role }, index) => (role === 'assistant' && index > 0 ? [index] : []));
  const step = Math.max(1, Math.floor(answers.length / samples));
  const checked = answers.filter((_, index) => index % step === step - 1);
  const whole = await promptsBefore(strategy, { turns, budget, places: new Set(checked) });
  const different: number[] = [];
  for (const place of checked) {
    const alone = await promptsBefore(strategy, { turns: turns.slice(0, place + 1), budget, places: new Set([place]) });
    if (!isDeepStrictEqual(alone.get(place), whole.get(place))) different.push(place);
  }
  return { strategy: strategy.name, trajectory: id, checked: checked.length, different };
}

/** Walks and keeps the prompts before some answers. The last answer itself is never given to the strategy. */
async function promptsBefore(
  strategy: Strategy,
  options: { readonly turns: Trajectory['turns']; readonly budget: number; readonly places: ReadonlySet<number> },
): Promise<ReadonlyMap<number, unknown>> {
  const { turns, budget, places } = options;
  const prompts = new Map<number, unknown>();
  const last = Math.max(...places);
  const run = await strategy.open(budget);
  for (const [index, turn] of turns.entries()) {
    if (turn.role === 'assistant' && index > 0) {
      const prompt = await run.request(askFor(turns, index));
      if (places.has(index)) prompts.set(index, structuredClone(prompt));
    }
    if (index >= last) break;
    await run.take(turn);
  }
  await run.close();
  return prompts;
}
