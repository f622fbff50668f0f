import { stateOfDraft } from '../../draft/draft-operations.ts';
import { isAnswer } from '../../draft/half-answer.ts';
import { inReadingOrder } from '../../draft/reading-order.ts';
import { messageOfError, throwIfAborted, VarveError } from '../../errors.ts';
import { type EntryRef, type MessageEntry, refOf } from '../../journal/entry.ts';
import { type AssistantMessage, partsOfMessage, type ToolResultPart } from '../../message.ts';
import type { ToolSet } from '../../tool.ts';
import type { CheckedMessage } from '../ingest.ts';
import { turnActivity } from '../session-activity.ts';
import type { SessionRuntime } from '../session-runtime.ts';
import { startDraft } from '../start-draft.ts';
import { compactBeside } from './compact-beside.ts';
import { answerPrompt, type StepAnswer } from './overflow-recovery.ts';
import { isCutOff, runToolCalls } from './run-tool-calls.ts';
import { requestOf, type Turn } from './running-turn.ts';
import { textOfMessage } from './text-of-message.ts';
import type { CheckedTurn } from './turn-options.ts';
import { sumUsage, type TurnRecord, type TurnToolCall } from './turn-record.ts';
import { toolsOfTurn } from './turn-tools.ts';
import { type LeaseOfTurn, underLease } from './under-lease.ts';

/** What a turn needs of its session beside the runtime. */
interface TurnMeans {
  /** The tools of the host's plugins, as the session gives them. */
  readonly tools: ToolSet;
  /** Puts a message into the journal, in the order of the calls. */
  ingest(message: CheckedMessage): Promise<MessageEntry>;
}

/**
 * Runs a turn when those before it have ended: the message, then prompt, answer and tools until an answer calls none.
 *
 * @throws VARVE_TOOL_DUPLICATE, VARVE_SESSION_CLOSED, VARVE_INGEST_REFUSED; VARVE_OPTION_INVALID  when there is nothing
 *   that could be answered; VARVE_MODEL_OVERFLOW, VARVE_MODEL_FAILED, VARVE_LEASE_LOST  with all that was stored by then in its place.
 */
export async function takeTurn(
  runtime: SessionRuntime,
  options: CheckedTurn,
  { tools: ofPlugins, ingest }: TurnMeans,
): Promise<TurnRecord> {
  const tools = toolsOfTurn(runtime, { given: options.tools, ofPlugins });
  const definitions = [...tools.values()].map(({ definition }) => definition);
  const turnOf = (id: string, lease: LeaseOfTurn): Turn => ({
    id,
    runtime,
    options,
    tools,
    definitions,
    signal: lease.signal,
    lease,
    notes: {
      input: null,
      message: null,
      steps: [],
      compactions: [],
      overflowsRecovered: 0,
    },
    store: (message) => ingest({ ...message, turnId: id }),
  });
  return runtime.turns.take({
    signal: options.signal,
    begin: () => ({ id: nextTurnId(runtime), kind: options.kind }),
    work: ({ id }, signal) =>
      runtime.activity.during(turnActivity, () =>
        underLease(runtime.lease, { signal }, (lease) => toldTurn(turnOf(id, lease))),
      ),
    neverBegun: (signal) => recordOf(turnOf(nextTurnId(runtime), { ...noHold, signal }), 'aborted'),
  });
}

/** What a turn that never began does about other hosts. */
const noHold = { hold: async (): Promise<void> => undefined, renew: async (): Promise<void> => undefined };

/** Characters of chance in the name of a turn. */
const chanceLength = 8;

/**
 * Named by the first entry that it can store, which another host may take before, and so by chance too: no other turn of
 * the journal has it.
 */
function nextTurnId({ journal, mintId }: SessionRuntime): string {
  return `turn-${journal.state().seq + 1}-${mintId().slice(-chanceLength)}`;
}

/** Runs the turn, tells of its beginning and its end, and lets what may follow begin. */
async function toldTurn(turn: Turn): Promise<TurnRecord> {
  const { id: turnId, runtime, options, notes } = turn;
  const { events } = runtime;
  const ended = (status: TurnRecord['status'] | 'failed', error: string | null): void =>
    events.emit('turn-ended', { turnId, status, steps: notes.steps.length, usage: sumUsage(notes.steps), error });
  events.emit('turn-started', { turnId, kind: options.kind });
  try {
    const status = await runTurn(turn);
    ended(status, null);
    if (status !== 'aborted') compactBeside(turn);
    return recordOf(turn, status);
  } catch (error) {
    ended('failed', messageOfError(error));
    throw error;
  }
}

