import type { Budget, BudgetOptions, PressureLevel } from '../budget.ts';
import type { Clock } from '../clock.ts';
import type { Layer } from '../draft/layer.ts';
import { messageOfError, VarveError } from '../errors.ts';
import type { NewEntry } from '../journal/entry.ts';
import type { ModelRef } from '../model-ref.ts';
import type { ModelRegistry } from '../model-registry.ts';
import { callWithDeadline } from '../plugins/call-with-deadline.ts';
import type { ContextEngine } from '../plugins/engine.ts';
import { engineDeadlinesMs } from '../plugins/engine.ts';
import { runTaps } from '../plugins/guard.ts';
import type { GuardedRun } from '../plugins/guarded-run.ts';
import type { HealthRecord } from '../plugins/health.ts';
import type { HookContext, SessionView } from '../plugins/hook-context.ts';
import type { HookName, Hooks, HookValues } from '../plugins/hooks.ts';
import type { SessionEvents } from '../plugins/session-events.ts';
import type { RegisteredTool } from '../plugins/tool-registry.ts';
import type { Prompt } from '../prompt/prompt.ts';
import { requireJson } from '../storable-json.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import type { Seq, Ulid } from '../units.ts';
import type { RunningCompactions } from './compact/running-compactions.ts';
import type { DetachedWork } from './detached-work.ts';
import type { EntryFeed } from './follow/entry-feed.ts';
import { journalReaderOf } from './journal-reader.ts';
import type { SessionRecordKeeper } from './record/session-record-keeper.ts';
import type { SessionActivity } from './session-activity.ts';
import type { SessionJournal } from './session-journal.ts';
import type { BackgroundCompaction } from './turn/background-compaction.ts';
import type { SessionTurns } from './turn/session-turns.ts';
import type { TurnLease } from './turn/turn-lease.ts';

/** What the operations of one session share. */
export interface SessionRuntime {
  readonly sessionId: string;
  readonly key: string | null;
  /** Opened to be looked at: nothing is appended. */
  readonly isReadOnly: boolean;
  readonly clock: Clock;
  /** The host's ids, of entries and turns. */
  readonly mintId: () => Ulid;
  readonly counter: TokenCounter;
  readonly events: SessionEvents;
  readonly hooks: Hooks;
  /** What the host's plugins offer to models. */
  readonly tools: readonly RegisteredTool[];
  readonly health: HealthRecord;
  readonly journal: SessionJournal;
  /** What the store's index says of the session. */
  readonly record: SessionRecordKeeper;
  /** What goes on, so that nothing is forgotten meanwhile. */
  readonly activity: SessionActivity;
  /** How far the journal has come, for those that follow it. */
  readonly feed: EntryFeed;
  /** `null` for the reference path. */
  readonly engine: ContextEngine | null;
  /** How large prompts may be, for all models or for the one that is asked. */
  readonly budget: BudgetOptions | ((model: ModelRef) => BudgetOptions);
  /** What is known of models; `null` for nothing. */
  readonly models: ModelRegistry | null;
  /** Hash of the host's options and plugins. */
  readonly optionsHash: string;
  /** The turns of this process, one after the other. */
  readonly turns: SessionTurns;
  /** The turns of all hosts that share the store, one after the other. */
  readonly lease: TurnLease;
  /** The compactions that run, whoever waits for them. */
  readonly compactions: RunningCompactions;
  /** A compaction that nobody waits for. */
  readonly background: BackgroundCompaction;
  /** What plugins do beside the conversation. */
  readonly detached: DetachedWork;
  /** The prompt of the last request of this process. */
  lastPrompt: Prompt | null;
  /** The layers that plugins collected last in this process, before they were given their room; `null` for never. */
  collectedLayers: readonly Layer[] | null;
}

/** What taps of one run are told. */
export interface RunFacts {
  readonly model: ModelRef | null;
  readonly budget: Budget | null;
  readonly pressure: PressureLevel;
  readonly query: string | null;
  readonly signal: AbortSignal | undefined;
  /** Takes what the taps record, for an operation that stores it only when it has gone well; `null` stores at once. */
  readonly records: NewEntry[] | null;
  /** The turn that the run belongs to. @default the one that runs */
  readonly turn?: HookContext['turn'] | undefined;
}

/** Facts of a run that is about no prompt; `records` takes what the taps record, `null` stores it at once. */
export function plainFacts(signal: AbortSignal | undefined, records: NewEntry[] | null): RunFacts {
  return { model: null, budget: null, pressure: 'none', query: null, signal, records };
}

const nothing = Promise.resolve(undefined);

/** Runs a hook for the session; nothing comes of one that no plugin taps. */
export function runHook<Name extends HookName>(
  runtime: SessionRuntime,
  call: { readonly hook: Name; readonly value: HookValues[Name]['input'] },
  facts: RunFacts,
): Promise<HookValues[Name]['output'] | undefined> {
  const chain = runtime.hooks.chain(call.hook);
  if (chain.taps.length === 0) return nothing;
  return runTaps(chain, { value: call.value, run: createRun(runtime, facts) }) as never;
}

