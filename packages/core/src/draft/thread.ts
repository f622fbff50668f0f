import type { Edit, MessageEntry } from '../journal/entry.ts';
import {
  type Message,
  type MessagePart,
  partsOfMessage,
  type ToolCallPart,
  type ToolResultPart,
  toolCallsOfMessage,
} from '../message.ts';
import { textOfOutput } from '../text-of-output.ts';
import type { Ulid } from '../units.ts';

/** A message of the conversation as a provider may see it, and the entry it came from. */
export interface ThreadMessage {
  /** The entry; `null` for a result that no tool gave. */
  readonly entry: MessageEntry | null;
  /** Messages with the same number belong together: an assistant message and the results of its calls. */
  readonly group: number;
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
}

/** What a model is told when a tool call has no result. */
const interruptedText = '[No result: the tool call was interrupted, or is still running.]';

/** Index of a part that is not in the entry: core made it up, and nobody can edit it. */
export const madeUpPart = -1;

/** A result part and where it stood. */
interface Result {
  readonly entry: MessageEntry;
  readonly part: ToolResultPart;
  readonly index: number;
}

/** A call, under an id that no other call of the thread has, and its result once that is found. */
interface Call {
  readonly part: ToolCallPart;
  readonly id: string;
  result: Result | null;
}

/**
 * Lines visible messages up so that every tool call is followed by exactly one result: results move to their calls in
 * call order, what came between stands after them, a call without a result gets one that says so
 * (`close-open-call`), a result without a call becomes text of the user's side (`orphan-result`), and an id that is
 * used twice is told apart (`duplicate-call-id`). Nothing of this is written to the journal.
 */
export function closePairs(entries: readonly MessageEntry[], edits: ReadonlyMap<Ulid, readonly Edit[]>): Thread {
  const shown = entries.map((entry, group) => showEdits(entry, { edits: edits.get(entry.id) ?? [], group }));
  const { callsByGroup, orphansByGroup } = matchResults(shown);
  const messages: ThreadMessage[] = [];
  const leftOut: { entry: MessageEntry; rule: string }[] = [];
  for (const message of shown) {
    const { entry, group } = message;
    if (partsOfMessage(message.message).length === 0) leftOut.push({ entry, rule: 'empty-message' });
    else if (message.message.role === 'tool') {
      for (const orphan of orphansByGroup.get(group) ?? []) messages.push(orphanText(orphan, group));
    } else {
      const calls = callsByGroup.get(group) ?? [];
      messages.push(withCallIds(message, calls));
      for (const answer of answersOf(calls, group)) messages.push(answer);
    }
  }
  return { messages, leftOut };
}

/** The entry's message with its edits shown. */
function showEdits(
  entry: MessageEntry,
  { edits, group }: { readonly edits: readonly Edit[]; readonly group: number },
): ThreadMessage & { readonly entry: MessageEntry } {
  const partIndexes = partsOfMessage(entry.message).map((_, index) => index);
  if (edits.length === 0) return { entry, group, partIndexes, message: entry.message, whole: true, rules: [] };
  const message = edits.reduce(applyEdit, entry.message);
  return { entry, group, partIndexes, message, whole: false, rules: [] };
}

/** Replaces the text of one part, or of all of a message's text; never its kind, its id or its place. */
export function applyEdit(message: Message, edit: Pick<Edit, 'part' | 'text'>): Message {
  if (typeof message.content === 'string') return { ...message, content: edit.text } as Message;
  const index = edit.part ?? 0;
  const content = message.content.map((part, position) => {
    if (position !== index) return part;
    if (part.type === 'tool-result') {
      const failed = part.output.type === 'error-text' || part.output.type === 'error-json';
      return { ...part, output: { type: failed ? ('error-text' as const) : ('text' as const), value: edit.text } };
    }
    return part.type === 'text' || part.type === 'reasoning' ? { ...part, text: edit.text } : part;
  });
  return { ...message, content } as Message;
}

/** A result that no call before it asked for, and the calls of the assistant message that comes next. */
interface EarlyResult {
  readonly group: number;
  readonly result: Result;
  next: readonly Call[];
}

/**
 * Gives each call the first result with its id behind it, else one right before its message; what is left over is
 * orphaned. A call ends where a later message uses its id again: no result is ever carried over that.
 */
function matchResults(shown: readonly (ThreadMessage & { readonly entry: MessageEntry })[]): {
  callsByGroup: ReadonlyMap<number, readonly Call[]>;
  orphansByGroup: ReadonlyMap<number, readonly Result[]>;
} {
  const ids = new Set<string>();
  const callsByGroup = new Map<number, readonly Call[]>();
  const orphansByGroup = new Map<number, Result[]>();
  const open = new Map<string, readonly Call[]>();
  const early: EarlyResult[] = [];
  let newest: EarlyResult[] = [];
  for (const { entry, group, message } of shown) {
    const calls = toolCallsOfMessage(message).map((part): Call => ({ part, id: freshId(part, ids), result: null }));
    if (calls.length > 0) callsByGroup.set(group, calls);
    for (const { part } of calls) open.set(part.toolCallId, calls);
    if (message.role === 'assistant') {
      for (const one of newest) one.next = calls;
      newest = [];
    }
    if (message.role !== 'tool') continue;
    message.content.forEach((part, index) => {
      const result = { entry, part, index };
      if (claim(open.get(part.toolCallId) ?? [], result)) return;
      newest.push({ group, result, next: [] });
      early.push(...newest.slice(-1));
    });
  }
  for (const { group, result, next } of early) {
    if (!claim(next, result)) orphansByGroup.set(group, [...(orphansByGroup.get(group) ?? []), result]);
  }
  return { callsByGroup, orphansByGroup };
}

/** Of calls with the same id, the first without a result takes it. */
function claim(calls: readonly Call[], result: Result): boolean {
  const call = calls.find((one) => one.part.toolCallId === result.part.toolCallId && one.result === null);
  if (call !== undefined) call.result = result;
  return call !== undefined;
}

function freshId(part: ToolCallPart, used: Set<string>): string {
  let id = part.toolCallId;
  for (let copy = 2; used.has(id); copy += 1) id = `${part.toolCallId}~${copy}`;
  used.add(id);
  return id;
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
function orphanText({ entry, part, index }: Result, group: number): ThreadMessage {
  const content = [
    { type: 'text', text: `[Result of a tool call that is not in this conversation: ${part.toolName}]` },
    { type: 'text', text: textOfOutput(part.output) },
  ] as const;
  const partIndexes = [madeUpPart, index];
  return { entry, group, message: { role: 'user', content }, partIndexes, whole: false, rules: ['orphan-result'] };
}
