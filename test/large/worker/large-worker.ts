import type { LargeJob, LargeSaid } from '../said.ts';
import { counted } from './count-reads.ts';
import { doTask } from './do-task.ts';
import { watchMemory } from './watch-memory.ts';

const job: LargeJob = JSON.parse(process.argv[2] ?? '');
const memory = watchMemory();
const ms: number[] = [];
const cpuMs: number[] = [];
const results: { readonly found: string; readonly faults: readonly string[] }[] = [];
let once = { ...counted };
for (let time = 0; time < (job.times ?? 1); time += 1) {
  const began = performance.now();
  const used = process.cpuUsage();
  results.push(await doTask(job));
  ms.push(performance.now() - began);
  const { user, system } = process.cpuUsage(used);
  cpuMs.push((user + system) / 1_000);
  if (time === 0) once = { ...counted };
}
const faults = results.flatMap((result) => result.faults);
const found = results[0]?.found ?? '';
const said: LargeSaid = { found, faults, ms, cpuMs, ...once, baseRss: memory.baseRss, ...memory.peak() };
process.stdout.write(`${JSON.stringify(said)}\n`);
