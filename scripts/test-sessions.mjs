// Plays long sessions through the clients of the providers against model servers on the loopback interface, and holds
// what the servers received, and the journals, against what must hold:
//
//     pnpm test:sessions [--seeds 1,2,3] [--turns N] [--fault-turns N] [--api NAME] [--only KIND] [--json FILE]
//
// Kinds are session, fault, held and overflow. --workers N plays N at a time. Prints tables, what falls short with the
// job that plays it again, and, last, `N passed, N failed`.
import { fork } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { planJobs, runJob } from '../test/sessions/session-jobs.ts';
import { formatResults, shortcomings } from '../test/sessions/session-table.ts';

if (process.send === undefined) process.exitCode = await main();
else work();

/** A worker: plays the jobs that it is given. */
function work() {
  process.on('disconnect', () => process.exit());
  process.on('message', async (/** @type {import('../test/sessions/session-jobs.ts').SessionJob} */ job) =>
    process.send?.(await runJob(job)),
  );
}

async function main() {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string', default: '1,2,3' },
      turns: { type: 'string', default: '400' },
      'fault-turns': { type: 'string', default: '80' },
      api: { type: 'string' },
      only: { type: 'string' },
      job: { type: 'string' },
      json: { type: 'string' },
      workers: { type: 'string', default: '2' },
    },
  });
  const { seeds, turns, 'fault-turns': faultTurns, api, only, job, json, workers } = values;
  /** @type {import('../test/sessions/session-jobs.ts').SessionExtent} */
  const extent = {
    seeds: seeds.split(',').map(Number),
    apis:
      api === undefined ? ['messages', 'chat', 'responses'] : [/** @type {'messages' | 'chat' | 'responses'} */ (api)],
    turns: Number(turns),
    faultTurns: Number(faultTurns),
  };
  const jobs =
    job === undefined ? planJobs(extent).filter(({ kind }) => only === undefined || kind === only) : [JSON.parse(job)];
  const results = await runAll(jobs, Number(workers));
  const known = results.filter((result) => result !== undefined);
  console.log(formatResults(known));
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(known, null, 2)}\n`);
  let failed = 0;
  for (const [index, one] of jobs.entries()) {
    const result = results[index];
    const short = result === undefined ? ['it ended without a result'] : shortcomings(result);
    if (short.length === 0) continue;
    failed += 1;
    console.log(`\npnpm test:sessions --job '${JSON.stringify(one)}'`);
    for (const line of short.slice(0, 5)) console.log(`  ${line}`);
  }
  console.log(`\n${jobs.length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

/** The result of each job in its place; nothing where a worker ended before it had one. */
async function runAll(jobs, workers) {
  const results = [];
  let next = 0;
  let done = 0;
  const take = () => {
    const index = next;
    next += 1;
    return index;
  };
  await Promise.all(
    Array.from({ length: Math.min(workers, jobs.length) }, async () => {
      for (let index = take(); index < jobs.length; index = take()) {
        results[index] = await inWorker(jobs[index]);
        done += 1;
        console.log(`${done} of ${jobs.length}: ${Object.values(jobs[index]).join(' ')}, ${results[index]?.seconds} s`);
      }
    }),
  );
  return results;
}

/** Plays a job in a process of its own, which takes the memory with it when it ends. */
function inWorker(job) {
  return new Promise((resolve) => {
    const child = fork(fileURLToPath(import.meta.url));
    let result;
    child.on('message', (given) => {
      result = given;
      child.disconnect();
    });
    child.on('exit', () => resolve(result));
    child.send(job);
  });
}
