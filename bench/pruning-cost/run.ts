import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { type BenchCheck, type BenchResult, BenchUsage } from '../bench-result.ts';
import { calibrate } from './calibration.ts';
import { type CostRow, costRows } from './cost-rows.ts';
import { readTraces } from './trace.ts';

/**
 * What pruning costs beside never pruning, the fixed rule and a sliding window, by the prices of providers, and how
 * much of what is needed later stays visible.
 *
 * @param options  `--data DIR`: a directory with recorded sessions. @default the shipped example alone
 * @throws BenchUsage  for other options.
 */
export async function runPruningCost(options: readonly string[]): Promise<BenchResult> {
  const traces = await readTraces(dataOf(options));
  const calibration = await calibrate(traces);
  const rows = await costRows(traces);
  return {
    text: [
      `${traces.length} sessions: ${traces.map(({ name }) => name).join(', ')}`,
      'Share of tokens that were read from the cache, everything sent, until the session was first compacted:',
      table(
        ['session', 'cache', 'recorded', 'simulated'],
        calibration.map(({ name, cacheLife, recorded, simulated }) => [
          name,
          cacheLife,
          share(recorded),
          share(simulated),
        ]),
      ),
      'Cost of all sessions against never pruning, and the identifiers needed later that were still visible:',
      table(
        ['prices', 'strategy', 'cost', 'tokens a request', 'read', 'rewrites', 'visible', 'dearest session'],
        rows.map((row) => [
          row.profile,
          row.strategy,
          row.costRatio.toFixed(3),
          row.tokensPerRequest,
          share(row.readShare),
          row.rewrites,
          share(row.visibleShare),
          row.highestRatio.toFixed(3),
        ]),
      ),
    ].join('\n'),
    data: { calibration, rows },
    checks: checksOf(rows),
  };
}

function dataOf(options: readonly string[]): string | null {
  try {
    return parseArgs({ args: [...options], options: { data: { type: 'string' } } }).values.data ?? null;
  } catch (error) {
    throw new BenchUsage(`${(error as Error).message}\n\nUsage: pnpm bench pruning-cost [--data DIR] [--json FILE]`);
  }
}

/** On no session dearer than never pruning, and no dearer than the fixed rule over all of them. */
function checksOf(rows: readonly CostRow[]): readonly BenchCheck[] {
  return rows.flatMap((row): readonly BenchCheck[] => {
    if (row.strategy !== 'auto') return [];
    const fixed = rows.filter((other) => other.profile === row.profile && other.strategy.startsWith('cache-ttl'));
    const cheapest = Math.min(...fixed.map(({ costRatio }) => costRatio));
    return [
      {
        what: `${row.profile}: auto against never, dearest session`,
        figure: row.highestRatio.toFixed(3),
        must: '≤ 1.01',
        isMet: row.highestRatio <= 1.01,
      },
      {
        what: `${row.profile}: auto, all sessions`,
        figure: row.costRatio.toFixed(3),
        must: `≤ ${cheapest.toFixed(3)}, the fixed rule`,
        isMet: row.costRatio <= cheapest,
      },
    ];
  });
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const made = new Table({ head: [...head], style: { head: [], border: [] } });
  for (const row of rows) made.push([...row]);
  return made.toString();
}

function share(value: number): string {
  return value.toFixed(3);
}
