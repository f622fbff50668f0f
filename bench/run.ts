import { writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import Table from 'cli-table3';
import { type BenchCheck, type BenchResult, BenchUsage } from './bench-result.ts';

/** Each is loaded when it is run, and reads the options behind its name itself. */
const sets: Readonly<Record<string, (options: readonly string[]) => Promise<BenchResult>>> = {
  estimator: async () => (await import('./estimator/run.ts')).runEstimator(),
  'context-quality': async (options) => (await import('./context-quality/run.ts')).runContextQuality(options),
  'lexical-index': async (options) => (await import('./lexical-index/run.ts')).runLexicalIndex(options),
  speed: async (options) => (await import('./speed/run.ts')).runSpeed(options),
  'pruning-cost': async (options) => (await import('./pruning-cost/run.ts')).runPruningCost(options),
  storage: async (options) => (await import('./storage/run.ts')).runStorage(options),
};

const usage = `Usage: pnpm bench ${Object.keys(sets).join(' | ')} [--json FILE] [options of the set]

Measures, prints a table, and says which figures reach what they must. Exit code 0 when all that must be reached are.`;

const [name = '', ...given] = process.argv.slice(2);
const jsonAt = given.indexOf('--json');
const json = jsonAt < 0 ? undefined : given[jsonAt + 1];
const options = jsonAt < 0 ? given : given.toSpliced(jsonAt, 2);
const run = Object.hasOwn(sets, name) ? sets[name] : undefined;
if (run === undefined) {
  console.log(usage);
  process.exitCode = name === '--help' || name === '-h' ? 0 : 2;
} else {
  try {
    report(await run(options));
  } catch (error) {
    if (!(error instanceof BenchUsage)) throw error;
    console.error(error.message);
    process.exitCode = options.includes('--help') ? 0 : 2;
  }
}

function report(result: BenchResult): void {
  const machine = { node: process.version, processors: cpus().length, model: cpus()[0]?.model, memory: totalmem() };
  console.log(result.text);
  console.log(checkTable(result.checks));
  if (json !== undefined) writeFileSync(json, `${JSON.stringify({ set: name, machine, ...result }, null, 2)}\n`);
  const musts = result.checks.filter(({ must }) => must !== undefined);
  const goals = result.checks.filter(({ goal }) => goal !== undefined);
  console.log(`must ${reached(musts)}, goal ${reached(goals)} · Node ${process.version}, ${cpus().length} processors`);
  process.exitCode = musts.every(({ isMet }) => isMet) ? 0 : 1;
}

function checkTable(checks: readonly BenchCheck[]): string {
  const table = new Table({ head: ['figure', 'measured', 'must', 'goal', ''], style: { head: [], border: [] } });
  for (const { what, figure, must = '', goal = '', isMet } of checks)
    table.push([what, figure, must, goal, isMet ? 'reached' : 'missed']);
  return table.toString();
}

function reached(checks: readonly BenchCheck[]): string {
  return `${checks.filter(({ isMet }) => isMet).length} of ${checks.length}`;
}
