import {
  type CompactOutcome,
  type CompactRequest,
  isRefusal,
  type Plan,
  type PlanOptions,
  type Pressure,
  type Prose,
  type Refusal,
} from '../../compaction/compaction.ts';
import { planCompaction } from '../../compaction/default-plan.ts';
import { checkAnswer, rememberFacts } from '../../compaction/plan-check.ts';
import type { Draft } from '../../draft/draft.ts';
import { stateOfDraft } from '../../draft/draft-operations.ts';
import { sizeOf } from '../../draft/window-cut.ts';
import { messageOfError, throwIfAborted, VarveError } from '../../errors.ts';
import type { CompactTrigger } from '../../journal/entry.ts';
import type { Tokens } from '../../units.ts';
import { withCollectedLayers } from '../collect-layers.ts';
import { callEngine, runHook, type SessionRuntime } from '../session-runtime.ts';
import { pressureOf, startDraft } from '../start-draft.ts';
import { commitPlan, planFacts } from './commit-plan.ts';
import { type CompactJob, type CompactOptions, compactFacts, outcome } from './compact-outcome.ts';
import { blockedBecause, isDeadEnd, noteCompaction } from './compaction-breaker.ts';
import { prepareCompaction } from './prepare-compaction.ts';
import { whyNotWorthIt } from './worth-it.ts';

/** One more thing that the ladder tries: a plan, and who makes it. */
interface Rung {
  readonly planner: 'strategies' | 'core';
  readonly options: PlanOptions;
}

/** Tried in this order, each once, until one lowers the prompt far enough. */
const ladder: readonly Rung[] = [
  { planner: 'strategies', options: {} },
  { planner: 'strategies', options: { scale: 0.5 } },
  { planner: 'core', options: { scale: 0.5, parkUnread: true } },
];

/**
 * Compacts when it is due, or when it is asked for. Never throws for want of something to compact, nor when it is
 * aborted: see the outcome.
 */
export async function compactSession(
  runtime: SessionRuntime,
  trigger: CompactTrigger,
  options: CompactJob,
): Promise<CompactOutcome> {
  let before = sizeOf(startDraft(runtime, options).draft);
  try {
    return await runtime.compactions.run(options, async (linked) => {
      const job = await withCollectedLayers(runtime, linked);
      const { draft } = startDraft(runtime, job);
      before = sizeOf(draft);
      return compactDraft(runtime, draft, { trigger, options: job });
    });
  } catch (error) {
    if (!VarveError.is(error, 'VARVE_ABORTED')) throw error;
    return outcome({ status: 'aborted', why: error.message, trigger, before });
  }
}

async function compactDraft(
  runtime: SessionRuntime,
  draft: Draft,
  { trigger, options }: { readonly trigger: CompactTrigger; readonly options: CompactJob },
): Promise<CompactOutcome> {
  const before = sizeOf(draft);
  if (trigger === 'threshold' || trigger === 'background') {
    const facts = compactFacts(options, draft);
    const due = await runHook(runtime, { hook: 'shouldCompact', value: pressureFor({ draft, trigger }) }, facts);
    if (due !== true) return outcome({ status: 'below-threshold', why: 'No strategy asks for it.', trigger, before });
  }
  const blocked = blockedBecause(runtime, trigger);
  if (blocked !== null && trigger !== 'overflow' && !isPressing(runtime, draft))
    return outcome({ status: 'blocked', why: blocked, trigger, before });
  // Before plugins save anything, and before anybody is told: nothing has begun.
  const first =
    trigger === 'background' && blocked === null ? await planFirst(runtime, { trigger, options }) : undefined;
  if (first !== undefined && !isRefusal(first)) {
    const why = await whyNotWorthIt(runtime, first, { draft, options });
    if (why !== null) return outcome({ status: 'below-threshold', why, trigger, before });
  }
  const request = requestFor(runtime, { trigger, options, rung: undefined });
  if (await prepareCompaction(runtime, request, options)) {
    return outcome({ status: 'stale', why: 'Another compaction was committed meanwhile.', trigger, before });
  }
  // A blocked strategy must not make a session stick: core's own rung is always tried.
  const rungs = blocked === null ? ladder : ladder.filter((rung) => rung.planner === 'core');
  const ended = await told(runtime, { trigger, before }, () =>
    climb(runtime, rungs, { trigger, options, before, first }),
  );
  try {
    await noteCompaction(runtime, ended);
  } catch (error) {
    // The compaction has ended as it has, whether or not the next one will know of it.
    runtime.events.emit('warning', { text: `How a compaction ended could not be noted: ${messageOfError(error)}` });
  }
  return ended;
}

/** Tells that a compaction begins, and that it came to nothing if it did; its entry tells when it came to something. */
async function told(
  { events }: SessionRuntime,
  { trigger, before }: { readonly trigger: CompactTrigger; readonly before: Tokens },
  work: () => Promise<CompactOutcome>,
): Promise<CompactOutcome> {
  const refused = (ended: CompactOutcome): void => {
    if (ended.status !== 'compacted') events.emit('compaction-refused', { reason: trigger, outcome: ended });
  };
  events.emit('compaction-started', { reason: trigger });
  try {
    const ended = await work();
    refused(ended);
    return ended;
  } catch (error) {
    const status = VarveError.is(error, 'VARVE_ABORTED') ? 'aborted' : 'failed';
    refused(outcome({ status, why: messageOfError(error), trigger, before }));
    throw error;
  }
}

