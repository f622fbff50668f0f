import type { CompactOutcome, Plan, Prose, SummarizeRequest } from '../../compaction/compaction.ts';
import { coveredBy } from '../../compaction/covered-by.ts';
import { checkBase, checkPlan, type PlanFacts, requirePlan } from '../../compaction/plan-check.ts';
import { buildDigest } from '../../digest/digest.ts';
import type { Draft } from '../../draft/draft.ts';
import { createDraft, stateOfDraft } from '../../draft/draft-operations.ts';
import { firstDraft } from '../../draft/first-draft.ts';
import { sizeOf } from '../../draft/window-cut.ts';
import { messageOfError, throwIfAborted, VarveError } from '../../errors.ts';
import type { CompactionEntry, CompactTrigger, Edit, Entry, NewEntry } from '../../journal/entry.ts';
import type { Folded } from '../../journal/fold.ts';
import { asStored } from '../../storable-json.ts';
import type { Tokens } from '../../units.ts';
import { withCollectedLayers } from '../collect-layers.ts';
import { runHook, type SessionRuntime } from '../session-runtime.ts';
import { startDraft } from '../start-draft.ts';
import { type CompactJob, compactFacts, outcome } from './compact-outcome.ts';

/** An automatic compaction may miss its target by this share of what is between the fixed part and `hard`. */
const targetTolerance = 0.05;

/** How often a compaction is made again that lost a race against what another host stored. */
const retries = 3;

const racedText = 'Another host stored something first, each time.';

type NewCompaction = NewEntry & { type: 'compaction' };

/** How a plan is carried out. */
export interface CommitOptions extends CompactJob {
  /** Whether the plan is core's own last rung. @default false */
  readonly isLastResort?: boolean | undefined;
  /** Prose that this run has asked for, by the entries that it stands for; `null` where nobody wrote any. @default none */
  readonly written?: Map<string, Prose | null> | undefined;
}

/**
 * Carries a plan out: asks for prose, builds the digest, counts what the prompt would be, and appends the compaction
 * if that is small enough. The range must still stand; what has arrived since is kept. No prose is asked for when the
 * digest alone would be too large already. Counts layers of plugins too: those of the job, else those of now.
 */
export async function commitPlan(runtime: SessionRuntime, given: Plan, asked: CommitOptions): Promise<CompactOutcome> {
  const { trigger } = requirePlan(given);
  let before = sizeOf(startDraft(runtime, asked).draft);
  try {
    const options = asked.layers === undefined ? await withCollectedLayers(runtime, asked) : asked;
    before = sizeOf(startDraft(runtime, options).draft);
    const first = await planNow(runtime, given, options);
    const isWritten = runtime.hooks.isUsed('summarize') && first.shares.proseTokens > 0;
    if (isWritten) {
      const { why } = candidateOf(runtime, { plan: first, prose: null, before }, options);
      if (why !== null) return outcome({ status: 'irreducible', why, trigger, before });
    }
    const basis = visibleIn(runtime);
    const prose = isWritten ? await proseFor(runtime, first, options) : previousProse(runtime);
    throwIfAborted(options.signal);
    for (let tried = 0; ; tried += 1) {
      const plan = await planNow(runtime, given, options);
      if (tried > 0 && !goesOnFrom(basis, visibleIn(runtime))) throw changedError();
      const { candidate, after, why, moves } = candidateOf(runtime, { plan, prose, before }, options);
      if (why !== null) return outcome({ status: 'irreducible', why, trigger, before });
      const condition = (): void => refuseOvertaken(runtime, { candidate, moves });
      const entry = await appendUnlessRaced(runtime, { ...candidate, tokensAfter: after }, condition);
      if (entry !== null) return outcome({ status: 'compacted', why: '', trigger, before, after, entry });
      if (tried === retries) return outcome({ status: 'stale', why: racedText, trigger, before });
    }
  } catch (error) {
    if (VarveError.is(error, 'VARVE_ABORTED'))
      return outcome({ status: 'aborted', why: error.message, trigger, before });
    if (VarveError.is(error, 'VARVE_PLAN_INVALID'))
      return outcome({ status: 'stale', why: error.message, trigger, before });
    if (VarveError.is(error)) throw error;
    return outcome({ status: 'failed', why: messageOfError(error), trigger, before });
  }
}

