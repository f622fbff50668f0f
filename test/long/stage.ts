import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type BudgetOptions,
  createHost,
  createTokenCounter,
  type Entry,
  type Host,
  type ModelPort,
  type ModelRef,
  memoryStore,
  type Session,
  type Store,
} from '@varve/core';
import { jsonlStore } from '@varve/stores/jsonl';
import { type ManualClock, manualClock, seededRandom } from '@varve/testkit';
import { type Gate, gate } from '@varve/testkit/model-server';
import { faultySummariser, type SummariserStage } from './faulty-summariser.ts';
import type { SeenEvent, SeenReply } from './oracle/observation.ts';
import { pluginsOf } from './strategies.ts';
import type { TranscriptPlan } from './transcript-plan.ts';

/** An event without the operation that it belongs to. */
export type NewEvent = SeenEvent extends infer Each ? (Each extends SeenEvent ? Omit<Each, 'op'> : never) : never;

/** Counts as the oracle does: a token for each four UTF-16 units. */
const counter = createTokenCounter('quarter-1', (text) => Math.ceil(text.length / 4));

/** The models that a transcript goes to and fro between. */
function modelsOf(provider: string): readonly [ModelRef, ...ModelRef[]] {
  return [
    { provider, model: 'test-1' },
    { provider, model: 'test-2' },
    { provider: 'other', model: 'test-1' },
  ];
}

/** A store that tells of all that is appended: reading it back from the store each time would take most of the time. */
function recording(store: Store, onAppend: (entries: readonly Entry[]) => void): Store {
  return {
    sessions: store.sessions,
    supports: store.supports,
    open: async (sessionId, options) => {
      const journal = await store.open(sessionId, options);
      return {
        header: journal.header,
        append: async (entries, given) => {
          const result = await journal.append(entries, given);
          onAppend(entries);
          return result;
        },
        tail: () => journal.tail(),
        read: (range) => journal.read(range),
        get: (seqsOrIds) => journal.get(seqsOrIds),
        replace: (batches, given) => journal.replace(batches, given),
        close: () => journal.close(),
      };
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

/** A compaction that runs while the session goes on. */
interface Beside {
  /** Opened when its summariser is asked, and when that may answer. */
  readonly asked: Gate;
  readonly answered: Gate;
  readonly ended: Promise<void>;
  readonly sinceOp: number;
}

/** Parts of a stage that a test takes away or changes. */
export type StageChanges = Pick<SummariserStage, 'tamper'>;

/** Where a transcript is played: the host, what it is made with, and what was seen. */
export class Stage {
  readonly plan: TranscriptPlan;
  readonly clock: ManualClock = manualClock();
  readonly store: Store;
  readonly events: SeenEvent[] = [];
  /** What was stored, as it was handed to the store. */
  readonly appended: Entry[] = [];
  /** How often operations came to which end. */
  readonly outcomes = new Map<string, number>();
  /** What the summariser answered, and how often it was asked. */
  readonly replies: SeenReply[] = [];
  asks = 0;
  budget: number | null;
  model: ModelRef;
  op = 0;
  /** True until this process has made a request. */
  isFirst = true;
  readonly #random: () => number;
  readonly #folder: string | null;
  readonly #models: readonly [ModelRef, ...ModelRef[]];
  readonly #summariser: ModelPort;
  #beside: Beside | null = null;
  #host: Host | null = null;
  #session: Session | null = null;

  constructor(plan: TranscriptPlan, changes: StageChanges = {}) {
    const { clock, replies } = this;
    this.plan = plan;
    this.budget = plan.budget;
    this.#models = modelsOf(plan.provider);
    this.model = this.#models[0];
    this.#summariser = faultySummariser(plan.fault, { clock, replies, asked: () => this.#asked(), ...changes });
    this.#random = seededRandom(plan.seed + 3).next;
    this.#folder = plan.store === 'jsonl' ? mkdtempSync(join(tmpdir(), 'varve-long-')) : null;
    const store = this.#folder === null ? memoryStore() : jsonlStore({ root: this.#folder, durability: 'os' });
    this.store = recording(store, (entries) => this.appended.push(...entries));
  }

  get session(): Session {
    if (this.#session === null) throw new Error('the stage is not open');
    return this.#session;
  }

  /** What the host allows a prompt. */
  get allowance(): BudgetOptions {
    const { budget } = this;
    return budget === null ? { inputTokens: null } : { inputTokens: budget, contextTokens: budget };
  }

  see(event: NewEvent): void {
    this.events.push({ op: this.op, ...event } as SeenEvent);
  }

  count(outcome: string): void {
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
  }

  choose(pick: number): void {
    this.model = this.#models[pick % this.#models.length] ?? this.model;
  }

  /** The operation at which the compaction began that runs beside the session; `null` when none does. */
  get besideSince(): number | null {
    return this.#beside?.sinceOp ?? null;
  }

  /** Begins a compaction beside the session. It has ended, or waits for its summariser, when this resolves. */
  async beginBeside(work: () => Promise<void>): Promise<void> {
    const [asked, answered] = [gate(), gate()];
    let isOver = false;
    this.#beside = { asked, answered, sinceOp: this.op, ended: Promise.resolve() };
    const ended = work().finally(() => {
      isOver = true;
    });
    this.#beside = { asked, answered, sinceOp: this.op, ended };
    await Promise.race([ended, asked.opened]);
    if (isOver) this.#beside = null;
  }

  /** Lets the summariser answer, and waits for the end of what runs beside the session. */
  async settleBeside(): Promise<void> {
    const { answered, ended } = this.#beside ?? {};
    answered?.open();
    await ended;
    this.#beside = null;
  }

  async #asked(): Promise<void> {
    this.asks += 1;
    this.#beside?.asked.open();
    await this.#beside?.answered.opened;
  }

  /** Begins, or goes on after {@link close}, as another process would. */
  async open(): Promise<void> {
    this.#host = await this.hostOn(this.store);
    this.#session = await this.#host.open('s');
    this.isFirst = true;
  }

  /** A host like this one on another store. */
  async hostOn(store: Store): Promise<Host> {
    const { strategy, seed } = this.plan;
    const plugins = pluginsOf(strategy, { seed, summariser: this.#summariser });
    return createHost({
      store,
      plugins,
      tokens: counter,
      clock: this.clock,
      random: this.#random,
      budget: this.allowance,
    });
  }

  async close(): Promise<void> {
    await this.#host?.close();
    this.#host = null;
    this.#session = null;
  }

  /** The journal as it is read back. */
  async stored(): Promise<readonly Entry[]> {
    const journal = await this.store.open('s', { readOnly: true });
    const entries: Entry[] = [];
    for await (const entry of journal.read()) entries.push(entry);
    await journal.close();
    return entries;
  }

  /** Lets go of everything. */
  async end(): Promise<void> {
    await this.close();
    await this.store[Symbol.asyncDispose]();
    if (this.#folder !== null) rmSync(this.#folder, { recursive: true, force: true });
  }
}
