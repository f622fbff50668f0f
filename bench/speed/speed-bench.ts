import type { InterleaveOptions } from '../interleave.ts';
import type { MeasuredOptions } from '../measured/read-options.ts';
import type { Workload } from '../measured/run-measured.ts';
import type { Workbench } from '../measured/workbench.ts';

/** One of the workloads. */
export type SpeedWorkload = Workload<SpeedBench>;

/** What workloads share. */
export interface SpeedBench extends Workbench {
  /** Smaller, for a look: figures are not to be quoted. */
  readonly isQuick: boolean;
  /** Entries of a long history: 100 000, or 10 000 for a look. */
  readonly longHistory: number;
  /** How often contenders are measured, and by the time of the processor: what else the machine does changes it little. */
  readonly often: InterleaveOptions & { readonly rounds: number };
}

/** What workloads of speed have beyond others. */
export function speedBench(workbench: Workbench, { isQuick }: MeasuredOptions): SpeedBench {
  return {
    ...workbench,
    isQuick,
    longHistory: isQuick ? 10_000 : 100_000,
    often: isQuick ? { rounds: 3, warmUps: 1, time: 'processor' } : { rounds: 9, warmUps: 2, time: 'processor' },
  };
}
