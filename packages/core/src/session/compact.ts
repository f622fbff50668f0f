import {
  type CompactOutcome,
  type CompactRequest,
  isRefusal,
  type Plan,
  type PlanOptions,
  type Pressure,
  type Refusal,
} from '../compaction/compaction.ts';
import { planCompaction } from '../compaction/default-plan.ts';
import { checkPlan } from '../compaction/plan-check.ts';
import { buildDigest } from '../digest/digest.ts';
import type { Draft } from '../draft/draft.ts';
import { firstDraft } from '../draft/first-draft.ts';
import { sizeOf } from '../draft/window-cut.ts';
import { messageOfError, throwIfAborted, VarveError } from '../errors.ts';
import type { CompactionEntry, CompactTrigger, Edit, MessageEntry, NewEntry } from '../journal/entry.ts';
import type { Folded } from '../journal/fold.ts';
import type { Tokens } from '../units.ts';
import { type AssembleOptions, pressureOf, startDraft } from './assemble.ts';
import { callEngine, type RunFacts, runHook, type SessionRuntime, viewOfSession } from './session-runtime.ts';

/** What a compaction is asked for. */
export interface CompactOptions extends Pick<AssembleOptions, 'model' | 'tools' | 'signal'> {
  /** What the summary should pay attention to. */
  readonly instructions?: string | undefined;
}

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

/** An automatic compaction may miss its target by this share of what is between the fixed part and `hard`. */
const targetTolerance = 0.05;

/** Compacts when it is due, or when it is asked for. Never throws for want of something to compact: see the outcome. */
export async function compactSession(
  runtime: SessionRuntime,
  trigger: CompactTrigger,
  options: CompactOptions,
): Promise<CompactOutcome> {
  const { draft } = startDraft(runtime, options);
  const before = sizeOf(draft);
  if (trigger === 'threshold' || trigger === 'background') {
    const facts = factsOf(options, draft);
    const due = await runHook(runtime, { hook: 'shouldCompact', value: pressureFor({ draft, trigger }) }, facts);
    if (due !== true) return outcome({ status: 'below-threshold', why: 'No strategy asks for it.', trigger, before });
  }
  const request = requestFor(runtime, { trigger, options, rung: undefined });
  if (trigger === 'background' || trigger === 'manual') {
    await runHook(runtime, { hook: 'beforeCompact', value: request }, factsOf(options, draft));
  }
  return climb(runtime, { trigger, options, before });
}

/** Tries the rungs of the ladder until one commits. */
async function climb(
  runtime: SessionRuntime,
  job: { readonly trigger: CompactTrigger; readonly options: CompactOptions; readonly before: Tokens },
): Promise<CompactOutcome> {
  const { trigger, options, before } = job;
  let last = outcome({ status: 'nothing-to-do', why: 'There is nothing to summarise.', trigger, before });
  for (const rung of ladder) {
    throwIfAborted(options.signal);
    const plan = await planWith(runtime, { trigger, options, rung });
    if (isRefusal(plan)) {
      last = outcome({ status: plan.refused, why: plan.why, trigger, before });
      continue;
    }
    const result = await commitPlan(runtime, plan, { ...options, isLastResort: rung === ladder.at(-1) });
    if (result.status === 'compacted' || result.status === 'stale') return result;
    last = result;
  }
  runtime.events.emit('compaction-refused', { sessionId: runtime.sessionId, outcome: last });
  return last;
}

/** The plan of the first strategy that has one, else the engine's. Runs no model and changes nothing. */
export async function planFor(
  runtime: SessionRuntime,
  trigger: CompactTrigger,
  options: CompactOptions,
): Promise<Plan | Refusal> {
  return planWith(runtime, { trigger, options, rung: { planner: 'strategies', options: {} } });
}

