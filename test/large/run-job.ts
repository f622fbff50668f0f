import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { LargeJob, LargeSaid } from './said.ts';

/** The heap that a process may have, in megabytes. */
export const heapMegabytes = 64;

/** How a job ended: what its process said, or what it died of. */
export interface JobEnd {
  readonly job: LargeJob;
  /** `null` when the process died. */
  readonly said: LargeSaid | null;
  /** What is wrong; none when all is well. */
  readonly faults: readonly string[];
}

/** Runs a job in a process of its own, with a small heap. */
export async function runJob(worker: string, job: LargeJob): Promise<JobEnd> {
  const first = pathToFileURL(join(dirname(worker), 'count-reads.mjs')).href;
  const flags = [`--max-old-space-size=${heapMegabytes}`, '--import', first];
  const child = spawn(process.execPath, [...flags, worker, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const out: string[] = [];
  const errors: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => out.push(text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => errors.push(text));
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => {
    child.once('close', (...end) => resolve(end));
  });
  if (code !== 0) return { job, said: null, faults: [`${signal ?? code}: ${errors.join('').slice(0, 2_000)}`] };
  const said: LargeSaid = JSON.parse(out.join(''));
  return { job, said, faults: said.faults };
}
