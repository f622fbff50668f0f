import { type ChildProcess, fork } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { seededRandom } from '@varve/testkit';
import { type Judgement, judgeLoad } from './oracle/judge-load.ts';
import { type RootText, readRoot } from './oracle/read-root.ts';
import type { LoadJob, LoadSaid, LoadSample, LogLine } from './said.ts';

/** The part of its operations after which the first process is killed. */
const killedAfter = 0.9;

/** How much is done. */
export interface LoadOptions {
  readonly seed: number;
  readonly sessions: number;
  readonly maxLive: number;
  /** Operations of the worker that is killed, and of the one after it. */
  readonly operations: readonly [number, number];
  readonly concurrency: number;
  readonly sampleEvery: number;
  /** Told of each sample as it comes. */
  readonly onSample?: (worker: number, sample: LoadSample) => void;
}

/** What came of it. */
export interface LoadResult {
  readonly options: Omit<LoadOptions, 'onSample'>;
  /** By worker. */
  readonly samples: readonly (readonly LoadSample[])[];
  readonly judgement: Judgement;
  /** What a judge has seen, for showing that the judge sees faults. */
  readonly seen: { readonly root: RootText; readonly log: readonly LogLine[]; readonly killed: number };
  /** What workers failed with. */
  readonly failures: readonly string[];
  readonly seconds: number;
  /** Where the files are; `null` when nothing was wrong. */
  readonly kept: string | null;
}

/**
 * Lets a worker make conversations and traffic in them, kills it without a warning, lets another one go on that uses each
 * conversation at least once more and closes in the end, and judges what lies in the folder.
 */
export async function runLoad({ onSample, ...options }: LoadOptions): Promise<LoadResult> {
  const { seed, sessions, maxLive, operations, concurrency, sampleEvery } = options;
  const folder = mkdtempSync(join(tmpdir(), 'varve-load-'));
  const root = join(folder, 'store');
  const log = join(folder, 'log.jsonl');
  const started = performance.now();
  const samples: LoadSample[][] = [];
  const failures: string[] = [];
  let killed = 0;
  const common = { root, sessions, maxLive, concurrency, sampleEvery, log };
  for (const worker of [1, 2]) {
    const own: LoadSample[] = [];
    samples.push(own);
    const firstUses = shuffled(sessions, seed + worker);
    const count = operations[worker - 1] ?? 0;
    const job: LoadJob = { ...common, seed: seed + worker, worker, firstUses, operations: count };
    const { failure, pid } = await runWorker(job, {
      isKilled: worker === 1,
      onSample: (sample) => {
        own.push(sample);
        onSample?.(worker, sample);
      },
    });
    if (worker === 1) killed = pid;
    if (failure !== null) failures.push(`worker ${worker}: ${failure}`);
  }
  const seen = { root: readRoot(root), log: readLog(log), killed };
  const judgement = judgeLoad(seen.root, seen);
  const isGood = judgement.faults.length === 0 && failures.length === 0;
  if (isGood) rmSync(folder, { recursive: true });
  const seconds = Math.round((performance.now() - started) / 1_000);
  return { options, samples, judgement, seen, failures, seconds, kept: isGood ? null : folder };
}

function readLog(file: string): readonly LogLine[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line): LogLine => JSON.parse(line));
}

/** Runs a worker to its end, or kills it shortly before; resolves to what went wrong. */
async function runWorker(
  job: LoadJob,
  { isKilled, onSample }: { readonly isKilled: boolean; onSample(sample: LoadSample): void },
): Promise<{ readonly failure: string | null; readonly pid: number }> {
  const child = startWorker();
  let failure: string | null = null;
  let isClosed = false;
  child.on('message', (said: LoadSaid) => {
    if (said.said === 'failed') failure = said.error;
    else onSample(said.sample);
    if (said.said === 'closed') isClosed = true;
    // In the middle of what goes on.
    if (isKilled && said.said === 'sample' && said.sample.operations >= job.operations * killedAfter)
      child.kill('SIGKILL');
    if (said.said === 'failed') child.kill('SIGKILL');
  });
  child.send(job);
  await new Promise((resolve) => child.once('exit', resolve));
  if (failure === null && isKilled && isClosed) failure = 'it was done before it was killed';
  if (failure === null && !isKilled && !isClosed) failure = 'it ended before it was done';
  return { failure, pid: child.pid ?? 0 };
}

function startWorker(): ChildProcess {
  const file = fileURLToPath(new URL('./worker/load-worker.ts', import.meta.url));
  const execArgv = ['--expose-gc', '--conditions=@varve/source', '--import', import.meta.resolve('tsx')];
  return fork(file, { execArgv, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
}

function shuffled(count: number, seed: number): readonly number[] {
  const random = seededRandom(seed);
  const numbers = Array.from({ length: count }, (_, index) => index);
  for (let last = count - 1; last > 0; last -= 1) {
    const other = random.integer(0, last);
    [numbers[last], numbers[other]] = [numbers[other] as number, numbers[last] as number];
  }
  return numbers;
}
