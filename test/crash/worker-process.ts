import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Job, Said } from './said.ts';

/** A worker that takes longer is killed, and that is a fault. */
const deadlineMs = 120_000;

/** How a worker ended. */
export interface WorkerEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** What it wrote to its standard error. */
  readonly errors: string;
  readonly wasLate: boolean;
}

/** A process that works on a store. It is started ahead, so that it is ready when its turn comes. */
export class WorkerProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<WorkerEnd>;
  readonly #listeners = new Set<(said: Said) => void>();
  #isLate = false;

  /** @param file  The worker, built. */
  constructor(file: string) {
    this.#child = spawn(process.execPath, ['--enable-source-maps', file], { stdio: ['pipe', 'pipe', 'pipe'] });
    const errors: string[] = [];
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => errors.push(text));
    // A worker that is gone takes no more orders.
    this.#child.stdin?.on('error', () => {});
    const lines = createInterface({ input: this.#child.stdout as NodeJS.ReadableStream });
    lines.on('line', (line) => this.#hear(line));
    // All that was written is read before this.
    const isRead = new Promise<void>((resolve) => lines.on('close', resolve));
    this.#ended = new Promise((resolve) => {
      this.#child.on('close', (code, signal) => {
        void isRead.then(() => resolve({ code, signal, errors: errors.join(''), wasLate: this.#isLate }));
      });
    });
  }

  /** Begins a job; `listener` hears all that is said until the end. */
  begin(job: Job, listener: (said: Said) => void): Promise<WorkerEnd> {
    this.#listeners.add(listener);
    this.#child.stdin?.write(`${JSON.stringify(job)}\n`);
    const late = setTimeout(() => {
      this.#isLate = true;
      this.kill();
    }, deadlineMs);
    return this.#ended.finally(() => clearTimeout(late));
  }

  /** Lets the worker go on after it has opened the store. */
  go(): void {
    this.#child.stdin?.write('go\n');
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** Ends a worker that is not needed. */
  async end(): Promise<void> {
    this.kill();
    await this.#ended;
  }

  /** The last line of a killed process may be half of one. */
  #hear(line: string): void {
    let said: Said;
    try {
      said = JSON.parse(line);
    } catch {
      return;
    }
    for (const listener of this.#listeners) listener(said);
  }
}