/** True when waiting would make the next prompt leave messages out, and core has not failed at it in this turn already. */
function isPressing(runtime: SessionRuntime, draft: Draft): boolean {
  const level = pressureOf(draft);
  const turnSeq = draft.items.find(({ live }) => live)?.seq ?? Infinity;
  return level === 'overflow' || (level === 'hard' && !isDeadEnd(runtime, turnSeq));
}

/** What the ladder is climbed for. */
interface ClimbJob {
  readonly trigger: CompactTrigger;
  readonly options: CompactJob;
  readonly before: Tokens;
  /** The plan of its first rung, where that is made already. */
  readonly first: Plan | Refusal | undefined;
}

/** Tries the rungs of the ladder until one commits. */
async function climb(runtime: SessionRuntime, rungs: readonly Rung[], job: ClimbJob): Promise<CompactOutcome> {
  const { trigger, options, before, first } = job;
  const written = new Map<string, Prose | null>();
  let last = outcome({ status: 'nothing-to-do', why: 'There is nothing to summarise.', trigger, before });
  for (const rung of rungs) {
    throwIfAborted(options.signal);
    const known = rung === ladder[0] ? first : undefined;
    const plan = known ?? (await planWith(runtime, { trigger, options, rung }));
    if (isRefusal(plan)) {
      last = outcome({ status: plan.refused, why: plan.why, trigger, before });
      continue;
    }
    const result = await commitPlan(runtime, plan, { ...options, isLastResort: rung === ladder.at(-1), written });
    if (result.status === 'compacted' || result.status === 'aborted') return result;
    last = result;
    if (result.status === 'stale') break;
  }
  return last;
}

/** The plan of the first strategy that has one, else the engine's, for a prompt with the layers of now. Changes nothing. */
export async function planFor(
  runtime: SessionRuntime,
  trigger: CompactTrigger,
  options: CompactOptions,
): Promise<Plan | Refusal> {
  const job = await withCollectedLayers(runtime, options);
  return planFirst(runtime, { trigger, options: job });
}

function planFirst(
  runtime: SessionRuntime,
  job: { readonly trigger: CompactTrigger; readonly options: CompactJob },
): Promise<Plan | Refusal> {
  return planWith(runtime, { ...job, rung: { planner: 'strategies', options: {} } });
}

async function planWith(
  runtime: SessionRuntime,
  job: { readonly trigger: CompactTrigger; readonly options: CompactJob; readonly rung: Rung },
): Promise<Plan | Refusal> {
  const request = requestFor(runtime, job);
  if (job.rung.planner === 'core') return request.defaultPlan();
  const facts = compactFacts(job.options, request.draft);
  const planned = await runHook(runtime, { hook: 'compact', value: request }, facts);
  if (planned !== undefined) return planned;
  const defaultPlan = async (): Promise<Plan | Refusal> => request.defaultPlan();
  return callEngine(
    runtime,
    {
      method: 'compact',
      invoke: async (engine, { session, signal }) =>
        checkAnswer(await engine.compact({ session, request, signal, defaultPlan }), request),
      check: (result) => result,
      fallback: defaultPlan,
    },
    facts,
  );
}

function requestFor(
  runtime: SessionRuntime,
  job: { readonly trigger: CompactTrigger; readonly options: CompactJob; readonly rung: Rung | undefined },
): CompactRequest {
  const { trigger, options, rung } = job;
  const { folded, draft } = startDraft(runtime, options);
  const instructions = options.instructions ?? null;
  const { sessionId, hooks } = runtime;
  const { counter } = stateOfDraft(draft);
  const input = { sessionId, folded, draft, counter, trigger, instructions, hasProse: hooks.isUsed('summarize') };
  const request: CompactRequest = {
    trigger,
    instructions,
    budget: draft.budget,
    draft,
    defaultPlan: (wishes = {}) => planCompaction(input, onRung(wishes, rung?.options ?? {})),
  };
  return rememberFacts(request, planFacts(runtime, options));
}

/** A strategy's wishes with what the rung adds: neither can make the other weaker. */
function onRung(wishes: PlanOptions, rung: PlanOptions): PlanOptions {
  return { ...wishes, ...rung, scale: Math.min(wishes.scale ?? 1, rung.scale ?? 1) };
}

/** How full the prompt is, for `shouldCompact`. */
function pressureFor({ draft, trigger }: { readonly draft: Draft; readonly trigger: CompactTrigger }): Pressure {
  const { budget } = draft;
  return {
    tokens: sizeOf(draft),
    budget,
    level: pressureOf(draft),
    trigger,
    messages: draft.items.filter(({ note }) => note === null).length,
    draft,
  };
}
