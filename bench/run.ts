import { writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import type { BenchCheck, BenchResult } from './bench-result.ts';
import { runEstimator } from './estimator/run.ts';

const sets: Readonly<Record<string, () => BenchResult | Promise<BenchResult>>> = { estimator: runEstimator };

const usage = `Usage: pnpm bench ${Object.keys(sets).join(' | ')} [--json FILE]

Measures, prints a table, and says which figures reach what they must. Exit code 0 when all that must be reached are.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
});
const [name = ''] = positionals;
const run = Object.hasOwn(sets, name) ? sets[name] : undefined;
if (run === undefined || values.help === true) {
  console.log(usage);
  process.exitCode = values.help === true ? 0 : 2;
} else {
  const result = await run();
  const machine = { node: process.version, processors: cpus().length, model: cpus()[0]?.model, memory: totalmem() };
  console.log(result.text);
  console.log(checkTable(result.checks));
  if (values.json !== undefined)
    writeFileSync(values.json, `${JSON.stringify({ set: name, machine, ...result }, null, 2)}\n`);
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
