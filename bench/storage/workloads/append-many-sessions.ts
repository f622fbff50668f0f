import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { type Contender, interleave, type Spread, spreadOf } from '../../interleave.ts';
import { againstLimit, againstPeer } from '../../measured/compared.ts';
import { createGroupCommit } from '../limits/group-commit.ts';
import { createArticleQueue } from '../peers/article-queue.ts';
import type { StorageWorkload } from '../storage-bench.ts';
import { type AppendJob, journalContender, linesContender } from '../writers.ts';

const own = 'journal.append';
const flushed = 'appendFile + flush';
const limit = 'group commit without order, checksum and lock';

/** Milliseconds between two looks at the event loop; a loop that is free is as late as that. */
const lookEvery = 1;

/** B4: 100 sessions, 8 durable appends under way in each. */
export const appendManySessions: StorageWorkload = {
  id: 'B4',
  title: 'durable appends to 100 sessions, 8 under way in each',
  run: async (bench) => {
    const folder = bench.folder('many');
    const sessions = bench.isQuick ? 20 : 100;
    const job: AppendJob = { appends: sessions * 16, sessions, width: 8 };
    const few: AppendJob = { appends: sessions * 2, sessions, width: 8 };
    const ours = watched(journalContender(own, job, { root: join(folder, 'store'), durability: 'fsync' }));
    const least = watched(linesContender(limit, job, (at) => createGroupCommit(join(folder, `group-${at}`))));
    const queues = linesContender(flushed, few, (at) =>
      createArticleQueue(join(folder, `flushed-${at}`), { isDurable: true }),
    );
    const measured = await interleave([ours.contender, least.contender, queues], bench.often);
    const measurement = { workload: 'B4', measured, own };
    return {
      rows: [
        againstPeer(measurement, flushed, { must: 2.5, goal: 4 }),
        againstLimit(measurement, limit, { goal: 1.3 }),
        {
          workload: 'B4',
          name: 'event loop',
          what: 'delay of the event loop, 99th percentile',
          figure: ours.delays(),
          unit: 'ms',
          better: 'less',
          goal: 5,
          detail: `${least.delays().median.toFixed(1)} ms with the limit`,
        },
      ],
    };
  },
};

/** The same, and how late the event loop was meanwhile. */
function watched(contender: Contender): { readonly contender: Contender; delays(): Spread } {
  const delays: number[] = [];
  return {
    contender: {
      ...contender,
      run: async () => {
        const loop = monitorEventLoopDelay({ resolution: lookEvery });
        loop.enable();
        await contender.run();
        loop.disable();
        delays.push(Math.max(0, loop.percentile(99) / 1e6 - lookEvery));
      },
    },
    delays: () => spreadOf(delays),
  };
}
