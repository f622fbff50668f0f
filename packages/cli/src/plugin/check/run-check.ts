import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { throwIfAborted, VarveError } from '@varve/core';
import type { ScoreCard, ScoredCase } from '@varve/testkit';
import type { CliIo } from '../../terminal/cli-io.ts';
import { type CheckJob, type CheckMessage, type FoundTrial, readMessage } from './check-job.ts';

/** How a check is watched. */
export interface RunCheckOptions {
  readonly env: CliIo['env'];
  readonly signal?: AbortSignal | undefined;
  /** Called when a case begins. */
  readonly onProgress?:
    | ((step: { readonly done: number; readonly of: number; readonly doing: string }) => void)
    | undefined;
}

/** So many processes may be lost to one package; the cases behind the last one are not run. */
const mostLostProcesses = 3;
/** A process whose case is late says so itself; one that is silent for so much longer is blocked. */
const mostGraceMs = 2_000;
/** How long the testkit may take to load, on a machine that has much else to do. */
const startMs = 120_000;
const hasGroups = process.platform !== 'win32';
/** So long is read on what a process that has ended said: those that it left behind may keep its pipes open. */
const drainMs = 1_000;
/** So much of what a process said last is kept. */
const keptChars = 4_000;

/**
 * Holds a module against the contracts of what it exports, in a process of its own. When the process is lost, the case
 * that it was at has failed, and another process goes on behind it.
 *
 * @throws VARVE_PLUGIN_UNLOADABLE  when the module cannot be imported, exports nothing of the kind, or no case came of it.
 * @throws VARVE_ABORTED
 */
export async function runCheck(job: CheckJob, options: RunCheckOptions): Promise<readonly ScoreCard[]> {
  const state: CheckState = { trials: null, results: [], running: null };
  for (let lost = 0; lost < mostLostProcesses; lost += 1) {
    const end = await runProcess(job, { ...options, state });
    throwIfAborted(options.signal);
    if (end.refusal !== undefined) throw unloadable(job, end.refusal);
    if (end.isDone) break;
    if (state.trials === null) {
      const fix = 'Let importing it define things and do nothing; run node on the file to see what it does.';
      throw unloadable(job, { message: `It could not be imported: ${end.how}.`, fix });
    }
    // A later process that is lost before its first case has nothing to go on with.
    if (state.running === null) break;
    state.results[state.running] = { status: 'failed', reason: `The process was lost: ${end.how}.` };
    state.running = null;
  }
  if ((state.trials ?? []).every(({ cases }) => cases.length === 0)) {
    const fix = 'Install the @varve/testkit that belongs to this command line where the module finds it.';
    throw unloadable(job, { message: 'The testkit that it sees has no case for it, so nothing was checked.', fix });
  }
  return cardsOf(state, job);
}

interface CheckState {
  trials: readonly FoundTrial[] | null;
  /** By the number of the case. */
  readonly results: Pick<ScoredCase, 'status' | 'reason'>[];
  running: number | null;
}

interface ProcessEnd {
  readonly isDone: boolean;
  readonly refusal?: { readonly message: string; readonly fix: string };
  /** Why it ended, for one that did not say so. */
  readonly how: string;
}

type Watched = RunCheckOptions & { readonly state: CheckState };

function runProcess(job: CheckJob, watched: Watched): Promise<ProcessEnd> {
  const { state, env, signal } = watched;
  const file = new URL(`./check-process${extname(fileURLToPath(import.meta.url))}`, import.meta.url);
  const secret = randomUUID();
  const child = fork(file, [JSON.stringify(job), String(state.results.length), secret], {
    cwd: job.folder,
    env: { ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    // A group of its own, which what it starts belongs to. On Windows there are none, and a window would open.
    detached: hasGroups,
  });
  const said = keepLast(child);
  return new Promise((resolve) => {
    let refusal: ProcessEnd['refusal'];
    let isDone = false;
    let blocked: string | null = null;
    let timer: NodeJS.Timeout | undefined;
    const watch = (ms: number): void => {
      clearTimeout(timer);
      if (hasExited(child)) return;
      timer = setTimeout(() => {
        blocked = `it did not answer for ${ms} ms, and was killed`;
        killAll(child);
      }, ms);
    };
    const abort = (): void => killAll(child);
    // A terminal that is closed tells its own group alone.
    const hangUp = (): void => {
      abort();
      process.kill(process.pid, 'SIGHUP');
    };
    process.once('SIGHUP', hangUp);
    signal?.addEventListener('abort', abort);
    if (signal?.aborted === true) abort();
    watch(startMs);
    child.on('message', (sent) => {
      const message = readMessage(sent, secret);
      if (message === null) return;
      watch(message.type === 'begun' ? job.timeoutMs + Math.min(job.timeoutMs, mostGraceMs) : job.importMs);
      if (message.type === 'refused') refusal = message;
      if (message.type === 'done') isDone = true;
      note(message, watched);
    });
    child.once('error', (error) => said.add(`${error}\n`));
    child.once('exit', () => clearTimeout(timer));
    endLeftovers(child);
    child.once('close', (code, killedBy) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      process.off('SIGHUP', hangUp);
      const how = blocked ?? (code === null ? `it was ended by ${killedBy}` : `it ended itself with exit code ${code}`);
      const end = { isDone, how: `${how}${said.text()}` };
      resolve(refusal === undefined ? end : { ...end, refusal });
    });
  });
}

