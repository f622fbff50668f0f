import type { Edit, MessageEntry } from '../journal/entry.ts';
import { type Message, type MessagePart, partsOfMessage, type ToolResultPart } from '../message.ts';
import { textOfOutput } from '../text-of-output.ts';
import type { Seq, Ulid } from '../units.ts';
import { applyEdits } from './apply-edits.ts';
import { isHalfAnswer } from './half-answer.ts';
import { type Call, type CallNames, type Matches, matchResults, namesWith, type Result } from './match-results.ts';
import { inReadingOrder } from './reading-order.ts';

/** A message of the conversation as a provider may see it, and the entry it came from. */
export interface ThreadMessage {
  /** The entry; `null` for a result that no tool gave. */
  readonly entry: MessageEntry | null;
  /** Messages with the same seq belong together: an assistant message, whose seq it is, and the results of its calls. */
  readonly group: Seq;
  readonly message: Message;
  /** For each part of `message`, its index in the entry's message; {@link madeUpPart} for one that is not in it. */
  readonly partIndexes: readonly number[];
  /** True when `message` is the entry's own, untouched. */
  readonly whole: boolean;
  /** Rules of this step that changed the message. */
  readonly rules: readonly string[];
}

/** The pairs of a thread closed, and the entries that are not in it with the rule that left them out. */
export interface Thread {
  readonly messages: readonly ThreadMessage[];
  readonly leftOut: readonly { readonly entry: MessageEntry; readonly rule: string }[];
  /** The messages that a rule of this step changed. */
  readonly changed: readonly ThreadMessage[];
  readonly settled: SettledThread;
}

/** The beginning of a thread that nothing which comes later changes: what to go on from when the thread has grown. */
interface SettledThread {
  /** Number of entries that are settled, and of what came of them. */
  readonly entries: number;
  readonly messages: number;
  readonly leftOut: number;
  readonly changed: number;
  /** Ids that their calls were given. */
  readonly names: CallNames;
}

/** What a model is told when a tool call has no result. */
const interruptedText = '[No result: the tool call was interrupted, or is still running.]';

/** Index of a part that is not in the entry: core made it up, and nobody can edit it. */
export const madeUpPart = -1;

const nothingSettled: SettledThread = {
  entries: 0,
  messages: 0,
  leftOut: 0,
  changed: 0,
  names: { used: new Set(), copies: new Map() },
};

const emptyThread: Thread = { messages: [], leftOut: [], changed: [], settled: nothingSettled };

/**
 * Lines visible messages up so that every tool call is followed by exactly one result: results move to their calls in
 * call order, what came between stands after them, a call without a result gets one that says so
 * (`close-open-call`), a result without a call becomes text of the user's side (`orphan-result`), and an id that is
 * used twice is told apart (`duplicate-call-id`). Half an answer that nothing of the user's side follows is left out
 * (`unfinished-answer`). Nothing of this is written to the journal.
 *
 * @param before  The thread of the first of these entries with the same edits: what is settled of it is taken over.
 */
export function closePairs(
  entries: readonly MessageEntry[],
  edits: ReadonlyMap<Ulid, readonly Edit[]>,
  before: Thread = emptyThread,
): Thread {
  const { settled } = before;
  const shown = inReadingOrder(entries)
    .slice(settled.entries)
    .map((entry) => showEdits(entry, edits.get(entry.id) ?? []));
  const matches = matchResults(shown, settled.names);
  const messages = before.messages.slice(0, settled.messages);
  const leftOut = before.leftOut.slice(0, settled.leftOut);
  const changed = before.changed.slice(0, settled.changed);
  const made = shown.map((message, at) => messagesOf(message, { at, matches }));
  const halves = halfAnswersIn(shown, made);
  // An answer may still come that stands before the last words of the user.
  const lastOther = shown.findLastIndex((one) => one.message.role !== 'user');
  const end = beforeHalves(Math.min(matches.settled, lastOther + 1), { shown, made });
  let next = settled;
  shown.forEach((message, at) => {
    if (partsOfMessage(message.message).length === 0) leftOut.push({ entry: message.entry, rule: 'empty-message' });
    if (halves.has(at)) leftOut.push({ entry: message.entry, rule: 'unfinished-answer' });
    for (const one of halves.has(at) ? [] : (made[at] ?? [])) {
      messages.push(one);
      if (one.rules.length > 0) changed.push(one);
    }
    if (at + 1 !== end) return;
    const names = namesWith(settled.names, callsUpTo(end, matches.callsAt));
    const counts = { messages: messages.length, leftOut: leftOut.length, changed: changed.length };
    next = { entries: settled.entries + at + 1, ...counts, names };
  });
  return { messages, leftOut, changed, settled: next };
}

/**
 * The halves of answers that are left out, by their index: those that the user said nothing to. A prompt that asks again
 * does not have them, so they stay out of it when another answer comes.
 */
