// Runs in a process of its own: what is checked may hang, end it, or use up its memory.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import type { CheckJob, CheckMessage } from './check-job.ts';
import { findTrials, type Kit, NothingToCheck } from './find-trials.ts';

const send = process.send?.bind(process);
// What is checked has nothing to say to the command line.
process.send = undefined as never;

// Nobody is left to tell.
process.once('disconnect', () => process.exit(1));

// What is checked is not told the secret, which all messages bear.
const [text = '', skipped = '0', secret = ''] = process.argv.splice(2);
await check(JSON.parse(text) as CheckJob, { skip: Number(skipped) });
process.exit(0);

/** Each message has left this process before what it announces is begun. */
async function say(message: CheckMessage): Promise<void> {
  await new Promise<void>((resolve) => {
    if (send === undefined) resolve();
    else send({ secret, message }, undefined, {}, () => resolve());
  });
}

async function check(job: CheckJob, { skip }: { readonly skip: number }): Promise<void> {
  const kit = await loadKit(job.folder);
  await say({ type: 'importing' });
  let trials: Awaited<ReturnType<typeof findTrials>>;
  try {
    trials = await findTrials(await import(pathToFileURL(job.entry).href), job, kit);
  } catch (error) {
    return say({ type: 'refused', ...refusalOf(error) });
  }
  await say({ type: 'found', trials: trials.map(({ kind, subject, cases }) => ({ kind, subject, cases })) });
  for (const [index, one] of trials.flatMap(({ ready }) => ready).entries()) {
    if (index < skip) continue;
    await say({ type: 'begun', index });
    const { name } = one;
    const expected = job.expectFail[name];
    const expectFail = expected === undefined ? {} : { [name]: expected };
    const { status, reason } = await one.run({ timeoutMs: job.timeoutMs, expectFail });
    await say({ type: 'ended', index, status, reason });
  }
  await say({ type: 'done' });
}

/** The packages as the checked one sees them, so that both have the same core; those of the command line otherwise. */
async function loadKit(folder: string): Promise<Kit> {
  const require = createRequire(join(folder, 'package.json'));
  const load = async <Module>(name: string, own: () => Promise<Module>): Promise<Module> => {
    let path: string;
    try {
      path = require.resolve(name);
    } catch {
      return own();
    }
    return import(pathToFileURL(path).href) as Promise<Module>;
  };
  return {
    core: await load('@varve/core', () => import('@varve/core')),
    testkit: await load('@varve/testkit', () => import('@varve/testkit')),
    runner: await load('@varve/testkit/node', () => import('@varve/testkit/node')),
  };
}

function refusalOf(error: unknown): { readonly message: string; readonly fix: string } {
  if (error instanceof NothingToCheck) return { message: error.message, fix: error.fix };
  return {
    message: `It threw while it was imported: ${shown(error)}.`,
    fix: 'Correct what it does when imported.',
  };
}

/** Anything can be thrown, also what refuses to be text. */
function shown(thrown: unknown): string {
  try {
    if (!(thrown instanceof Error)) return String(thrown);
    const [frame] = /^ +at .*$/m.exec(thrown.stack ?? '') ?? [];
    return `${thrown.name}: ${thrown.message}${frame === undefined ? '' : ` (${frame.trim()})`}`;
  } catch {
    return 'something that has no text';
  }
}
