import { defaultOutputReserve, resolveBudget } from '../../budget.ts';
import type { Draft } from '../../draft/draft.ts';
import { throwIfAborted, VarveError } from '../../errors.ts';
import type { AssistantMessage } from '../../message.ts';
import { type ModelRef, nameOfModel } from '../../model-ref.ts';
import type { Prompt } from '../../prompt/prompt.ts';
import type { Seq, Tokens } from '../../units.ts';
import { assemblePrompt } from '../assemble.ts';
import { learnCeiling, liftCeiling } from '../budget/learned-ceiling.ts';
import { budgetOptionsFor } from '../budget/model-budget.ts';
import { draftWithKnownLayers } from '../collect-layers.ts';
import type { CollectedShelf } from '../collected.ts';
import { compactSession } from '../compact/compact.ts';
import type { PromptRequest } from '../prompt-request.ts';
import { startDraft } from '../start-draft.ts';
import { callModel, type ModelAnswer } from './call-model.ts';
import { requestOf, type Turn } from './running-turn.ts';

/** Prompts that are tried for one answer. */
const mostAttempts = 3;

/** Where an error does not say how much a model takes, it is taken to be this share of what was sent. */
const shareOfSent = 0.8;

/** Smallest windows, in tokens, that are believed when an error names one, and when it names none. */
const leastTold = 1_000;
const leastGuessed = 4_000;

/** Items that an error names, the largest first. */
const mostItems = 10;

/** An answer, and what it took. */
export interface StepAnswer extends ModelAnswer {
  readonly promptTokens: Tokens;
  /** The last entry that its prompt knew. */
  readonly promptSeq: Seq;
  /** Calls of the model. */
  readonly attempts: number;
}

/** A prompt that is sent, and its size with all that is sent besides. */
interface Sent {
  readonly prompt: Prompt;
  readonly promptSeq: Seq;
  readonly size: Tokens;
}

/** A turn that waits for one answer. */
interface Answering extends Turn {
  /**
   * How much the model is taken to take until this answer is there: a guess that is too bold to be stored. Without it
   * nothing would be shortened, and the prompt would be refused again.
   */
  assumedTokens: Tokens;
  /** What was collected to decide about a compaction serves the prompt behind it, if nothing has changed by then. */
  readonly shelf: CollectedShelf;
}

/** What prompts and compactions are asked for until the answer is there. */
function requestFor(turn: Answering): PromptRequest {
  return { ...requestOf(turn), ceilingTokens: turn.assumedTokens, shelf: turn.shelf };
}

/**
 * Makes a prompt and has it answered. One that is too long, for the model or for its budget, is shortened by a
 * compaction and asked again, three times in all. What the model says of its limit is remembered.
 *
 * @throws VARVE_MODEL_OVERFLOW  with `details.items` and `details.layers` when nothing makes the prompt short enough.
 */
export async function answerPrompt(running: Turn): Promise<StepAnswer> {
  const turn: Answering = { ...running, assumedTokens: Infinity, shelf: { collected: null } };
  await compactIfDue(turn);
  let attempts = 0;
  let smallest: Tokens = Infinity;
  let tooLong: VarveError | null = null;
  for (let tried = 1; ; tried += 1) {
    const sent = await orTooLong(() => makePrompt(turn));
    if (!VarveError.is(sent) && sent.size >= smallest) throw irreducible(turn, tooLong);
    if (!VarveError.is(sent)) attempts += 1;
    const answer = VarveError.is(sent) ? sent : await orTooLong(() => askModel(turn, sent));
    if (!VarveError.is(answer)) {
      turn.notes.overflowsRecovered += tried - 1;
      const { promptSeq, prompt, size } = sent as Sent;
      liftCeiling(turn.runtime, { model: turn.options.model.ref, tokens: size });
      return { ...answer, promptSeq, promptTokens: prompt.tokens, attempts };
    }
    tooLong = answer;
    if (!VarveError.is(sent)) {
      smallest = sent.size;
      await learnFrom(turn, { error: tooLong, sent: sent.size });
    }
    const mayHelp = tried < mostAttempts && (await makeRoom(turn, tooLong));
    if (!mayHelp) throw irreducible(turn, tooLong);
  }
}