/** Kills a process, and what it has started in its group. */
function killAll(child: ChildProcess): void {
  try {
    if (hasGroups && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    else child.kill('SIGKILL');
  } catch {
    // Nothing of it is left.
  }
}

/** Once a process has ended, ends what it started, and does not wait for what keeps its pipes open all the same. */
function endLeftovers(child: ChildProcess): void {
  let drain: NodeJS.Timeout | undefined;
  const closePipes = (): void => {
    child.stdout?.destroy();
    child.stderr?.destroy();
    if (child.connected) child.disconnect();
  };
  child.once('exit', () => {
    killAll(child);
    // What has arrived by then is read before the pipes are closed.
    drain = setTimeout(() => setImmediate(closePipes), drainMs);
  });
  child.once('close', () => clearTimeout(drain));
}

function hasExited({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

function note(message: CheckMessage, { state, onProgress }: Watched): void {
  if (message.type === 'found') state.trials ??= message.trials;
  if (message.type === 'begun') {
    state.running = message.index;
    const names = (state.trials ?? []).flatMap(({ cases }) => cases.map(({ name }) => name));
    onProgress?.({ done: message.index, of: names.length, doing: names[message.index] ?? '' });
  }
  if (message.type === 'ended') {
    state.results[message.index] = { status: message.status, reason: message.reason };
    state.running = null;
  }
}

/** Keeps what a process printed last, for when it is lost. */
function keepLast(child: ChildProcess): { add(text: string): void; text(): string } {
  let kept = '';
  const add = (text: string): void => {
    kept = `${kept}${text}`.slice(-keptChars);
  };
  child.stdout?.resume();
  child.stderr?.setEncoding('utf8').on('data', add);
  const text = (): string => {
    const lines = kept.split('\n').map((line) => line.trim());
    const telling = lines.filter((line) => line !== '' && !/^(at |Node\.js v|\^+$|file:|node:|<---)/.test(line));
    return telling.length === 0 ? '' : `; it said last: ${telling.slice(-3).join(' / ')}`;
  };
  return { add, text };
}

async function cardsOf({ trials, results }: CheckState, { expectFail }: CheckJob): Promise<readonly ScoreCard[]> {
  const { scoreCard } = await import('@varve/testkit');
  const all = trials ?? [];
  const known = new Set(all.flatMap(({ cases }) => cases.map(({ name }) => name)));
  const strange = Object.keys(expectFail).filter((name) => !known.has(name));
  let index = 0;
  return all.map(({ kind, subject, cases }, position) => {
    const scored = cases.map(({ name, why }) => {
      const result = results[index++] ?? { status: 'not-run' as const, reason: 'its process had been lost too often' };
      return { name, why, ...result };
    });
    const unknown = position > 0 ? [] : strange.map(unknownExpectation);
    return scoreCard([...scored, ...unknown], { kind, subject });
  });
}

function unknownExpectation(name: string): Omit<ScoredCase, 'page'> {
  const reason = 'There is no case of that name; take it out of the accepted deviations.';
  return { name, why: 'A deviation that nobody checks hides what it was for.', status: 'failed', reason };
}

function unloadable({ entry }: CheckJob, { message, fix }: { message: string; fix: string }): VarveError {
  return new VarveError('VARVE_PLUGIN_UNLOADABLE', `"${entry}": ${message}`, { fix, details: { entry } });
}