/** The compaction, once it is stored; `null` when another host stored something first, which has been read by then. */
async function appendUnlessRaced(
  { journal }: SessionRuntime,
  compaction: NewCompaction,
  condition: () => void,
): Promise<CompactionEntry | null> {
  try {
    const [entry] = await journal.append([compaction], condition);
    return entry as CompactionEntry;
  } catch (error) {
    if (VarveError.is(error, 'VARVE_STORE_CONFLICT')) return null;
    throw error;
  }
}

/** What a plan and its prose are made of. */
function visibleIn({ journal }: SessionRuntime): readonly Entry[] {
  const { compaction, held, messages } = journal.folded();
  return [...(compaction === null ? [] : [compaction]), ...held, ...messages];
}

/** Whether all that was visible is as it was: what another host has forgotten must not come back in prose or edits. */
function goesOnFrom(before: readonly Entry[], now: readonly Entry[]): boolean {
  return JSON.stringify(now.slice(0, before.length)) === JSON.stringify(before);
}

function changedError(): VarveError {
  return new VarveError('VARVE_PLAN_INVALID', 'Another host has changed what the compaction would cover.', {
    fix: 'Plan again from the session as it is now.',
  });
}

/** Another compaction, an undo or a move of the head may have come first while this one was made. @throws VARVE_PLAN_INVALID */
function refuseOvertaken(
  { journal }: SessionRuntime,
  { candidate, moves }: { readonly candidate: NewCompaction; readonly moves: number },
): void {
  const { compaction, messages, state } = journal.folded();
  const isSame =
    (compaction?.id ?? null) === candidate.previousId &&
    messages[0]?.id === candidate.range.from.id &&
    state.branches.length === moves;
  if (isSame) return;
  throw new VarveError('VARVE_PLAN_INVALID', 'Another compaction, an undo or a move of the head was committed first.', {
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

/**
 * How large the prompt would be at most with a plan carried out, however much of its share the prose takes. Asks for none.
 *
 * @throws VARVE_PLAN_INVALID
 */
export async function sizeAfter(runtime: SessionRuntime, given: Plan, options: CompactJob): Promise<Tokens> {
  const plan = await planNow(runtime, given, options);
  const isWritten = runtime.hooks.isUsed('summarize');
  const prose = isWritten ? null : previousProse(runtime);
  const { after } = candidateOf(runtime, { plan, prose, before: 0 }, options);
  return after + (isWritten ? plan.shares.proseTokens : 0);
}

/** What plans of the session are held against now. */
export function planFacts(
  runtime: SessionRuntime,
  options: CompactJob,
  { parkUnread = false }: { readonly parkUnread?: boolean } = {},
): PlanFacts {
  const { sessionId, counter, journal } = runtime;
  const entriesAfter: PlanFacts['entriesAfter'] = (seq) => journal.journal.read({ fromSeq: seq + 1 });
  return { ...startDraft(runtime, options), sessionId, counter, parkUnread, entriesAfter };
}

/** What a plan would append with some prose, how large the prompt would be then, and why that will not do. */
function candidateOf(
  runtime: SessionRuntime,
  made: { readonly plan: Plan; readonly prose: Prose | null; readonly before: Tokens },
  options: CommitOptions,
): { readonly candidate: NewCompaction; readonly after: Tokens; readonly why: string | null; readonly moves: number } {
  const { folded, draft } = startDraft(runtime, options);
  const candidate = compactionOf({ ...made, folded });
  const after = sizeOf(sizedDraft(runtime, { candidate, draft }));
  const { isLastResort = false } = options;
  const why = refusalReason({ before: made.before, after, trigger: made.plan.trigger, draft, isLastResort });
  return { candidate, after, why, moves: folded.state.branches.length };
}

/**
 * Prose of the first strategy that writes some; that of the compaction before when it is empty or longer than its
 * share. Within one run of the ladder it is asked once for the same entries, and not again once nobody had any.
 */
async function proseFor(runtime: SessionRuntime, plan: Plan, options: CommitOptions): Promise<Prose | null> {
  const value = summarizeRequest(runtime, plan);
  const { written = new Map<string, Prose | null>() } = options;
  const stretch = value.entries.map((entry) => entry.id).join();
  if (!written.has(stretch)) written.set(stretch, [...written.values()].includes(null) ? null : await ask());
  const prose = written.get(stretch) ?? null;
  const isUsable = prose !== null && runtime.counter.count(prose.text) <= value.maxTokens;
  return isUsable ? prose : previousProse(runtime);

  async function ask(): Promise<Prose | null> {
    const facts = compactFacts(options, startDraft(runtime, options).draft);
    const answer = await runHook(runtime, { hook: 'summarize', value }, facts);
    const given = typeof answer === 'string' ? { text: answer } : answer;
    const text = given?.text.trim() ?? '';
    return text === '' ? null : { ...given, text };
  }
}

function previousProse({ journal }: SessionRuntime): Prose | null {
  const text = journal.folded().compaction?.prose ?? null;
  return text === null ? null : { text };
}

function summarizeRequest({ journal }: SessionRuntime, plan: Plan): SummarizeRequest {
  const folded = journal.folded();
  const heldId = plan.range.held?.id;
  return {
    trigger: plan.trigger,
    entries: coveredBy(plan, folded),
    held: [...folded.held, ...folded.messages].find(({ id }) => id === heldId) ?? null,
    previousProse: folded.compaction?.prose ?? null,
    instructions: plan.instructions,
    maxTokens: plan.shares.proseTokens,
  };
}

function compactionOf(made: {
  readonly plan: Plan;
  readonly prose: Prose | null;
  readonly folded: Folded;
  readonly before: Tokens;
}): NewCompaction {
  const { plan, prose, folded, before } = made;
  const { userLogTokens, ledgerTokens } = plan.shares;
  const covered = coveredBy(plan, folded);
  const shares = { userLogTokens, ledgerTokens };
  // One object from here to the journal: its text is rendered and counted once.
  const digest = asStored(buildDigest({ previous: folded.compaction?.digest ?? null, covered, shares }));
  return {
    type: 'compaction',
    range: plan.range,
    previousId: folded.compaction?.id ?? null,
    trigger: plan.trigger,
    ...(plan.instructions === null ? {} : { instructions: plan.instructions }),
    tokensBefore: before,
    tokensAfter: 0,
    by: prose?.model === undefined ? plan.by : { ...plan.by, model: prose.model },
    prose: prose?.text ?? null,
    digest,
    edits: plan.actions.flatMap((action): readonly Edit[] => (action.op === 'edit' ? action.edits : [])),
    ...(prose?.quality === undefined ? {} : { quality: prose.quality }),
  };
}

/** The draft as it would be with the compaction in the journal. */
function sizedDraft(
  runtime: SessionRuntime,
  { candidate, draft }: { readonly candidate: NewEntry; readonly draft: Draft },
): Draft {
  // The counter of the draft counts images as the model bills them.
  const { counter } = stateOfDraft(draft);
  const compacted = firstDraft(runtime.journal.foldedWith(candidate), { budget: draft.budget, counter });
  const ofPlugins = draft.layers.filter(({ by }) => by !== 'core');
  return createDraft({ ...stateOfDraft(compacted), layers: [...compacted.layers, ...ofPlugins] });
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
