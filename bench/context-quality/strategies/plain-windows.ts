import type { JudgedMessage } from '../judge/judged-prompt.ts';
import type { Turn } from '../sets/trajectory.ts';
import { choosingRun, fitTail, repairFront, shortened, sizeOf, tailStart, withBody } from './choose-messages.ts';
import type { Strategy } from './strategy.ts';

/** Everything, whatever the budget: what costs and sizes are held against. */
export const fullHistory: Strategy = {
  name: 'full history',
  family: 'reference',
  source: 'no limit',
  open: async () => choosingRun((turns) => [...turns]),
};

/** The newest whole messages. */
export const slidingWindow: Strategy = {
  name: 'sliding window',
  family: 'peer',
  source: 'own code; orphaned results are dropped',
  open: async (budget) => choosingRun((turns) => fitTail(turns, budget)),
};

const headShare = 0.2;

/** A fifth from the beginning, the rest from the end. */
export const headAndTail: Strategy = {
  name: 'head 20 + tail 80',
  family: 'peer',
  source: 'own code; calls whose results are gone are dropped',
  open: async (budget) => choosingRun((turns) => chooseBoth(turns, budget)),
};

function chooseBoth(turns: readonly Turn[], budget: number): readonly JudgedMessage[] {
  if (sizeOf(turns) <= budget) return [...turns];
  let head = 0;
  while (head < turns.length && sizeOf(turns.slice(0, head + 1)) <= budget * headShare) head += 1;
  const first = turns[0];
  const front = head === 0 && first !== undefined ? [shortened(first, budget * headShare)] : turns.slice(0, head);
  const rest = turns.slice(Math.max(1, head));
  const tail = rest.slice(tailStart(rest, budget - sizeOf(front)));
  const kept = repairFront([...front, ...(tail.length > 0 ? tail : fitTail(rest, budget - sizeOf(front)))]);
  const answered = new Set(
    kept.flatMap(({ role, callId }) => (role === 'tool' && callId !== undefined ? [callId] : [])),
  );
  const open = kept.filter(({ calls }) => calls.some(({ id }) => !answered.has(id)));
  const dropped = new Set(open.flatMap(({ calls }) => calls.map(({ id }) => id)));
  return repairFront(kept.filter((one) => !open.includes(one) && !dropped.has(one.callId ?? '')));
}

/** Results with more than so many answers behind them become one line, then the newest messages that fit. */
export function observationMasking(kept: number): Strategy {
  return {
    name: `observation masking (${kept})`,
    family: 'peer',
    source: 'own code of the published rule',
    open: async (budget) => {
      const masks = new Map<Turn, JudgedMessage>();
      const maskOf = (turn: Turn): JudgedMessage => {
        const mask = masks.get(turn) ?? withBody(turn, `[${turn.text.split('\n').length} lines omitted]`);
        masks.set(turn, mask);
        return mask;
      };
      return choosingRun((turns) => {
        const cut = beforeNewest(turns, kept);
        return fitTail(
          turns.map((turn, index) => (turn.role === 'tool' && index < cut ? maskOf(turn) : turn)),
          budget,
        );
      });
    },
  };
}

/** Index of the answer that has so many answers from it on; 0 when there are fewer. */
export function beforeNewest(turns: readonly JudgedMessage[], answers: number): number {
  let found = 0;
  const index = turns.findLastIndex(({ role }) => role === 'assistant' && ++found === answers);
  return Math.max(0, index);
}
