import type { CompactOutcome, Plan } from '../compaction/compaction.ts';
import { checkBase, checkPlan, type PlanFacts } from '../compaction/plan-check.ts';
import { buildDigest } from '../digest/digest.ts';
import type { Draft } from '../draft/draft.ts';
import { firstDraft } from '../draft/first-draft.ts';
import { sizeOf } from '../draft/window-cut.ts';
import { messageOfError, throwIfAborted, VarveError } from '../errors.ts';
import type { CompactionEntry, CompactTrigger, Edit, MessageEntry, NewEntry } from '../journal/entry.ts';
import type { Folded } from '../journal/fold.ts';
import type { Tokens } from '../units.ts';
import { startDraft } from './assemble.ts';
import { type CompactOptions, compactFacts, outcome } from './compact-outcome.ts';
import { runHook, type SessionRuntime } from './session-runtime.ts';

/** An automatic compaction may miss its target by this share of what is between the fixed part and `hard`. */
const targetTolerance = 0.05;

/** How a plan is carried out. */
export interface CommitOptions extends CompactOptions {
  /** Whether the plan is core's own last rung. @default false */
  readonly isLastResort?: boolean | undefined;
  /** Prose that this run has asked for, by the entries that it stands for. @default none */
  readonly written?: Map<string, string> | undefined;
}

/**
 * Carries a plan out: asks for prose, builds the digest, counts what the prompt would be, and appends the compaction
 * if that is small enough. The range must still stand; what has arrived since is kept.
 */
export async function commitPlan(
  runtime: SessionRuntime,
  given: Plan,
  options: CommitOptions,
): Promise<CompactOutcome> {
  const { trigger } = given;
  const { isLastResort = false } = options;
  const before = sizeOf(startDraft(runtime, options).draft);
  try {
    const prose = await proseFor(runtime, await planNow(runtime, given, options), options);
    throwIfAborted(options.signal);
    const plan = await planNow(runtime, given, options);
    const { folded, draft } = startDraft(runtime, options);
    const candidate = compactionOf({ plan, prose, folded, before });
    const after = sizeOf(sizedDraft(runtime, { candidate, draft }));
    const why = refusalReason({ before, after, trigger, draft, isLastResort });
    if (why !== null) return outcome({ status: 'irreducible', why, trigger, before });
    const [entry] = await runtime.journal.append([{ ...candidate, tokensAfter: after }], () =>
      refuseOvertaken(runtime, candidate),
    );
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

/** Another compaction, or an undo, may have come first while this one was made. @throws VARVE_PLAN_INVALID */
function refuseOvertaken({ journal }: SessionRuntime, candidate: NewEntry & { type: 'compaction' }): void {
  const { compaction, messages } = journal.folded();
  const isSame = (compaction?.id ?? null) === candidate.previousId && messages[0]?.id === candidate.range.from.id;
  if (isSame) return;
  throw new VarveError('VARVE_PLAN_INVALID', 'Another compaction or an undo was committed first.', {
    fix: 'Plan again from the session as it is now.',
  });
}

/** The plan as it can be carried out now. @throws VARVE_PLAN_INVALID */
async function planNow(runtime: SessionRuntime, given: Plan, options: CommitOptions): Promise<Plan> {
  const parkUnread = options.isLastResort === true;
  const facts = planFacts(runtime, options, { parkUnread });
  await checkBase(checkPlan(given, facts), facts);
  return checkPlan(given, planFacts(runtime, options, { parkUnread }));
}

/** What plans of the session are held against now. */
export function planFacts(
  runtime: SessionRuntime,
  options: CompactOptions,
  { parkUnread = false }: { readonly parkUnread?: boolean } = {},
): PlanFacts {
  const { sessionId, counter, journal } = runtime;
  const entriesAfter: PlanFacts['entriesAfter'] = (seq) => journal.journal.read({ fromSeq: seq + 1 });
  return { ...startDraft(runtime, options), sessionId, counter, parkUnread, entriesAfter };
}

/**
 * Prose of the first strategy that writes some; none when it is empty or longer than its share. Within one run of the
 * ladder it is asked once for the same entries.
 */
async function proseFor(runtime: SessionRuntime, plan: Plan, options: CommitOptions): Promise<string | null> {
  const maxTokens = plan.shares.proseTokens;
  const folded = runtime.journal.folded();
  if (!runtime.hooks.isUsed('summarize') || maxTokens === 0) return folded.compaction?.prose ?? null;
  const value = {
    entries: coveredBy(plan, folded),
    previousProse: folded.compaction?.prose ?? null,
    instructions: plan.instructions,
    maxTokens,
  };
  const { written = new Map<string, string>() } = options;
  const stretch = value.entries.map((entry) => entry.id).join();
  const facts = compactFacts(options, startDraft(runtime, options).draft);
  const prose = written.get(stretch) ?? (await runHook(runtime, { hook: 'summarize', value }, facts))?.trim() ?? '';
  written.set(stretch, prose);
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
