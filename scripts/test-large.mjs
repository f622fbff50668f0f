// Makes a journal of 1 GB in a temporary folder and does with it what people do with journals, each in a process of its
// own with a heap of 64 MB, and counts what is read; breaks its end; wakes journals of 1,000 to 1,000,000 entries:
//
//     pnpm test:large [--size 1gb|100mb] [--only open,search] [--lengths 1000,100000] [--seed N] [--json FILE]
//
// Takes some minutes and 2 GB of room on the disk. Prints the figures, what does not hold, and, last, `N passed, N failed`.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { checksOf, formatResult } from '../test/large/large-table.ts';
import { runLarge } from '../test/large/run-large.ts';
import { largeTasks } from '../test/large/said.ts';

const sizes = { '1gb': 2 ** 30, '100mb': 100 * 2 ** 20, '10mb': 10 * 2 ** 20 };
const lengthsOf = { '1gb': [1_000, 100_000, 1_000_000], '100mb': [1_000, 100_000], '10mb': [1_000, 10_000] };

process.exitCode = await main();

async function main() {
  const { size, seed, tasks, lengths, json } = options();
  const onProgress = (doing) => process.stderr.write(`${doing}\n`);
  const result = await runLarge({ seed, bytes: sizes[size], lengths, tasks, onProgress });
  console.log(formatResult(result));
  const checks = checksOf(result);
  if (json !== undefined) writeFileSync(json, `${JSON.stringify({ seed, size, ...result, checks }, null, 2)}\n`);
  const failed = checks.filter(({ faults }) => faults.length > 0);
  for (const { what, faults } of failed) console.log(`failed: ${what}: ${faults.join('; ')}`);
  console.log(`${checks.length - failed.length} passed, ${failed.length} failed`);
  return failed.length === 0 ? 0 : 1;
}

function options() {
  const { values } = parseArgs({
    options: {
      size: { type: 'string', default: '1gb' },
      seed: { type: 'string', default: '1' },
      only: { type: 'string' },
      lengths: { type: 'string' },
      json: { type: 'string' },
    },
  });
  const { size, only, json } = values;
  if (!Object.hasOwn(sizes, size)) throw new Error(`--size is one of ${Object.keys(sizes).join(', ')}`);
  const asked = only?.split(',') ?? largeTasks;
  const tasks = largeTasks.filter((task) => asked.includes(task));
  if (tasks.length < asked.length) throw new Error(`--only is some of ${largeTasks.join(', ')}`);
  const lengths = values.lengths?.split(',').filter(Boolean).map(Number) ?? lengthsOf[size];
  const seed = Number(values.seed);
  if (![seed, ...lengths].every(Number.isSafeInteger)) throw new Error('--seed and --lengths are whole numbers');
  return { size, seed, tasks, lengths, json };
}
