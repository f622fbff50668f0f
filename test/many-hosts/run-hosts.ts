import { createRequire } from 'node:module';
import { type Random, seededRandom } from '@varve/testkit';
import type { PostgresServer } from '../../packages/stores/test/postgres/start-server.ts';
import { type TcpProxy, tcpProxy } from '../../packages/stores/test/postgres/tcp-proxy.ts';
import { Bill, type PaidCall } from './bill.ts';
import { HostProcess } from './host-process.ts';
import { type Evidence, readTables } from './oracle/read-tables.ts';
import type { FromHost, HostJob, Task } from './said.ts';

/** What is run. */
export interface RunOptions {
  readonly seed: number;
  /** Messages that are to be stored, answers among them. */
  readonly appends: number;
  readonly sessions: number;
  readonly hosts: number;
  /** Tasks that a host has at the same time. */
  readonly atOnce: number;
  /** Most tasks between two kills, and between two cuts. */
  readonly calm: number;
  /** The worker, built. */
  readonly worker: string;
  readonly server: PostgresServer;
  readonly onProgress?: ((text: string) => void) | undefined;
}

/** A task whose end a host has told. */
interface DoneTask extends Task {
  readonly entryId: string;
  readonly seq: number;
  /** Places in the order of all that was begun and told in the run. */
  readonly begunAt: number;
  readonly doneAt: number;
}

/** What was told, what was paid, and what is in the tables. */
interface Seen {
  readonly done: readonly DoneTask[];
  readonly tasks: readonly Task[];
  readonly calls: readonly PaidCall[];
  readonly evidence: Evidence;
}

/** What a run gave. */
export interface RunResult {
  readonly seen: Seen;
  readonly kills: number;
  readonly cuts: number;
  /** How often a task failed, by its code, and was given to somebody else. */
  readonly failures: Readonly<Record<string, number>>;
  /** Hosts that ended in another way than by a kill or when they were told to. */
  readonly crashes: readonly string[];
  readonly seconds: number;
}

/** The lease of a dead host lasts a minute of the hosts' time: six seconds of ours. */
const speed = 10;

/** How long a host is cut off: shorter and longer than its leases last. */
const cutsMs = [30, 300, 1_500, 9_000] as const;

/** Lets hosts work on one schema until every task is acknowledged, and reads what is in the tables then. */
export async function runHosts(options: RunOptions): Promise<RunResult> {
  return new HostsRun(options).run();
}

class HostsRun {
  readonly #options: RunOptions;
  readonly #random: Random;
  readonly #tasks: readonly Task[];
  readonly #waiting: Task[];
  readonly #begun = new Map<string, number>();
  readonly #done = new Map<string, DoneTask>();
  readonly #bill = new Bill();
  readonly #failures: Record<string, number> = {};
  readonly #crashes: string[] = [];
  readonly #hosts: HostProcess[] = [];
  readonly #schema: string;
  readonly #from = Date.now();
  #proxy: TcpProxy | null = null;
  #isCutOff = false;
  #step = 0;
  #kills = 0;
  #cuts = 0;
  #nextKill = 0;
  #nextCut = 0;
  #finish: () => void = () => {};

  constructor(options: RunOptions) {
    this.#options = options;
    this.#random = seededRandom(options.seed);
    this.#tasks = tasksOf(this.#random, options);
    this.#waiting = [...this.#tasks];
    this.#schema = `varve_hosts_${process.pid}_${options.seed}`;
    this.#nextKill = this.#calm();
    this.#nextCut = this.#calm();
  }

