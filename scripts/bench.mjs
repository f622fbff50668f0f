// Installs the benchmark's own packages on first use, builds the product, and runs one set of measurements:
// pnpm bench estimator [--json FILE], pnpm bench context-quality [--data DIR] [--charts DIR] [--json FILE],
// pnpm bench lexical-index [--most N] [--json FILE], pnpm bench pruning-cost [--data DIR] [--json FILE],
// pnpm bench speed [--only B7,B9] [--quick] [--check] [--json FILE],
// pnpm bench storage [--only B1,B2] [--quick] [--large] [--check] [--json FILE]
import { spawnSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const bench = join(root, 'bench');

/** Runs a program in the benchmark's folder; ends this one with its exit code when it fails. */
function run(program, parameters, cwd = bench) {
  const { status, error } = spawnSync(program, parameters, { cwd, stdio: 'inherit' });
  if (error !== undefined) console.error(`${program} could not be started: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

const installed = join(bench, 'node_modules/.package-lock.json');
const isCurrent =
  existsSync(installed) && statSync(installed).mtimeMs >= statSync(join(bench, 'package-lock.json')).mtimeMs;
if (!isCurrent) {
  console.error('Installing the packages to measure against (first run) …');
  run('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts']);
}
// Paths on the command line are the caller's.
const takesPath = ['--json', '--data', '--charts'];
const parameters = process.argv
  .slice(2)
  .map((value, index, all) => (takesPath.includes(all[index - 1] ?? '') ? resolve(String(value)) : String(value)));
run(process.execPath, ['--import', 'tsx', 'run.ts', ...parameters]);