/** What work gives, or the error that says that a prompt is too long. */
async function orTooLong<Result>(work: () => Promise<Result>): Promise<Result | VarveError> {
  try {
    return await work();
  } catch (error) {
    if (VarveError.is(error, 'VARVE_MODEL_OVERFLOW') || VarveError.is(error, 'VARVE_BUDGET_IMPOSSIBLE')) return error;
    throw error;
  }
}

async function compactIfDue(turn: Answering): Promise<void> {
  const { runtime, notes, signal } = turn;
  throwIfAborted(signal);
  if (!runtime.hooks.isUsed('shouldCompact')) return;
  const outcome = await orTooLong(() => compactSession(runtime, 'threshold', requestFor(turn)));
  // A budget in which nothing fits is told by the prompt that cannot be made.
  const isOfNote = !VarveError.is(outcome) && outcome.status !== 'below-threshold' && outcome.status !== 'blocked';
  if (isOfNote) notes.compactions.push(outcome);
  throwIfAborted(signal);
}

async function makePrompt(turn: Answering): Promise<Sent> {
  const { runtime, signal } = turn;
  const promptSeq = runtime.journal.state().seq;
  const { reserved } = startDraft(runtime, requestFor(turn)).draft.budget;
  const prompt = await assemblePrompt(runtime, requestFor(turn));
  throwIfAborted(signal);
  return { prompt, promptSeq, size: prompt.tokens + reserved };
}

async function askModel(turn: Answering, { prompt, promptSeq }: Sent): Promise<ModelAnswer> {
  const { runtime, options, definitions, signal } = turn;
  const { system, messages, marks } = prompt;
  return callModel(options.model, {
    request: { prompt: { system, messages, marks }, ...(definitions.length === 0 ? {} : { tools: definitions }) },
    signal,
    onDelta: options.onDelta,
    onPartial: (text) => storePartial(turn, { text, promptSeq }),
    warn: (text) => runtime.events.emit('warning', { text }),
  });
}

/** What was streamed before the turn was aborted is all that there is of the answer. */
async function storePartial(
  { notes, store }: Turn,
  { text, promptSeq }: { readonly text: string; readonly promptSeq: Seq },
): Promise<void> {
  if (text.trim() === '') return;
  const message = { role: 'assistant', content: text, stop: 'aborted' } as const;
  try {
    const entry = await store({ message, provenance: { kind: 'model' }, promptSeq });
    notes.message = entry.message as AssistantMessage;
  } catch (error) {
    // A plugin that wants none of it does not keep the turn from ending as its caller asked.
    if (!VarveError.is(error, 'VARVE_INGEST_REFUSED') && !VarveError.is(error, 'VARVE_PLUGIN_FAILED')) throw error;
  }
}

async function learnFrom(
  turn: Answering,
  { error, sent }: { readonly error: VarveError; readonly sent: Tokens },
): Promise<void> {
  const { runtime, options } = turn;
  const { fixed } = startDraft(runtime, requestFor(turn)).draft.budget;
  // What hardly anything fits into would end the session for this model: it is not believed beyond this call.
  const { options: budget, facts, factor, window } = budgetOptionsFor(runtime, options.model.ref);
  const { input: allowed } = resolveBudget(budget, { facts, factor });
  const promptShare = (1 - (budget.outputReserveRatio ?? defaultOutputReserve)) / factor;
  const { tokens, isTold } = ceilingFrom(error, { sent, promptShare });
  const least = Math.max(fixed, leastCeiling(allowed, isTold));
  if (tokens > least) await learnCeiling(runtime, { model: options.model.ref, tokens, window });
  else if (tokens > fixed) turn.assumedTokens = Math.min(turn.assumedTokens, tokens);
}

/**
 * How much the model takes, in counted tokens, and whether the error tells or it is a guess. A limit is in the model's own
 * tokens, and has to hold the answer, too: `promptShare` is what one of its tokens leaves for a prompt, as counted.
 */
function ceilingFrom(
  { details }: VarveError,
  { sent, promptShare }: { readonly sent: Tokens; readonly promptShare: number },
): { readonly tokens: Tokens; readonly isTold: boolean } {
  const { limit, given } = details;
  if (typeof limit === 'number' && limit > 0) {
    const isBoth = typeof given === 'number' && given > limit;
    if (isBoth) return { tokens: Math.floor((sent * limit) / given), isTold: true };
    const tokens = Math.floor(limit * promptShare);
    if (tokens < sent) return { tokens, isTold: true };
  }
  return { tokens: Math.floor(sent * shareOfSent), isTold: false };
}

