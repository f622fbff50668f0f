import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { type BenchCheck, type BenchResult, BenchUsage } from '../bench-result.ts';
import { type AssembleRow, assembleCost } from './assemble-cost.ts';
import { type EngineRow, engineRows, type Spread } from './engine-rows.ts';
import { type EngineName, versionOf } from './engines.ts';

const seed = 20_240_601;
const rounds = 3;
const allSizes = [1_000, 10_000, 100_000];

/**
 * What an index of words costs beside its peers, and what recall, which uses it, adds to the making of a prompt.
 *
 * @param options  `--most N`: no more than so many texts and entries. @default 100 000
 * @throws BenchUsage  for other options.
 */
export async function runLexicalIndex(options: readonly string[]): Promise<BenchResult> {
  const most = mostOf(options);
  const sizes = allSizes.filter((size) => size <= most);
  const rows = await engineRows(sizes, { rounds, seed });
  const assembled: AssembleRow[] = [];
  for (const entries of sizes) assembled.push(await assembleCost(entries, seed));
  const versions = (['varve', 'minisearch', 'flexsearch'] as const).map((name) => `${name} ${versionOf(name)}`);
  return {
    text: [
      `${versions.join(', ')}; texts of 560 characters, ${rounds} rounds, seed ${seed}; median (least … most)`,
      engineTable(rows),
      'A prompt with a budget of 32,000 tokens, without recall and with it, milliseconds of the processor:',
      assembleTable(assembled),
    ].join('\n'),
    data: { seed, rounds, versions, rows, assembled },
    checks: checksOf(rows, assembled),
  };
}

function mostOf(options: readonly string[]): number {
  try {
    const { most = '100000' } = parseArgs({ args: [...options], options: { most: { type: 'string' } } }).values;
    if (!(Number(most) >= (allSizes[0] ?? 0))) throw new Error('--most must be a number from 1000.');
    return Number(most);
  } catch (error) {
    throw new BenchUsage(`${(error as Error).message}\n\nUsage: pnpm bench lexical-index [--most N] [--json FILE]`);
  }
}

function engineTable(rows: readonly EngineRow[]): string {
  return table(
    ['texts', 'index', 'build, ms/MB', 'memory, MB/MB', 'one more, µs', 'search, ms', 'slow search, ms', 'found'],
    rows.map((row) => [
      row.texts,
      row.engine,
      spread(row.buildMsPerMegabyte, 0),
      spread(row.memoryPerByte, 1),
      spread(row.addMicroseconds, 0),
      spread(row.searchMs, 2),
      spread(row.highSearchMs, 2),
      `${Math.round(row.foundShare * 100)} %`,
    ]),
  );
}

function assembleTable(rows: readonly AssembleRow[]): string {
  return table(
    ['entries', 'without, ms', 'with recall, ms', 'ratio', 'first, ms'],
    rows.map((row) => [
      row.entries,
      spread(row.without, 2),
      spread(row.withRecall, 2),
      spread(row.ratio, 2),
      row.firstMs.toFixed(0),
    ]),
  );
}

/** Figures against those of peers in the same run, and of sizes against each other: a slow machine changes neither. */
function checksOf(rows: readonly EngineRow[], assembled: readonly AssembleRow[]): readonly BenchCheck[] {
  const texts = Math.max(...rows.map((row) => row.texts));
  const rowOf = (engine: EngineName): EngineRow =>
    rows.find((row) => row.engine === engine && row.texts === texts) as EngineRow;
  const [own, mini] = [rowOf('varve'), rowOf('minisearch')];
  const first = rows.find((row) => row.engine === 'varve') as EngineRow;
  const ratios: readonly (readonly [what: string, ratio: number, most: number])[] = [
    ['memory against minisearch', own.memoryPerByte.median / mini.memoryPerByte.median, 1],
    ['build against minisearch', own.buildMsPerMegabyte.median / mini.buildMsPerMegabyte.median, 1],
    ['search against minisearch', own.searchMs.median / mini.searchMs.median, 1],
    [`one more text, at ${texts} against 1000`, own.addMicroseconds.median / first.addMicroseconds.median, 3],
  ];
  const last = assembled.at(-1);
  const least = assembled[0];
  return [
    ...ratios.map(([what, ratio, most]) => ({
      what,
      figure: `${ratio.toFixed(2)} ×`,
      goal: `≤ ${most} ×`,
      isMet: ratio <= most,
    })),
    ...(last === undefined || least === undefined
      ? []
      : [
          {
            what: `prompt with recall, at ${last.entries} against ${least.entries} entries`,
            figure: `${(last.withRecall.median / least.withRecall.median).toFixed(2)} ×`,
            goal: '≤ 3 ×',
            isMet: last.withRecall.median <= 3 * least.withRecall.median,
          },
        ]),
  ];
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const made = new Table({ head: [...head], style: { head: [], border: [] } });
  for (const row of rows) made.push([...row]);
  return made.toString();
}

function spread({ least, median, most }: Spread, digits: number): string {
  return `${median.toFixed(digits)} (${least.toFixed(digits)} … ${most.toFixed(digits)})`;
}
