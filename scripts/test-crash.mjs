// Kills processes that work on a JSONL store, at random moments and at chosen ones, and lets a judge that knows the
// format of the files, and nothing of the product, hold what is left against what had been acknowledged:
//
//     node --conditions=@varve/source --import tsx scripts/test-crash.mjs [--rounds N] [--seed N] [--flips N] [--workers N]
//
// A store has ten rounds; each begins where the one before was killed. Seeds of stores are --seed, --seed + 1, …: with
// --rounds 10, that of a failure runs its store again. At the end of each store single bytes of its journal are flipped.
// Prints where processes were killed and what was found, and, last, `N passed, N failed`.
import { parseArgs } from 'node:util';
import { buildWorker } from '../test/crash/build-worker.ts';
import { countResults, formatCrashes, formatFaults } from '../test/crash/crash-table.ts';
import { runLife } from '../test/crash/run-life.ts';

/** Rounds of one store: its journal grows with them. */
const roundsOfLife = 10;

process.exitCode = await main();

async function main() {
  const { rounds, seed, flips, workers } = options();
  const count = Math.ceil(rounds / roundsOfLife);
  console.log(`seeds ${seed} to ${seed + count - 1}, ${rounds} rounds, ${workers} workers`);
  const started = performance.now();
  const lives = [];
  let next = 0;
  const worker = await buildWorker();
  try {
    await Promise.all(Array.from({ length: workers }, runLives));
  } finally {
    worker.remove();
  }
  console.log(formatCrashes(lives));
  console.log(`${((performance.now() - started) / 1000).toFixed(1)} s`);
  const { passed, failed } = countResults(lives);
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;

  async function runLives() {
    while (next < count) {
      const index = next;
      next += 1;
      const own = Math.min(roundsOfLife, rounds - index * roundsOfLife);
      const flipped = Math.floor(((index + 1) * flips) / count) - Math.floor((index * flips) / count);
      const life = await runLife({ seed: seed + index, rounds: own, flips: flipped, worker: worker.file });
      lives.push(life);
      const faults = formatFaults(life);
      if (faults !== '') console.log(faults);
    }
  }
}

function options() {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '200' },
      seed: { type: 'string', default: '1' },
      flips: { type: 'string', default: '100' },
      workers: { type: 'string', default: '2' },
    },
  });
  const [rounds = 0, seed = 0, flips = 0, workers = 0] = [values.rounds, values.seed, values.flips, values.workers].map(
    Number,
  );
  if (![rounds, seed, flips, workers].every(Number.isSafeInteger) || Math.min(rounds, workers) < 1 || flips < 0) {
    throw new Error('--rounds, --seed, --flips and --workers are whole numbers');
  }
  return { rounds, seed, flips, workers };
}
