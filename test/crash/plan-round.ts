import { type Random, seededRandom } from '@varve/testkit';
import type { KillPlace, SelfKill } from './said.ts';

/** How a worker is killed: by its parent, after so many lines and then some time, or by itself. */
type Kill =
  | { readonly by: 'parent'; readonly afterLines: number; readonly delayMs: number }
  | { readonly by: 'itself'; readonly selfKill: SelfKill };

/** What is decided of a round before it begins. */
export interface RoundPlan {
  readonly seed: number;
  readonly kill: Kill;
  readonly operations: number;
  readonly forgetsSoon: boolean;
}

/** A worker that is not killed by then closes the store by itself. */
const operations = 30;

/** How late a worker may be killed, in lines or in operations of the file system. */
const latest = 90;

const ofAppends = ['before write', 'within write', 'after write', 'before sync', 'after sync'] as const;
const ofReplacing = ['before rename', 'after rename', 'before remove', 'after remove'] as const;
const ofOpening = ['before open', 'after open'] as const;
const ofRepair = ['before truncate', 'after truncate'] as const;

/**
 * Decides when and where a worker is killed.
 *
 * @param isTorn  Whether the worker before left an append that was not finished: only then is anything to be cut.
 */
export function planRound(seed: number, { isTorn }: { readonly isTorn: boolean }): RoundPlan {
  const random = seededRandom(seed);
  const kind = isTorn && random.chance(0.4) ? 'repair' : random.pick(kinds);
  return {
    seed: random.integer(1, 2 ** 31),
    kill: killOf(kind, random),
    operations,
    forgetsSoon: kind === 'replacing' || random.chance(0.2),
  };
}

const kinds = ['parent', 'parent', 'appends', 'appends', 'appends', 'replacing', 'replacing', 'opening'] as const;

function killOf(kind: (typeof kinds)[number] | 'repair', random: Random): Kill {
  // As often early as late.
  const time = Math.ceil(latest ** random.next());
  switch (kind) {
    case 'parent':
      return { by: 'parent', afterLines: time, delayMs: random.integer(0, 12) };
    case 'appends':
      return byItself(random.pick(ofAppends), { time, random });
    case 'replacing':
      return byItself(random.pick(ofReplacing), { time: random.integer(1, 4), random });
    case 'opening':
      return byItself(random.pick(ofOpening), { time: random.integer(1, 12), random });
    case 'repair':
      return byItself(random.pick(ofRepair), { time: 1, random });
  }
}

function byItself(place: KillPlace, { time, random }: { readonly time: number; readonly random: Random }): Kill {
  return { by: 'itself', selfKill: { place, time, losesPower: random.chance(0.4) } };
}
