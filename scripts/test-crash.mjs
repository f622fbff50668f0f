// Stops processes and disks that a JSONL store works on, and lets a judge that knows the format of the files, and nothing
// of the product, hold what is left against what had been acknowledged:
//
//     node --conditions=@varve/source --import tsx scripts/test-crash.mjs [--only PART,…] [--seed N] [--workers N]
//         [--rounds N] [--flips N] [--every N] [--points N]
//
// Parts:
//     kills       processes that are killed on the real disk, at random moments and at chosen ones: --rounds of them. A
//                 store has ten rounds; each begins where the one before was killed. At the end of each store single bytes
//                 of its journal are flipped: --flips in all.
//     every-byte  200 operations on a disk in memory that is stopped between every two changes and at every byte of every
//                 write, or with --every N at each N-th of these points
//     power       all that was not synced is lost, at --points points; some-power: an arbitrary part of it
//     disk        a tenth of --points on the real disk
//     failed-syncs  every fourth sync fails and drops what was to be written; then power is lost
//     flips       one bit of a journal or an index is another, --points / 2.5 times
//     trace       the system calls of a process that appends, by strace, if it is there
//
// Prints what was found and, last, `N passed, N failed`.
import { parseArgs } from 'node:util';
import { buildWorker } from '../test/crash/build-worker.ts';
import { countResults, formatCrashes, formatFaults } from '../test/crash/crash-table.ts';
import { runLife } from '../test/crash/run-life.ts';
import { runShares } from '../test/crash/stops/run-shares.ts';
import { runTrace } from '../test/crash/trace/run-trace.ts';

/** Rounds of one store: its journal grows with them. */
const roundsOfLife = 10;

/** Appends that may share a sync must do so at least this often, with 64 of them in flight. */
const leastAppendsOfSync = 16;

const parts = {
  kills,
  'every-byte': stops,
  power: stops,
  'some-power': stops,
  disk: stops,
  'failed-syncs': stops,
  flips: stops,
  trace,
};

process.exitCode = await main();

async function main() {
  const given = options();
  const totals = { passed: 0, failed: 0 };
  for (const part of given.only) {
    const started = performance.now();
    const { passed, failed } = await parts[part](part, given);
    totals.passed += passed;
    totals.failed += failed;
    console.log(`${part}: ${passed} passed, ${failed} failed, ${((performance.now() - started) / 1000).toFixed(1)} s`);
  }
  console.log(`${totals.passed} passed, ${totals.failed} failed`);
  return totals.failed === 0 ? 0 : 1;
}

async function stops(part, { seed, workers, every, points }) {
  const tenth = Math.ceil(points / 10);
  const counts = { 'every-byte': every, disk: tenth, 'failed-syncs': tenth, flips: Math.ceil(points / 2.5) };
  const { faults, notes, ...counted } = await runShares(part, { seed, workers, count: counts[part] ?? points });
  console.log(
    `${part}: ${Object.entries(notes)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ')}`,
  );
  for (const { point, rule, text } of faults) console.log(`  ${point}: ${rule}: ${text.slice(0, 600)}`);
  return { passed: counted.points - counted.failed, failed: counted.failed };
}

function trace() {
  const counts = runTrace({ alone: 200, inFlight: 64, rounds: 50 });
  if ('skipped' in counts) {
    console.log(`trace: skipped, as ${counts.skipped}`);
    return { passed: 0, failed: 0 };
  }
  const { acknowledged, recorded, tooEarly, alone, inFlight } = counts;
  console.log(
    `trace: ${acknowledged} entries and ${recorded} records acknowledged, ${tooEarly.length} before the sync`,
  );
  for (const [name, { appends, writes, syncs }] of Object.entries({ alone, '64 in flight': inFlight })) {
    console.log(`trace: ${name}: ${appends} appends, ${writes} writes, ${syncs} syncs`);
  }
  for (const text of tooEarly.slice(0, 5)) console.log(`  ${text}`);
  const isShared = inFlight.syncs * leastAppendsOfSync <= inFlight.appends;
  const failed = tooEarly.length + (isShared ? 0 : 1);
  return { passed: acknowledged + recorded + 1 - failed, failed };
}

async function kills(_part, { rounds, seed, flips, workers }) {
  const count = Math.ceil(rounds / roundsOfLife);
  console.log(`seeds ${seed} to ${seed + count - 1}, ${rounds} rounds, ${workers} workers`);
  const lives = [];
  let next = 0;
  const worker = await buildWorker();
  try {
    await Promise.all(Array.from({ length: workers }, runLives));
  } finally {
    worker.remove();
  }
  console.log(formatCrashes(lives));
  return countResults(lives);

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
      only: { type: 'string', default: Object.keys(parts).join(',') },
      rounds: { type: 'string', default: '200' },
      seed: { type: 'string', default: '1' },
      flips: { type: 'string', default: '100' },
      workers: { type: 'string', default: '2' },
      every: { type: 'string', default: '1' },
      points: { type: 'string', default: '5000' },
    },
  });
  const only = values.only.split(',');
  const unknown = only.filter((part) => !Object.hasOwn(parts, part));
  if (unknown.length > 0) throw new Error(`there is no part ${unknown.join(', ')}`);
  const { rounds, seed, flips, workers, every, points } = values;
  const numbers = {
    rounds: Number(rounds),
    seed: Number(seed),
    flips: Number(flips),
    workers: Number(workers),
    every: Number(every),
    points: Number(points),
  };
  const isWhole = Object.values(numbers).every(Number.isSafeInteger);
  const least = Math.min(numbers.rounds, numbers.workers, numbers.every, numbers.points);
  if (!isWhole || least < 1 || numbers.flips < 0) {
    throw new Error('--rounds, --seed, --flips, --workers, --every and --points are whole numbers');
  }
  return { only, ...numbers };
}