async function planWith(
  runtime: SessionRuntime,
  job: { readonly trigger: CompactTrigger; readonly options: CompactOptions; readonly rung: Rung },
): Promise<Plan | Refusal> {
  const request = requestFor(runtime, job);
  if (job.rung.planner === 'core') return request.defaultPlan();
  const facts = factsOf(job.options, request.draft);
  const planned = await runHook(runtime, { hook: 'compact', value: request }, facts);
  if (planned !== undefined) return planned;
  const defaultPlan = async (): Promise<Plan | Refusal> => request.defaultPlan();
  return callEngine(
    runtime,
    {
      method: 'compact',
      invoke: (engine, { signal }) => {
        const session = viewOfSession(runtime, engine.info.id);
        return engine.compact({ session, request, signal, defaultPlan });
      },
      check: (result) => {
        if (!isRefusal(result)) checkPlan(result, runtime.journal.folded());
        return result;
      },
      fallback: defaultPlan,
    },
    facts,
  );
}

function requestFor(
  runtime: SessionRuntime,
  job: { readonly trigger: CompactTrigger; readonly options: CompactOptions; readonly rung: Rung | undefined },
): CompactRequest {
  const { trigger, options, rung } = job;
  const { folded, draft } = startDraft(runtime, options);
  const instructions = options.instructions ?? null;
  const { sessionId, counter, hooks } = runtime;
  const input = { sessionId, folded, draft, counter, trigger, instructions, hasProse: hooks.isUsed('summarize') };
  return {
    trigger,
    instructions,
    budget: draft.budget,
    draft,
    defaultPlan: (wishes = {}) => planCompaction(input, onRung(wishes, rung?.options ?? {})),
  };
}

/** A strategy's wishes with what the rung adds: neither can make the other weaker. */
function onRung(wishes: PlanOptions, rung: PlanOptions): PlanOptions {
  return { ...wishes, ...rung, scale: Math.min(wishes.scale ?? 1, rung.scale ?? 1) };
}

/**
 * Carries a plan out: asks for prose, builds the digest, counts what the prompt would be, and appends the compaction
 * if that is small enough. The range must still stand; what has arrived since is kept.
 */
export async function commitPlan(
  runtime: SessionRuntime,
  plan: Plan,
  options: CompactOptions & { readonly isLastResort?: boolean },
): Promise<CompactOutcome> {
  const { trigger } = plan;
  const { isLastResort = false } = options;
  const before = sizeOf(startDraft(runtime, options).draft);
  try {
    checkPlan(plan, runtime.journal.folded());
    const prose = await proseFor(runtime, plan, options);
    throwIfAborted(options.signal);
    const folded = runtime.journal.folded();
    checkPlan(plan, folded);
    const { draft } = startDraft(runtime, options);
    const candidate = compactionOf({ plan, prose, folded, before });
    const after = sizeOf(sizedDraft(runtime, { candidate, draft }));
    const why = refusalReason({ before, after, trigger, draft, isLastResort });
    if (why !== null) return outcome({ status: 'irreducible', why, trigger, before });
    const [entry] = await runtime.journal.append([{ ...candidate, tokensAfter: after }]);
    const done = outcome({ status: 'compacted', why: '', trigger, before, after, entry: entry as CompactionEntry });
    const { sessionId, events } = runtime;
    events.emit('compaction-committed', { sessionId, seq: done.entry?.seq ?? 0, outcome: done });
    return done;
  } catch (error) {
    if (VarveError.is(error, 'VARVE_ABORTED'))
      return outcome({ status: 'aborted', why: error.message, trigger, before });
    if (VarveError.is(error, 'VARVE_PLAN_INVALID'))
      return outcome({ status: 'stale', why: error.message, trigger, before });
    if (VarveError.is(error)) throw error;
    return outcome({ status: 'failed', why: messageOfError(error), trigger, before });
  }
}

