import { parseArgs } from 'node:util';
import { BenchUsage } from '../bench-result.ts';

/** What is asked for. */
export interface SpeedOptions {
  /** Ids of the workloads to run; `null` for all. */
  readonly only: readonly string[] | null;
  readonly isQuick: boolean;
  /** Whether the ratios are compared with the committed ones. */
  readonly isChecked: boolean;
}

/**
 * Reads the options of the command line.
 *
 * @param ids  Of the workloads that there are.
 * @throws BenchUsage  for others.
 */
export function readOptions(given: readonly string[], ids: readonly string[]): SpeedOptions {
  const usage =
    `Usage: pnpm bench speed [--only ${ids.slice(0, 2).join(',')}] [--quick] [--check] [--json FILE]\n\n` +
    `--only   some of ${ids.join(', ')}\n` +
    '--quick  shorter histories and fewer rounds, for a look\n' +
    '--check  compares the ratios with those in bench/results/speed.json: none may be half as good';
  try {
    const options = { only: { type: 'string' }, quick: { type: 'boolean' }, check: { type: 'boolean' } } as const;
    const { only, quick = false, check = false } = parseArgs({ args: [...given], options }).values;
    const chosen = only?.split(',').map((id) => id.trim().toUpperCase()) ?? null;
    const unknown = chosen?.find((id) => !ids.includes(id));
    if (unknown !== undefined) throw new Error(`There is no workload "${unknown}".`);
    if (quick && check) throw new Error('--check compares whole runs: leave out --quick.');
    return { only: chosen, isQuick: quick, isChecked: check };
  } catch (error) {
    throw new BenchUsage(`${(error as Error).message}\n\n${usage}`);
  }
}
