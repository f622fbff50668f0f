// A process that works on a store until it is killed. The parent writes a job to its standard input, and `go` when it
// has looked at what was opened; see ../said.ts for what comes back.
import { createInterface } from 'node:readline';
import type { Job } from '../said.ts';
import { openStage, tell } from './crash-stage.ts';
import { type Operation, operations, resume } from './operations.ts';

/** Operations that run at the same time when they do. */
const crowd = 4;

/** How often each is drawn. */
const weights: Readonly<Record<keyof typeof operations, number>> = {
  ...{ ingest: 5, turn: 9, assemble: 3, compact: 2 },
  ...{ state: 2, setting: 1, undo: 2, rewind: 1, forget: 1 },
};

const lines = createInterface({ input: process.stdin });
// Nobody is left to tell anything.
lines.on('close', () => process.exit(0));
const answers = lines[Symbol.asyncIterator]();

try {
  const { value } = await answers.next();
  if (value !== undefined) await work(JSON.parse(value));
} catch (error) {
  tell({ say: 'problem', text: `the worker failed: ${error instanceof Error ? error.stack : error}` });
}
process.exit(0);

async function work(job: Job): Promise<void> {
  const stage = await openStage(job);
  await answers.next();
  await resume(stage);
  for (let count = 0; count < job.operations; count += 1) {
    stage.advance();
    if (job.forgetsSoon && count % 6 === 2) await operations.forget(stage);
    else if (stage.random.chance(0.2)) await Promise.all(Array.from({ length: crowd }, () => drawn(true)(stage)));
    else await drawn(false)(stage);
  }
  await stage.host.close();
  tell({ say: 'closed' });

  function drawn(inCrowd: boolean): Operation {
    const names = Object.entries(weights).flatMap(([name, weight]) => Array.from({ length: weight }, () => name));
    const name = stage.random.pick(names as [keyof typeof operations, ...(keyof typeof operations)[]]);
    return inCrowd && (name === 'forget' || name === 'rewind') ? operations.ingest : operations[name];
  }
}
