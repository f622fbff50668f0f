import { cacheRules, createPromptCache } from '../judge/prompt-cache.ts';
import type { Trajectory } from '../sets/trajectory.ts';

/** The share of a session's prompts that was read from the cache: as the file reports it, and as it is simulated. */
export interface Calibration {
  readonly trajectory: string;
  readonly requests: number;
  readonly life: '5m' | '1h';
  readonly recorded: number;
  readonly simulated: number;
}

/** Sends the whole history of a recorded session through the simulated cache, up to its first compaction. */
export function calibrateCache(trajectory: Trajectory): Calibration | null {
  const end = trajectory.compactions[0]?.at ?? trajectory.turns.length;
  const turns = trajectory.turns.slice(0, end);
  const used = turns.flatMap(({ usage }) => (usage === undefined ? [] : [usage]));
  const all = used.reduce((sum, { plain, read, written }) => sum + plain + read + written, 0);
  if (used.length < 10 || all === 0) return null;
  const recorded = used.reduce((sum, { read }) => sum + read, 0) / all;
  const simulate = (life: '5m' | '1h'): number => {
    const cache = createPromptCache(cacheRules[life]);
    for (const [index, turn] of turns.entries()) {
      if (turn.role === 'assistant' && index > 0)
        cache.request({ messages: turns.slice(0, index), stable: index }, turn.at);
    }
    return cache.totals().hitRate;
  };
  const rates = (['5m', '1h'] as const).map((life) => ({ life, simulated: simulate(life) }));
  const nearest = rates.reduce((best, one) =>
    Math.abs(one.simulated - recorded) < Math.abs(best.simulated - recorded) ? one : best,
  );
  return { trajectory: `${trajectory.set}/${trajectory.id}`, requests: used.length, recorded, ...nearest };
}
