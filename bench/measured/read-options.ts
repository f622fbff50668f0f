import { parseArgs } from 'node:util';
import { BenchUsage } from '../bench-result.ts';

/** What is asked for. */
export interface MeasuredOptions {
  /** Ids of the workloads to run; `null` for all. */
  readonly only: readonly string[] | null;
  /** Smaller and shorter, for a look: figures are not to be quoted. */
  readonly isQuick: boolean;
  /** What takes long, too. */
  readonly isLarge: boolean;
  /** Whether the ratios are compared with the committed ones. */
  readonly isChecked: boolean;
}

/** What the options of a set are about. */
export interface OptionsSubject {
  /** Of the set: `speed`. */
  readonly set: string;
  /** Of its workloads. */
  readonly ids: readonly string[];
  /** What `--large` adds. @default the set has no such option */
  readonly large?: string | undefined;
}

/**
 * Reads the options behind the set's name.
 *
 * @throws BenchUsage  for others, and for `--help`.
 */
export function readOptions(given: readonly string[], subject: OptionsSubject): MeasuredOptions {
  const { ids, large } = subject;
  try {
    const { only, quick, check, help, ...rest } = parseArgs({
      args: [...given],
      options: {
        only: { type: 'string' },
        quick: { type: 'boolean', default: false },
        check: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
        ...(large === undefined ? {} : { large: { type: 'boolean', default: false } }),
      },
    }).values;
    if (help) throw new BenchUsage(usageOf(subject));
    const chosen = only?.split(',').map((id) => id.trim().toUpperCase()) ?? null;
    const unknown = chosen?.find((id) => !ids.includes(id));
    if (unknown !== undefined) throw new Error(`There is no workload "${unknown}".`);
    if (quick && check) throw new Error('--check compares whole runs: leave out --quick.');
    return { only: chosen, isQuick: quick, isLarge: 'large' in rest && rest.large === true, isChecked: check };
  } catch (error) {
    if (error instanceof BenchUsage) throw error;
    throw new BenchUsage(`${(error as Error).message}\n\n${usageOf(subject)}`);
  }
}

function usageOf({ set, ids, large }: OptionsSubject): string {
  const some = ids.slice(0, 2).join(',');
  return [
    `Usage: pnpm bench ${set} [--only ${some}] [--quick]${large === undefined ? '' : ' [--large]'} [--check] [--json FILE]`,
    '',
    `--only   some of ${ids.join(', ')}`,
    '--quick  smaller and shorter, for a look: its figures are not to be quoted',
    ...(large === undefined ? [] : [`--large  ${large}`]),
    `--check  compares the ratios with those in bench/results/${set}.json: none may be half as good`,
  ].join('\n');
}
