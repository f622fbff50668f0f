import { parseArgs } from 'node:util';
import { BenchUsage } from '../bench-result.ts';
import type { StorageBenchOptions } from './storage-bench.ts';

/** What the command line asks for. */
export interface StorageOptions extends StorageBenchOptions {
  /** Ids of workloads; `null` for all. */
  readonly only: readonly string[] | null;
  /** Compares the ratios with those of the committed result. */
  readonly isCheck: boolean;
}

const usage = `Usage: pnpm bench storage [--only B1,B2] [--quick] [--large] [--check] [--json FILE]

--quick   smaller and shorter, for a look: its figures are not to be quoted
--large   journals of a million entries, too, and 100,000 sessions that are really used: half an hour, 5 GB of disk
--check   fails when a ratio is not half as good as the committed one, or misses its must`;

/** Reads the options behind the set's name. @throws BenchUsage */
export function parseStorageOptions(args: readonly string[], known: readonly string[]): StorageOptions {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        only: { type: 'string' },
        quick: { type: 'boolean', default: false },
        large: { type: 'boolean', default: false },
        check: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) throw new BenchUsage(usage);
    const only = values.only?.split(',').map((id) => id.trim().toUpperCase()) ?? null;
    const unknown = only?.find((id) => !known.includes(id));
    if (unknown !== undefined) throw new Error(`There is no workload ${unknown}; there are ${known.join(', ')}.`);
    return { only, isQuick: values.quick, isLarge: values.large, isCheck: values.check };
  } catch (error) {
    if (error instanceof BenchUsage) throw error;
    throw new BenchUsage(`${(error as Error).message}\n\n${usage}`);
  }
}