/** Below it a ceiling is more likely a misread error than a small model. Guesses add up, so they go less far. */
function leastCeiling(allowed: Tokens, isTold: boolean): Tokens {
  if (isTold) return Math.min(leastTold, allowed / 8);
  return allowed === Infinity ? leastGuessed : allowed / 4;
}

/** Compacts; gives false when that leaves things as they are and another try can come to nothing else. */
async function makeRoom(turn: Answering, tooLong: VarveError): Promise<boolean> {
  const { runtime, notes, signal } = turn;
  throwIfAborted(signal);
  // Whatever a compaction covers had been left out already.
  if (isTooManyBytes(tooLong)) return false;
  const outcome = await orTooLong(() => compactSession(runtime, 'overflow', requestFor(turn)));
  throwIfAborted(signal);
  if (VarveError.is(outcome)) return false;
  notes.compactions.push(outcome);
  const isChanged = outcome.status === 'compacted' || outcome.status === 'stale';
  return isChanged || tooLong.code === 'VARVE_MODEL_OVERFLOW';
}

/** True for a prompt that core itself would not send, for its images, files and texts. */
function isTooManyBytes({ details: { budgetBytes } }: VarveError): boolean {
  return typeof budgetBytes === 'number';
}

/** Says what no compaction makes smaller. */
function irreducible(turn: Answering, cause: VarveError | null): VarveError {
  const { provider, model } = turn.options.model.ref;
  if (cause !== null && isTooManyBytes(cause)) return tooManyBytes(cause, { provider, model });
  const { limit = null, given = null } = cause?.details ?? {};
  const stays = whatStays(turn);
  const [largest] = stays.items;
  const named =
    largest === undefined ? '' : `; the largest message that must stay is ${largest.id} with ${largest.tokens}`;
  const text = `No compaction makes the prompt short enough for ${nameOfModel({ provider, model })}${named}.`;
  return new VarveError('VARVE_MODEL_OVERFLOW', text, {
    fix: 'Shorten that message, the system prompt or the tools, or take a model with a larger window.',
    cause,
    details: { provider, model, limit, given, ...stays },
  });
}

function tooManyBytes(cause: VarveError, { provider, model }: ModelRef): VarveError {
  const { items = [] } = cause.details as {
    readonly items?: readonly { readonly id: string; readonly bytes: number }[];
  };
  const [largest] = items;
  const named =
    largest === undefined ? '' : ` The largest message that must stay is ${largest.id} with ${largest.bytes} bytes.`;
  const text = `No prompt for ${nameOfModel({ provider, model })} is small enough to be sent.${named}`;
  return new VarveError('VARVE_MODEL_OVERFLOW', `${text} ${cause.message}`, {
    fix: cause.fix,
    cause,
    details: { provider, model, limit: null, given: null, ...cause.details },
  });
}

interface Stays {
  readonly items: readonly { readonly id: string; readonly role: string; readonly tokens: Tokens }[];
  readonly layers: readonly { readonly id: string; readonly tokens: Tokens }[];
  /** Tools, and what the host sends besides. */
  readonly reservedTokens: Tokens | null;
  readonly budgetTokens: Tokens | null;
}

function whatStays(turn: Answering): Stays {
  try {
    const draft = draftWithKnownLayers(turn.runtime, requestFor(turn));
    const { reserved, input } = draft.budget;
    const layers = draft.layers.map(({ id, tokens }) => ({ id, tokens }));
    return { items: itemsThatStay(draft), layers, reservedTokens: reserved, budgetTokens: input };
  } catch (error) {
    if (!VarveError.is(error, 'VARVE_BUDGET_IMPOSSIBLE')) throw error;
    return { items: [], layers: [], reservedTokens: null, budgetTokens: null };
  }
}

function itemsThatStay({ items }: Draft): Stays['items'] {
  const stay = items.filter(({ live, unread }) => live || unread);
  const said = items.filter(({ note }) => note === null);
  const largest = [...(stay.length === 0 ? said.slice(-1) : stay)].sort((a, b) => b.tokens - a.tokens);
  return largest.slice(0, mostItems).map(({ id, message, tokens }) => ({ id, role: message.role, tokens }));
}