/**
 * Calls a method of the session's engine. `fallback` is the reference path: taken without an engine, or when the
 * engine throws, is late, or returns what `check` refuses.
 */
export async function callEngine<Result>(
  runtime: SessionRuntime,
  call: {
    readonly method: 'ingest' | 'assemble' | 'compact';
    readonly invoke: (engine: ContextEngine, context: HookContext) => Promise<Result>;
    readonly check: (result: Result) => Result;
    readonly fallback: () => Promise<Result>;
    /** True when what the call is about has been done: then an abort is a failure of the call alone. @default false */
    readonly isDone?: boolean | undefined;
  },
  facts: RunFacts,
): Promise<Result> {
  const { engine, health, clock, events } = runtime;
  if (engine === null) return call.fallback();
  const breaker = health.breakerOf(engine.info.id, call.method);
  if (!breaker.allows(clock.now())) return call.fallback();
  const rule = { deadlineMs: engineDeadlinesMs[call.method] };
  const options = { plugin: engine.info.id, where: call.method, rule, run: createRun(runtime, facts) };
  try {
    const result = call.check(await callWithDeadline((context) => call.invoke(engine, context), options));
    breaker.succeeded();
    return result;
  } catch (error) {
    const isAborted = facts.signal?.aborted === true && VarveError.is(error, 'VARVE_ABORTED');
    if (isAborted && call.isDone !== true) throw error;
    health.failed(engine.info.id, call.method, { error, at: clock.now(), skips: !isAborted });
    events.emit('engine-degraded', {
      engine: engine.info.id,
      method: call.method,
      error: messageOfError(error),
    });
    return call.fallback();
  }
}

/** One run of plugins' code for the session. */
export function createRun(runtime: SessionRuntime, facts: RunFacts): GuardedRun {
  const { sessionId, clock, events, health } = runtime;
  // What a context says is made when a tap looks at it; the turn is the one in which the run began.
  const current = runtime.turns.current();
  const { lastUserSeq } = runtime.journal.state();
  return {
    sessionId,
    clock,
    events,
    health,
    signal: facts.signal,
    contextFor: (plugin, { deadline, signal }) => ({
      session: viewOfSession(runtime, plugin),
      model: facts.model,
      budget: facts.budget,
      turn: facts.turn ?? { id: current?.id ?? turnIdAt(lastUserSeq), kind: current?.kind ?? 'user' },
      pressure: facts.pressure,
      query: facts.query,
      tools: runtime.tools.map(({ definition }) => definition),
      ...journalReaderOf(runtime.journal),
      deadline,
      get signal() {
        return signal();
      },
      now: () => clock.now(),
      countTokens: (text) => runtime.counter.count(text),
      record: (kind, data) => {
        const what = `What plugin "${plugin}" recorded`;
        const json = requireJson(data, { code: 'VARVE_PLUGIN_RECORD', what });
        const entry: NewEntry = { type: recordType(plugin, kind), data: json };
        if (facts.records === null) runtime.journal.defer(entry);
        else facts.records.push(entry);
      },
      warn: (text) => events.emit('warning', { text: `${plugin}: ${text}` }),
    }),
  };
}

/** The turn that runs; outside of `session.turn` it is named by its user message, so that it is the same everywhere. */
export function turnIdOf({ journal, turns }: SessionRuntime): string {
  return turns.current()?.id ?? turnIdAt(journal.state().lastUserSeq);
}

function turnIdAt(lastUserSeq: Seq): string {
  return `turn-${lastUserSeq}`;
}

const views = new WeakMap<SessionRuntime, Map<string, SessionView>>();

/** What plugins and engines see of the session; the same object each time, and always as things are now. */
export function viewOfSession(runtime: SessionRuntime, plugin: string): SessionView {
  const known = views.get(runtime) ?? new Map<string, SessionView>();
  views.set(runtime, known);
  const view = known.get(plugin) ?? makeView(runtime, plugin);
  known.set(plugin, view);
  return view;
}

function makeView(runtime: SessionRuntime, plugin: string): SessionView {
  const { journal, sessionId, key, record } = runtime;
  return {
    sessionId,
    key,
    get agentId() {
      return record.current().agentId;
    },
    get channel() {
      return record.current().channel;
    },
    get chatType() {
      return record.current().chatType;
    },
    get identity() {
      return record.current().identity ?? null;
    },
    get parentSessionKey() {
      return record.current().parentSessionKey;
    },
    get model() {
      return journal.state().model;
    },
    get lastRequestAt() {
      return journal.state().lastRequestAt;
    },
    get settings() {
      return journal.state().settings;
    },
    messages: () => journal.folded().messages,
    compaction: () => journal.folded().compaction,
    lastRecord: (kind) => journal.state().records[`${plugin}:${String(kind)}`]?.data,
  };
}

function recordType(plugin: string, kind: string): `${string}:${string}` {
  if (/^[a-z][a-z0-9-]*$/.test(kind)) return `${plugin}:${kind}`;
  throw new VarveError('VARVE_PLUGIN_RECORD', `Plugin "${plugin}" recorded under the kind "${kind}".`, {
    fix: 'Use a kind of lower-case letters, digits and dashes.',
  });
}