function halfAnswersIn(
  shown: readonly ThreadMessage[],
  made: readonly (readonly ThreadMessage[])[],
): ReadonlySet<number> {
  const leftOut = new Set<number>();
  let next: Message['role'] | null = null;
  for (let at = shown.length - 1; at >= 0; at -= 1) {
    const [first] = made[at] ?? [];
    if (first === undefined) continue;
    const { message } = shown[at] as ThreadMessage;
    if (isHalfAnswer(message) && next !== 'user') leftOut.add(at);
    else next = first.message.role;
  }
  return leftOut;
}

/** The end without the halves of answers right before it: whether they stay depends on what comes to stand behind them. */
function beforeHalves(
  end: number,
  { shown, made }: { readonly shown: readonly ThreadMessage[]; readonly made: readonly (readonly ThreadMessage[])[] },
): number {
  let before = end;
  for (let at = end - 1; at >= 0; at -= 1) {
    if ((made[at] ?? []).length === 0) continue;
    if (!isHalfAnswer((shown[at] as ThreadMessage).message)) break;
    before = at;
  }
  return before;
}

/** What a message becomes: itself with the results of its calls, or its results that no call asked for. */
function messagesOf(
  message: ThreadMessage,
  { at, matches }: { readonly at: number; readonly matches: Matches },
): readonly ThreadMessage[] {
  if (partsOfMessage(message.message).length === 0) return [];
  const orphans = matches.orphansAt.get(at) ?? [];
  if (message.message.role === 'tool') return orphans.map((orphan) => orphanText(orphan, message.group));
  const calls = matches.callsAt.get(at);
  return calls === undefined ? [message] : [withCallIds(message, calls), ...answersOf(calls, message.group)];
}

function callsUpTo(end: number, callsAt: ReadonlyMap<number, readonly Call[]>): readonly Call[] {
  return [...callsAt].flatMap(([at, calls]) => (at < end ? calls : []));
}

/** The entry's message with its edits shown. */
function showEdits(entry: MessageEntry, edits: readonly Edit[]): ThreadMessage & { readonly entry: MessageEntry } {
  const partIndexes = partsOfMessage(entry.message).map((_, index) => index);
  const shown = { entry, group: entry.seq, partIndexes, rules: [] };
  if (edits.length === 0) return { ...shown, message: entry.message, whole: true };
  const message = applyEdits(entry.message, new Map(edits.map(({ part, text }) => [part ?? 0, text])));
  return { ...shown, message, whole: false };
}

function withCallIds(message: ThreadMessage, calls: readonly Call[]): ThreadMessage {
  if (calls.every((call) => call.id === call.part.toolCallId)) return message;
  const ids = new Map(calls.map((call) => [call.part, call.id]));
  const content = (message.message.content as readonly MessagePart[]).map((part) =>
    part.type === 'tool-call' ? { ...part, toolCallId: ids.get(part) ?? part.toolCallId } : part,
  );
  const renamed = { ...message.message, content } as Message;
  return { ...message, message: renamed, whole: false, rules: ['duplicate-call-id', ...message.rules] };
}

/** The results of one assistant message in call order, one thread message for each run that one entry gave. */
function answersOf(calls: readonly Call[], group: number): ThreadMessage[] {
  const answers: ThreadMessage[] = [];
  let run: Call[] = [];
  calls.forEach((call, index) => {
    run.push(call);
    const next = calls[index + 1];
    if (next !== undefined && next.result?.entry === call.result?.entry) return;
    answers.push(call.result === null ? interrupted(run, group) : answerOf(run, { entry: call.result.entry, group }));
    run = [];
  });
  return answers;
}

function interrupted(calls: readonly Call[], group: number): ThreadMessage {
  const content = calls.map(({ id, part }): ToolResultPart => {
    const output = { type: 'error-text', value: interruptedText } as const;
    return { type: 'tool-result', toolCallId: id, toolName: part.toolName, output };
  });
  const message: Message = { role: 'tool', content };
  return { entry: null, group, message, partIndexes: [], whole: false, rules: ['close-open-call'] };
}

function answerOf(
  calls: readonly Call[],
  { entry, group }: { readonly entry: MessageEntry; readonly group: number },
): ThreadMessage {
  const results = calls.flatMap((call) => (call.result === null ? [] : [{ id: call.id, ...call.result }]));
  const content = results.map(({ id, part }) => (id === part.toolCallId ? part : { ...part, toolCallId: id }));
  const own = entry.message.content;
  const whole = own.length === content.length && content.every((part, index) => part === own[index]);
  const message: Message = whole ? entry.message : { role: 'tool', content };
  return { entry, group, message, partIndexes: results.map((result) => result.index), whole, rules: [] };
}

/** An orphan as text, so that its content is not lost and no provider refuses it: a line that says so, and the text. */
function orphanText({ entry, part, index, isSecond }: Result, group: number): ThreadMessage {
  const { toolCallId, toolName } = part;
  const what = isSecond
    ? `A second result of call ${toolCallId}`
    : 'Result of a tool call that is not in this conversation';
  const content = [
    { type: 'text', text: `[${what}: ${toolName}]` },
    { type: 'text', text: textOfOutput(part.output) },
  ] as const;
  const partIndexes = [madeUpPart, index];
  return { entry, group, message: { role: 'user', content }, partIndexes, whole: false, rules: ['orphan-result'] };
}
