import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InterleaveOptions } from '../interleave.ts';
import type { WorkloadResult } from '../storage/storage-row.ts';

/** One of the workloads. */
export interface Workload {
  /** `B7` and so on. */
  readonly id: string;
  readonly title: string;
  run(bench: SpeedBench): Promise<WorkloadResult>;
}

/** What workloads share. */
export interface SpeedBench {
  /** Smaller, for a look: figures are not to be quoted. */
  readonly isQuick: boolean;
  /** Entries of a long history: 100 000, or 10 000 for a look. */
  readonly longHistory: number;
  /** How often contenders are measured, and by the time of the processor: what else the machine does changes it little. */
  readonly often: InterleaveOptions & { readonly rounds: number };
  /** A new folder. */
  folder(name: string): string;
  /** Says how far it is. */
  say(text: string): void;
  /** Removes all folders. */
  end(): void;
}

/** Begins: everything is in one new folder. */
export function createSpeedBench({ isQuick }: { readonly isQuick: boolean }): SpeedBench {
  const root = mkdtempSync(join(tmpdir(), 'varve-bench-speed-'));
  let made = 0;
  return {
    isQuick,
    longHistory: isQuick ? 10_000 : 100_000,
    often: isQuick ? { rounds: 3, warmUps: 1, time: 'processor' } : { rounds: 9, warmUps: 2, time: 'processor' },
    folder: (name) => {
      made += 1;
      const path = join(root, `${made}-${name}`);
      mkdirSync(path);
      return path;
    },
    say: (text) => console.error(text),
    end: () => rmSync(root, { recursive: true, force: true }),
  };
}