/** Prose of the first strategy that writes some; none when it is empty or longer than its share. */
async function proseFor(runtime: SessionRuntime, plan: Plan, options: CompactOptions): Promise<string | null> {
  const maxTokens = plan.shares.proseTokens;
  const folded = runtime.journal.folded();
  if (!runtime.hooks.isUsed('summarize') || maxTokens === 0) return folded.compaction?.prose ?? null;
  const value = {
    entries: coveredBy(plan, folded),
    previousProse: folded.compaction?.prose ?? null,
    instructions: plan.instructions,
    maxTokens,
  };
  const facts = factsOf(options, startDraft(runtime, options).draft);
  const prose = (await runHook(runtime, { hook: 'summarize', value }, facts))?.trim() ?? '';
  const usable = prose !== '' && runtime.counter.count(prose) <= maxTokens;
  return usable ? prose : value.previousProse;
}

function compactionOf(made: {
  readonly plan: Plan;
  readonly prose: string | null;
  readonly folded: Folded;
  readonly before: Tokens;
}): NewEntry & { type: 'compaction' } {
  const { plan, prose, folded, before } = made;
  const { userLogTokens, ledgerTokens } = plan.shares;
  const digest = buildDigest({
    previous: folded.compaction?.digest ?? null,
    covered: coveredBy(plan, folded),
    shares: { userLogTokens, ledgerTokens },
  });
  return {
    type: 'compaction',
    range: plan.range,
    previousId: folded.compaction?.id ?? null,
    trigger: plan.trigger,
    ...(plan.instructions === null ? {} : { instructions: plan.instructions }),
    tokensBefore: before,
    tokensAfter: 0,
    by: plan.by,
    prose,
    digest,
    edits: plan.actions.flatMap((action): readonly Edit[] => (action.op === 'edit' ? action.edits : [])),
  };
}

/** The entries that the summary newly stands for: not what is held, which is shown itself. */
function coveredBy({ range }: Plan, folded: Folded): readonly MessageEntry[] {
  return [...folded.held, ...folded.messages].filter(
    (entry) => entry.seq <= range.to.seq && entry.id !== range.held?.id && entry.message.role !== 'system',
  );
}

/** The draft as it would be with the compaction in the journal. */
function sizedDraft(
  runtime: SessionRuntime,
  { candidate, draft }: { readonly candidate: NewEntry; readonly draft: Draft },
): Draft {
  const { counter, journal } = runtime;
  return firstDraft(journal.foldedWith(candidate), { budget: draft.budget, counter });
}

function refusalReason(sizes: {
  readonly before: Tokens;
  readonly after: Tokens;
  readonly trigger: CompactTrigger;
  readonly draft: Draft;
  readonly isLastResort: boolean;
}): string | null {
  const { before, after, trigger, draft, isLastResort } = sizes;
  const { target, hard, fixed } = draft.budget;
  if (after >= before) return `It would not make the prompt smaller: ${before} tokens before, ${after} after.`;
  // A prompt that fits is better than none: what must stay may be larger than the target by itself.
  const most = isLastResort ? hard : target + targetTolerance * (hard - fixed);
  if (trigger === 'manual' || after <= most) return null;
  return `It would leave ${after} tokens; at most ${Math.floor(most)} are allowed.`;
}

/** How full the prompt is, for `shouldCompact`. */
function pressureFor({ draft, trigger }: { readonly draft: Draft; readonly trigger: CompactTrigger }): Pressure {
  const { budget } = draft;
  return { tokens: sizeOf(draft), budget, level: pressureOf(draft), trigger, messages: draft.items.length };
}

function factsOf(options: CompactOptions, draft: Draft): RunFacts {
  const { model, signal } = options;
  return { model, budget: draft.budget, pressure: pressureOf(draft), query: null, signal };
}

function outcome(parts: {
  readonly status: CompactOutcome['status'];
  readonly why: string;
  readonly trigger: CompactTrigger;
  readonly before: Tokens;
  readonly after?: Tokens;
  readonly entry?: CompactionEntry;
}): CompactOutcome {
  const { status, why, trigger, before, after = before, entry = null } = parts;
  return { status, why, trigger, entry, tokensBefore: before, tokensAfter: after };
}
