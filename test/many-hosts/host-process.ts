import { type ChildProcess, fork } from 'node:child_process';
import type { FromHost, HostJob, Task, ToHost } from './said.ts';

/** A host in a process of its own. */
export class HostProcess {
  readonly #child: ChildProcess;
  readonly #errors: string[] = [];
  readonly ended: Promise<{
    readonly code: number | null;
    readonly signal: NodeJS.Signals | null;
    readonly errors: string;
  }>;
  /** What it has been told to do and has not said the end of. */
  readonly tasks = new Map<string, Task>();
  isReady = false;

  constructor(file: string, { job, onSaid }: { readonly job: HostJob; onSaid(said: FromHost): void }) {
    this.#child = fork(file, [JSON.stringify(job)], {
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      execArgv: ['--enable-source-maps'],
    });
    this.#child.on('message', (said: FromHost) => onSaid(said));
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => this.#errors.push(text));
    this.ended = new Promise((resolve) => {
      this.#child.on('close', (code, signal) => resolve({ code, signal, errors: this.#errors.join('') }));
    });
  }

  /** Says something to it; what is said to one that is gone is lost. */
  say(said: ToHost): void {
    if (this.#child.connected) this.#child.send(said, () => {});
  }

  give(task: Task): void {
    this.tasks.set(task.id, task);
    this.say({ is: 'task', task });
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}
