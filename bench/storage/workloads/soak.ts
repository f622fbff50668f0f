import { type ComparisonRow, once } from '../../measured/comparison-row.ts';
import { inOwnProcess } from '../in-own-process.ts';
import type { SoakFigures } from '../measure-soak.ts';
import type { StorageWorkload } from '../storage-bench.ts';

const live = 500;

/** The sessions that the limit of memory is for. */
const allSessions = 100_000;

/** Files beside those of sessions that are awake: of the process, and of sessions that are being opened. */
const otherFiles = 100;

/** B15: many sessions are used once, and few are awake. What 100,000 take is what fewer take, and each further one. */
export const soak: StorageWorkload = {
  id: 'B15',
  title: 'many sessions used once, 500 awake',
  run: async (bench) => {
    const sessions = bench.isQuick ? 2_000 : bench.isLarge ? allSessions : 10_000;
    const parameters = [bench.folder('soak'), String(sessions), String(live)];
    const figures = await inOwnProcess<SoakFigures>('measure-soak.ts', parameters);
    const each = (figures.heap - figures.heapAtHalf) / (sessions / 2);
    const heap = figures.heap + each * (allSessions - sessions);
    const row = (name: string, what: string, value: number): Omit<ComparisonRow, 'unit'> => ({
      workload: 'B15',
      name,
      what,
      figure: once(value),
      better: 'less',
    });
    return {
      rows: [
        {
          ...row('memory', `heap with ${allSessions.toLocaleString('en')} sessions, ${live} awake`, heap / 1e6),
          unit: 'MB',
          // Of few sessions one cannot tell what many take.
          must: bench.isQuick ? undefined : 150,
          goal: bench.isQuick ? undefined : 100,
          detail: `${(figures.heap / 1e6).toFixed(0)} MB with ${sessions.toLocaleString('en')}; ${Math.round((sessions * 10) / figures.seconds).toLocaleString('en')} messages a second`,
        },
        { ...row('files', 'most files open at once', figures.mostFiles), unit: 'count', must: live + otherFiles },
        { ...row('awake', 'sessions that are awake at the end', figures.awake), unit: 'count', must: live },
        { ...row('locks', 'locks that are left', figures.locks), unit: 'count', must: 0 },
      ],
    };
  },
};