async function runTurn(turn: Turn): Promise<TurnRecord['status']> {
  const { options, signal, notes, store, lease } = turn;
  try {
    throwIfAborted(signal);
    // Before the turn of another host has ended: that one may answer it, too.
    if (options.input !== null) notes.input = refOf(await store({ ...options.input, signal }));
    await lease.hold();
    if (!isUnanswered(turn)) {
      notes.message = newestAnswer(turn);
      return 'answered';
    }
    for (let step = 0; step < options.maxSteps; step += 1) {
      if (step > 0) await lease.renew();
      const isOver = await takeStep(turn);
      if (isOver) return 'answered';
    }
    return 'step-limit';
  } catch (error) {
    if (VarveError.is(signal.reason, 'VARVE_LEASE_LOST')) throw signal.reason;
    if (signal.aborted && VarveError.is(error, 'VARVE_ABORTED')) return 'aborted';
    throw error;
  }
}

/** One prompt, its answer, and the tools that it calls. Gives true when the turn is over. */
async function takeStep(turn: Turn): Promise<boolean> {
  const { notes, tools, signal } = turn;
  const answer = await answerPrompt(turn);
  const { message, usage, promptTokens, attempts } = answer;
  notes.message = isBlank(message) ? null : await storeAnswer(turn, answer);
  const toolCalls: TurnToolCall[] = [];
  notes.steps.push({ promptTokens, usage, attempts, toolCalls });
  toolCalls.push(...(await runToolCalls(message, { tools, signal, store: (result) => storeResult(turn, result) })));
  if (toolCalls.length === 0 || isCutOff(message)) return true;
  throwIfAborted(signal);
  return false;
}

/** An answer that is there is stored, whoever aborts meanwhile. */
async function storeAnswer({ store }: Turn, answer: StepAnswer): Promise<AssistantMessage> {
  const { message, usage, promptSeq } = answer;
  const provenance = { kind: 'model' } as const;
  const entry = await store({ message, provenance, promptSeq, usage: usage ?? undefined });
  return entry.message as AssistantMessage;
}

async function storeResult({ store }: Turn, result: ToolResultPart): Promise<void> {
  await store({ message: { role: 'tool', content: [result] }, provenance: { kind: 'tool', tool: result.toolName } });
}

/** Providers take no message without content, so none is stored. */
function isBlank(message: AssistantMessage): boolean {
  return partsOfMessage(message).every(
    (part) =>
      (part.type === 'text' || part.type === 'reasoning') &&
      part.text.trim() === '' &&
      part.providerOptions === undefined,
  );
}

/**
 * True when the conversation ends with something that the model has not answered.
 *
 * @throws VARVE_OPTION_INVALID  for a conversation that has not begun.
 */
function isUnanswered(turn: Turn): boolean {
  const last = lastRole(turn);
  if (last !== null) return last !== 'assistant';
  throw new VarveError('VARVE_OPTION_INVALID', 'There is nothing that the turn could answer.', {
    fix: 'Give session.turn a message, or ingest one before.',
    details: { path: 'message' },
  });
}

function lastRole(turn: Turn): string | null {
  try {
    const { items } = stateOfDraft(startDraft(turn.runtime, requestOf(turn)).draft);
    return items.findLast(({ note }) => note === null)?.message.role ?? null;
  } catch (error) {
    // What is in the way is told by the prompt that cannot be made.
    if (VarveError.is(error, 'VARVE_BUDGET_IMPOSSIBLE')) return 'user';
    throw error;
  }
}

function newestAnswer({ runtime }: Turn): AssistantMessage | null {
  const entry = runtime.journal.folded().messages.findLast(({ message }) => isAnswer(message));
  return entry?.message.role === 'assistant' ? entry.message : null;
}

function recordOf({ id, runtime, notes }: Turn, status: TurnRecord['status']): TurnRecord {
  const { input, message, steps, compactions, overflowsRecovered } = notes;
  return {
    turnId: id,
    status,
    input,
    message,
    text: message === null ? '' : textOfMessage(message),
    steps,
    compactions,
    overflowsRecovered,
    usage: sumUsage(steps),
    pending: pendingIn(runtime),
  };
}

/** What stands on the user's side behind the last answer. */
function pendingIn({ journal }: SessionRuntime): readonly EntryRef[] {
  const messages = inReadingOrder([...journal.folded().messages]);
  const answered = messages.findLastIndex(({ message }) => isAnswer(message));
  return messages.slice(answered + 1).flatMap((entry) => (entry.message.role === 'user' ? [refOf(entry)] : []));
}
