import { execFile } from 'node:child_process';
import type { Job, JobDone } from './job.ts';

/** A process that takes longer is killed, and that is a fault. */
const deadlineMs = 240_000;

/** How a process ended that did a job. */
export interface JobEnd {
  readonly isKilled: boolean;
  readonly operations: number;
}

/** Lets a process of its own do a job. @throws when it ends in another way than by its work or by its own kill. */
export function runJob(worker: string, job: Job): Promise<JobEnd> {
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [worker, JSON.stringify(job)], { timeout: deadlineMs }, (error, stdout, stderr) => {
      if (error?.signal === 'SIGKILL') return resolve({ isKilled: true, operations: 0 });
      if (error !== null || stderr !== '') return reject(new Error(`${JSON.stringify(job)}: ${error?.message}`));
      const { operations } = JSON.parse(stdout) as JobDone;
      resolve({ isKilled: false, operations });
    });
  });
}
