// Works with many conversations at once, as it is told through its channel, until it is done or killed.
import { closeSync, openSync, readdirSync, writeSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { createHost, type ModelPort, VarveError } from '@varve/core';
import { createSessions, type Sessions } from '@varve/sessions';
import { jsonlStore } from '@varve/stores/jsonl';
import { type Random, seededRandom } from '@varve/testkit';
import { answerTo, keyOf, markOf } from '../load-keys.ts';
import type { LoadDeed, LoadJob, LoadSaid, LoadSample, LogLine } from '../said.ts';

/** How often each is done, of a hundred. */
const shares: readonly (readonly [deed: LoadDeed, share: number])[] = [
  ['say', 68],
  ['turn', 12],
  ['reset', 6],
  ['roll-over', 4],
  ['restore', 3],
  ['archive', 3],
  ['hibernate', 2],
  ['silence', 2],
];

/** A tenth of the conversations gets half of the traffic. */
const busyShare = 0.1;

/** So many are in use before the rest of the traffic begins. */
const leastUsed = 100;

/** A lock whose owner was killed before it could say who it is can be taken over after ten seconds. */
const patience = { times: 100, ms: 250 } as const;

process.on('message', (job: LoadJob) => {
  void work(job).catch((error: unknown) => {
    tell({ said: 'failed', error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  });
});

function tell(said: LoadSaid): void {
  process.send?.(said);
}

async function work(job: LoadJob): Promise<void> {
  const store = jsonlStore({ root: job.root });
  const host = await createHost({ store });
  const sessions = createSessions({ host, live: { maxSessions: job.maxLive } });
  const log = openSync(job.log, 'a');
  const traffic = new Traffic(job, { sessions, write: (line) => writeSync(log, `${JSON.stringify(line)}\n`) });
  await traffic.run();
  await sessions.close();
  await host.close();
  await store[Symbol.asyncDispose]();
  closeSync(log);
  tell({ said: 'closed', sample: traffic.sample() });
  process.disconnect();
}

/** Where traffic goes, and where it is written down. */
interface TrafficParts {
  readonly sessions: Sessions;
  write(line: LogLine): void;
}

class Traffic {
  readonly #job: LoadJob;
  readonly #parts: TrafficParts;
  readonly #random: Random;
  readonly #began = performance.now();
  /** Those that somebody works with: one thing after the other, so that what is to be expected follows from the log. */
  readonly #busy = new Set<number>();
  readonly #firstUses: number[];
  /** Keys that have been used; all of them in the end. */
  readonly #used: number[] = [];
  #begun = 0;
  #done = 0;

  constructor(job: LoadJob, parts: TrafficParts) {
    this.#job = job;
    this.#parts = parts;
    this.#random = seededRandom(job.seed);
    this.#firstUses = [...job.firstUses];
  }

  async run(): Promise<void> {
    await Promise.all(Array.from({ length: this.#job.concurrency }, () => this.#work()));
  }

  sample(): LoadSample {
    (globalThis as { readonly gc?: () => void }).gc?.();
    const { heapUsed, rss } = process.memoryUsage();
    const states = this.#parts.sessions.states();
    return {
      operations: this.#done,
      ms: Math.round(performance.now() - this.#began),
      heapBytes: heapUsed,
      rssBytes: rss,
      awake: states.length,
      heldBytes: states.reduce((bytes, { heldBytes }) => bytes + heldBytes, 0),
      files: openFiles(),
    };
  }

  async #work(): Promise<void> {
    while (this.#begun < this.#job.operations || this.#firstUses.length > 0) {
      this.#begun += 1;
      const count = this.#begun;
      const { key, deed } = this.#next();
      this.#busy.add(key);
      const mark = markOf(key, { worker: this.#job.worker, count });
      this.#parts.write({ is: 'begun', key, deed, mark });
      const done = await patiently(() => this.#do(deed, { key, mark }));
      this.#parts.write({ is: 'done', key, deed, mark, ...done });
      this.#busy.delete(key);
      this.#done += 1;
      if (this.#done % this.#job.sampleEvery === 0) tell({ said: 'sample', sample: this.sample() });
    }
  }

  #next(): { readonly key: number; readonly deed: LoadDeed } {
    const random = this.#random;
    const isFirst = this.#used.length < leastUsed || random.chance(0.75);
    const first = isFirst ? this.#firstUses.find((key) => !this.#busy.has(key)) : undefined;
    if (first !== undefined) {
      this.#firstUses.splice(this.#firstUses.indexOf(first), 1);
      this.#used.push(first);
      return { key: first, deed: random.chance(0.8) ? 'say' : 'turn' };
    }
    for (;;) {
      const among = random.chance(0.5) ? Math.ceil(this.#used.length * busyShare) : this.#used.length;
      const key = this.#used[random.integer(0, among - 1)] ?? 0;
      if (!this.#busy.has(key)) return { key, deed: this.#deed() };
    }
  }

  #deed(): LoadDeed {
    let left = this.#random.integer(1, 100);
    return shares.find(([, share]) => {
      left -= share;
      return left <= 0;
    })?.[0] as LoadDeed;
  }

  async #do(
    deed: LoadDeed,
    { key, mark }: { readonly key: number; readonly mark: string },
  ): Promise<Omit<Extract<LogLine, { is: 'done' }>, 'is' | 'key' | 'deed' | 'mark'>> {
    const { sessions } = this.#parts;
    const keyText = keyOf(key);
    const nothing = { seq: null, previousSessionId: null, text: null };
    if (deed === 'say' || deed === 'turn') {
      const text = `${mark} ${'lorem ipsum '.repeat(this.#random.integer(0, 20))}`;
      return sessions.use(keyText, async (session) => {
        const message = { role: 'user', content: text } as const;
        const seq =
          deed === 'say'
            ? (await session.ingest(message)).seq
            : (await session.turn({ message, model: answering(mark) })).input?.seq;
        return { ...nothing, sessionId: session.sessionId, seq: seq ?? null, text };
      });
    }
    if (deed === 'silence') {
      const sessionId = await sessions.use(keyText, async (session) => {
        await session.set('send', 'off');
        return session.sessionId;
      });
      return { ...nothing, sessionId };
    }
    if (deed === 'reset' || deed === 'roll-over') {
      const kind = deed === 'reset' ? 'explicit' : 'implicit';
      return { ...nothing, ...(await sessions.reset(keyText, { reason: deed, kind })) };
    }
    if (deed === 'restore') {
      const generations = await sessions.generations(keyText);
      const chosen = generations[this.#random.integer(0, generations.length - 1)];
      if (chosen !== undefined) await sessions.restore(keyText, chosen.sessionId);
    }
    if (deed === 'archive') await sessions.archive(keyText);
    if (deed === 'hibernate') await sessions.hibernate(keyText);
    return { ...nothing, sessionId: (await sessions.current(keyText))?.sessionId ?? null };
  }
}

/** Waits for a lock that a process has left behind: nothing was done then. */
async function patiently<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let time = 1; ; time += 1) {
    try {
      return await work();
    } catch (error) {
      if (!VarveError.is(error, 'VARVE_STORE_LOCKED') || time === patience.times) throw error;
    }
    await setTimeout(patience.ms);
  }
}

/** A model that needs no network. */
function answering(mark: string): ModelPort {
  return {
    ref: { provider: 'offline', model: 'answering' },
    generate: async () => ({
      message: { role: 'assistant', content: answerTo(mark), stop: 'stop' },
      usage: { inputTokens: 100, outputTokens: 10 },
    }),
  };
}

function openFiles(): number | null {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return null;
  }
}
