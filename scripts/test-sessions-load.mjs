// Keeps many conversations in a JSONL store, few of them awake, kills the process in the middle, lets another one go on,
// and holds the files, and how much memory and how many files were in use, against what must hold:
//
//     pnpm test:sessions-load [--sessions N] [--live N] [--operations N] [--concurrency N] [--seed N] [--json FILE]
//
// --operations is how many things the first process does; the second uses each conversation at least once. Prints how the
// processes stood meanwhile, what holds, and, last, `N passed, N failed`.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { checksOf, formatResult, formatSample, sampleHeads } from '../test/sessions-load/load-table.ts';
import { runLoad } from '../test/sessions-load/run-load.ts';

process.exitCode = await main();

async function main() {
  const { seed, sessions, live, operations, concurrency, json } = options();
  console.log(`seed ${seed}, ${sessions} conversations, ${live} of them awake, ${concurrency} at once`);
  console.log(sampleHeads);
  const result = await runLoad({
    seed,
    sessions,
    maxLive: live,
    operations: [operations, sessions],
    concurrency,
    sampleEvery: Math.ceil(operations / 30),
    onSample: (worker, sample) => console.log(formatSample(worker, sample)),
  });
  console.log(formatResult(result));
  if (json !== undefined) {
    const { seen: _seen, ...figures } = result;
    writeFileSync(json, `${JSON.stringify({ ...figures, checks: checksOf(result) }, null, 2)}\n`);
  }
  const failed = checksOf(result).filter(({ faults }) => faults.length > 0).length;
  console.log(`${checksOf(result).length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

function options() {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: '1' },
      sessions: { type: 'string', default: '10000' },
      live: { type: 'string', default: '500' },
      operations: { type: 'string', default: '15000' },
      concurrency: { type: 'string', default: '32' },
      json: { type: 'string' },
    },
  });
  const { json, ...numbers } = values;
  const [seed = 0, sessions = 0, live = 0, operations = 0, concurrency = 0] = [
    ...[numbers.seed, numbers.sessions, numbers.live, numbers.operations, numbers.concurrency].map(Number),
  ];
  const all = [seed, sessions, live, operations, concurrency];
  if (!all.every(Number.isSafeInteger) || Math.min(sessions, live, operations, concurrency) < 1) {
    throw new Error('--sessions, --live, --operations, --concurrency and --seed are whole numbers');
  }
  return { seed, sessions, live, operations, concurrency, json };
}
