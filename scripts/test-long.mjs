// Plays thousands of generated transcripts with random operations in between, and lets an oracle that knows nothing of
// the product hold each prompt and the journal against its rules:
//
//     node --import tsx scripts/test-long.mjs [--seed N] [--count N] [--only N] [--workers N]
//
// Seeds are --seed, --seed + 1, …; --only N runs one of them again. Provider, strategy and the fault of the summariser
// are drawn for each of them, so that any pair comes 100 times in 10,000. Prints how many transcripts had which traits,
// what happened how often, the pairs, each failing seed with the smallest prefix of its operations that fails, and,
// last, `N passed, N failed`.
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  addResults,
  coveredFrom,
  formatFailure,
  formatTable,
  noTotals,
  shortcomings,
} from '../test/long/long-table.ts';
import { runSeed } from '../test/long/run-seed.ts';

/** Seeds that a worker is given at a time. */
const portion = 50;

/** Failing seeds that are printed in full. */
const printed = 10;

/** A line says how far it is after so many seeds. */
const progressEvery = 2000;

if (process.send === undefined) process.exitCode = await main();
else work();

/** A worker: runs the seeds that it is given. */
function work() {
  // Plugins of some strategies fail all the time; nobody reads where.
  Error.stackTraceLimit = 4;
  process.on('disconnect', () => process.exit());
  process.on('message', async (seeds) => {
    const results = [];
    for (const seed of /** @type {number[]} */ (seeds)) results.push(await runSeed(seed));
    process.send?.(results);
  });
}

async function main() {
  const { first, count, workers } = options();
  console.log(`seeds ${first} to ${first + count - 1}, ${workers} workers`);
  const started = performance.now();
  let totals = noTotals;
  let next = first;
  await Promise.all(Array.from({ length: workers }, () => runWorker(take, note)));
  const seconds = (performance.now() - started) / 1000;
  console.log(formatTable(totals));
  console.log(`\n${seconds.toFixed(1)} s, ${(totals.results / seconds).toFixed(0)} transcripts a second`);
  const { failed, results } = totals;
  const missed = shortcomings(totals);
  for (const line of missed) console.log(line);
  if (failed.length > printed) console.log(`failing seeds: ${failed.map(({ seed }) => seed).join(' ')}`);
  console.log(`${results - failed.length} passed, ${failed.length + count - results} failed`);
  return failed.length === 0 && results === count && missed.length === 0 ? 0 : 1;

  function take() {
    const seeds = Array.from({ length: Math.min(portion, first + count - next) }, (_, index) => next + index);
    next += seeds.length;
    return seeds;
  }

  function note(results) {
    const failedBefore = totals.failed.length;
    const before = Math.floor(totals.results / progressEvery);
    totals = addResults(totals, results);
    for (const failure of totals.failed.slice(failedBefore, printed)) console.log(formatFailure(failure));
    if (Math.floor(totals.results / progressEvery) === before) return;
    const speed = (totals.results / (performance.now() - started)) * 1000;
    console.log(`${totals.results} of ${count}, ${totals.failed.length} failed, ${speed.toFixed(0)} a second`);
  }
}

function options() {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: '1' },
      count: { type: 'string', default: String(coveredFrom) },
      only: { type: 'string' },
      workers: { type: 'string', default: '2' },
    },
  });
  const first = Number(values.only ?? values.seed);
  const count = values.only === undefined ? Number(values.count) : 1;
  const workers = Math.min(Number(values.workers), Math.ceil(count / portion));
  if (![first, count, workers].every(Number.isSafeInteger) || count < 1)
    throw new Error('--seed and --count are whole numbers');
  return { first, count, workers };
}

/** Gives a worker seeds until there are none left. A worker that ends before that leaves its seeds without a result. */
function runWorker(take, note) {
  return new Promise((resolve) => {
    const child = fork(fileURLToPath(import.meta.url));
    const give = () => {
      const seeds = take();
      if (seeds.length > 0) child.send(seeds);
      else child.disconnect();
    };
    child.on('message', (results) => {
      note(results);
      give();
    });
    child.on('exit', resolve);
    give();
  });
}