  async run(): Promise<RunResult> {
    const { server, hosts } = this.#options;
    const started = performance.now();
    const pool = server.pool();
    this.#proxy = await tcpProxy(server);
    const finished = new Promise<void>((resolve) => {
      this.#finish = resolve;
    });
    try {
      for (let index = 0; index < hosts; index += 1) this.#start(index);
      await finished;
      this.#proxy.become('open');
      for (const host of this.#hosts) host.say({ is: 'end' });
      await Promise.all(this.#hosts.map(({ ended }) => ended));
      const evidence = await readTables(pool, this.#schema);
      const seen = { done: [...this.#done.values()], tasks: this.#tasks, calls: this.#bill.calls, evidence };
      const seconds = (performance.now() - started) / 1_000;
      const { kills, cuts } = { kills: this.#kills, cuts: this.#cuts };
      return { seen, kills, cuts, failures: this.#failures, crashes: this.#crashes, seconds };
    } finally {
      for (const host of this.#hosts) host.kill();
      await this.#proxy.close();
      await pool.query(`DROP SCHEMA IF EXISTS ${this.#schema} CASCADE`);
    }
  }

  #calm(): number {
    return this.#random.integer(Math.ceil(this.#options.calm / 4), this.#options.calm);
  }

  /** The first host is killed again and again, the second one is behind the proxy, the others are left alone. */
  #start(index: number): void {
    const host = new HostProcess(this.#options.worker, {
      job: this.#job(index),
      onSaid: (said) => this.#hear(said, { host, index }),
    });
    this.#hosts[index] = host;
    void host.ended.then(({ code, signal, errors }) => {
      this.#bill.interrupt(index);
      this.#waiting.push(...host.tasks.values());
      host.tasks.clear();
      if (errors !== '' || (signal !== 'SIGKILL' && code !== 0)) {
        this.#crashes.push(`host ${index}: code ${code}, signal ${signal}: ${errors.slice(0, 2_000)}`);
      }
      if (this.#done.size < this.#tasks.length && this.#crashes.length < 5) this.#start(index);
      else if (this.#crashes.length >= 5) this.#finish();
    });
  }

  #job(index: number): HostJob {
    const { server } = this.#options;
    const port = index === 1 ? (this.#proxy?.port ?? 0) : server.port;
    return {
      driver: createRequire(import.meta.url).resolve('pg'),
      pool: { ...server.access, host: index === 1 ? '127.0.0.1' : server.host, port },
      schema: this.#schema,
      clock: { from: this.#from, speed },
    };
  }

  #hear(said: FromHost, { host, index }: { readonly host: HostProcess; readonly index: number }): void {
    this.#step += 1;
    if (said.is === 'call') {
      const isCutOff = index === 1 && this.#isCutOff;
      this.#bill.pay(said.sessionId, { ids: said.ids, host: index, isCutOff });
      // A model takes its time: kills and cuts fall into it.
      const text = `About ${said.ids.length} metres for ${said.ids.map((id) => `[${id}]`).join(' ')}.`;
      setTimeout(() => host.say({ is: 'answer', call: said.call, text }), this.#random.integer(0, 40));
      return;
    }
    if (said.is === 'ready') host.isReady = true;
    else if (said.is === 'done' || said.is === 'failed') this.#settle(said, { host, index });
    this.#give(host);
  }

  #settle(
    said: Extract<FromHost, { readonly is: 'done' | 'failed' }>,
    { host, index }: { readonly host: HostProcess; readonly index: number },
  ): void {
    const task = host.tasks.get(said.id);
    if (task === undefined) return;
    host.tasks.delete(said.id);
    if (said.is === 'failed') {
      this.#failures[said.code] = (this.#failures[said.code] ?? 0) + 1;
      this.#waiting.push(task);
      return;
    }
    if (task.deed === 'turn') this.#bill.settle(index, task.sessionId);
    const { entryId, seq } = said;
    this.#done.set(task.id, { ...task, entryId, seq, begunAt: this.#begun.get(task.id) ?? 0, doneAt: this.#step });
    this.#disturb();
    if (this.#done.size % 2_000 === 0) this.#options.onProgress?.(`${this.#done.size} of ${this.#tasks.length}`);
    if (this.#done.size === this.#tasks.length) this.#finish();
  }

  #give(host: HostProcess): void {
    if (!host.isReady) return;
    while (host.tasks.size < this.#options.atOnce) {
      const task = this.#waiting.shift();
      if (task === undefined) return;
      this.#step += 1;
      if (!this.#begun.has(task.id)) this.#begun.set(task.id, this.#step);
      host.give(task);
    }
  }

  #disturb(): void {
    if (this.#done.size >= this.#nextKill && this.#hosts[0]?.isReady === true) {
      this.#nextKill = this.#done.size + this.#calm();
      this.#kills += 1;
      this.#hosts[0].isReady = false;
      this.#hosts[0].kill();
    }
    if (this.#done.size < this.#nextCut || this.#isCutOff) return;
    this.#nextCut = this.#done.size + this.#calm();
    this.#cuts += 1;
    this.#isCutOff = true;
    this.#bill.interrupt(1);
    this.#proxy?.become(this.#random.pick(['blocked', 'closed']));
    setTimeout(() => {
      // What was blocked has lost its bytes: such a connection is dead.
      this.#proxy?.become('closed');
      this.#proxy?.become('open');
      this.#bill.interrupt(1);
      this.#isCutOff = false;
    }, this.#random.pick(cutsMs));
  }
}

/** Messages of which every third is to be answered, all sessions mixed. */
function tasksOf(random: Random, { appends, sessions }: RunOptions): readonly Task[] {
  const tasks: Task[] = [];
  for (let stored = 0; stored < appends; ) {
    const deed = random.chance(1 / 3) ? 'turn' : 'ingest';
    tasks.push({ id: `t${tasks.length + 1}`, sessionId: `session ${random.integer(1, sessions)}`, deed });
    stored += deed === 'turn' ? 2 : 1;
  }
  return tasks;
}
