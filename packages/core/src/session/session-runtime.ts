import type { Budget, BudgetOptions, PressureLevel } from '../budget.ts';
import type { Clock } from '../clock.ts';
import { messageOfError, VarveError } from '../errors.ts';
import type { NewEntry } from '../journal/entry.ts';
import type { JsonValue } from '../json-value.ts';
import type { ModelRef } from '../model-ref.ts';
import type { ContextEngine } from '../plugins/engine.ts';
import { engineDeadlinesMs } from '../plugins/engine.ts';
import type { EventBus } from '../plugins/events.ts';
import { callWithDeadline, type GuardedRun } from '../plugins/guard.ts';
import type { HealthRecord } from '../plugins/health.ts';
import type { HookContext, SessionView } from '../plugins/hook-context.ts';
import type { HookName, Hooks, HookValues } from '../plugins/hooks.ts';
import type { Prompt } from '../prompt/prompt.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import type { SessionJournal } from './session-journal.ts';

/** What the operations of one session share. */
export interface SessionRuntime {
  readonly sessionId: string;
  readonly key: string | null;
  readonly clock: Clock;
  readonly counter: TokenCounter;
  readonly events: EventBus;
  readonly hooks: Hooks;
  readonly health: HealthRecord;
  readonly journal: SessionJournal;
  /** `null` for the reference path. */
  readonly engine: ContextEngine | null;
  readonly budget: BudgetOptions;
  /** Hash of the host's options and plugins. */
  readonly optionsHash: string;
  /** The prompt of the last request of this process. */
  lastPrompt: Prompt | null;
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
}

/** Facts of a run that is about no prompt. */
export function plainFacts(signal: AbortSignal | undefined, records: NewEntry[]): RunFacts {
  return { model: null, budget: null, pressure: 'none', query: null, signal, records };
}

/** Runs a hook for the session. */
export async function runHook<Name extends HookName>(
  runtime: SessionRuntime,
  call: { readonly hook: Name; readonly value: HookValues[Name]['input'] },
  facts: RunFacts,
): Promise<HookValues[Name]['output'] | undefined> {
  return runtime.hooks.run(call.hook, call.value, createRun(runtime, facts));
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
  },
  facts: RunFacts,
): Promise<Result> {
  const { engine, health, clock, events, sessionId } = runtime;
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
    if (facts.signal?.aborted === true && VarveError.is(error, 'VARVE_ABORTED')) throw error;
    health.failed(engine.info.id, call.method, { error, at: clock.now(), skips: true });
    events.emit('engine-degraded', {
      sessionId,
      engine: engine.info.id,
      method: call.method,
      error: messageOfError(error),
    });
    return call.fallback();
  }
}

function createRun(runtime: SessionRuntime, facts: RunFacts): GuardedRun {
  const { sessionId, clock, events, health } = runtime;
  return {
    sessionId,
    clock,
    events,
    health,
    signal: facts.signal,
    contextFor: (plugin) => ({
      session: viewOfSession(runtime, plugin),
      model: facts.model,
      budget: facts.budget,
      turn: { id: turnIdOf(runtime), kind: 'user' },
      pressure: facts.pressure,
      query: facts.query,
      now: () => clock.now(),
      countTokens: (text) => runtime.counter.count(text),
      record: (kind, data) => {
        const entry: NewEntry = { type: recordType(plugin, kind), data: checkedJson(plugin, data) };
        if (facts.records === null) runtime.journal.defer(entry);
        else facts.records.push(entry);
      },
    }),
  };
}

/** Names the running turn by its user message, so that it is the same in every process. */
export function turnIdOf({ journal }: SessionRuntime): string {
  return `turn-${journal.state().lastUserSeq}`;
}

/** What plugins and engines see of the session. */
export function viewOfSession(runtime: SessionRuntime, plugin: string): SessionView {
  const { journal, sessionId, key } = runtime;
  return {
    sessionId,
    key,
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
    lastRecord: (kind) => journal.state().records[`${plugin}:${kind}`]?.data,
  };
}

function recordType(plugin: string, kind: string): `${string}:${string}` {
  if (/^[a-z][a-z0-9-]*$/.test(kind)) return `${plugin}:${kind}`;
  throw new VarveError('VARVE_PLUGIN_RECORD', `Plugin "${plugin}" recorded under the kind "${kind}".`, {
    fix: 'Use a kind of lower-case letters, digits and dashes.',
  });
}

function checkedJson(plugin: string, data: JsonValue): JsonValue {
  try {
    const text = JSON.stringify(data) as string | undefined;
    if (text !== undefined) return JSON.parse(text) as JsonValue;
  } catch {
    // falls through to the error below: a cycle, or a toJSON that throws
  }
  throw new VarveError('VARVE_PLUGIN_RECORD', `Plugin "${plugin}" recorded something that is not JSON.`, {
    fix: 'Record plain objects, arrays, strings, numbers, booleans and null.',
  });
}
