import type { MessageEntry } from '../journal/entry.ts';
import { type Message, type ToolCallPart, type ToolResultPart, toolCallsOfMessage } from '../message.ts';

/** A message with its edits shown, and the entry that it is. */
export interface ShownMessage {
  readonly entry: MessageEntry;
  readonly message: Message;
}

/** A result part and where it stood. */
export interface Result {
  readonly entry: MessageEntry;
  readonly part: ToolResultPart;
  /** Index of the part in its message. */
  readonly index: number;
  /** Index of the message. */
  readonly at: number;
  /** True when a call before it has its id, and another result. */
  readonly isSecond: boolean;
}

/** A call, under an id that no other call of the thread has, and its result once that is found. */
export interface Call {
  readonly part: ToolCallPart;
  readonly id: string;
  result: Result | null;
}

/** The ids that calls have been given, and for each id that was used more than once how many of it there are. */
export interface CallNames {
  readonly used: ReadonlySet<string>;
  readonly copies: ReadonlyMap<string, number>;
}

/** For each message, by its index, its calls and its results that no call asked for. */
export interface Matches {
  readonly callsAt: ReadonlyMap<number, readonly Call[]>;
  readonly orphansAt: ReadonlyMap<number, readonly Result[]>;
  /** Number of messages whose pairs nothing that comes later changes. */
  readonly settled: number;
}

/**
 * Gives each call the first result with its id behind it, else one right before its message; what is left over is
 * orphaned. A call ends where a later message uses its id again: no result is ever carried over that.
 *
 * @param names  Ids that calls before these messages were given.
 */
export function matchResults(shown: readonly ShownMessage[], names: CallNames): Matches {
  const nameCall = callNamer(names);
  const callsAt = new Map<number, readonly Call[]>();
  const open = new Map<string, OpenCalls>();
  const early: EarlyResult[] = [];
  let newest: EarlyResult[] = [];
  shown.forEach(({ entry, message }, at) => {
    if (message.role === 'assistant') {
      const calls = toolCallsOfMessage(message).map((part): Call => ({ part, id: nameCall(part), result: null }));
      const openCalls = openCallsOf(calls);
      if (calls.length > 0) callsAt.set(at, calls);
      for (const id of openCalls.keys()) open.set(id, openCalls);
      for (const one of newest) Object.assign(one, { next: openCalls, nextAt: at });
      newest = [];
    }
    if (message.role !== 'tool') return;
    message.content.forEach((part, index) => {
      const asked = open.get(part.toolCallId);
      const result = { entry, part, index, at, isSecond: asked !== undefined || names.copies.has(part.toolCallId) };
      if (claim(asked, result)) return;
      const one = { result, next: null, nextAt: Infinity };
      newest.push(one);
      early.push(one);
    });
  });
  const orphansAt = orphansOf(early);
  return { callsAt, orphansAt, settled: settledOf(shown.length, { callsAt, early }) };
}

/** The names with those of further calls. */
export function namesWith({ used, copies }: CallNames, calls: readonly Call[]): CallNames {
  if (calls.length === 0) return { used, copies };
  const counts = new Map(copies);
  for (const { part } of calls) counts.set(part.toolCallId, (counts.get(part.toolCallId) ?? 0) + 1);
  return { used: new Set([...used, ...calls.map(({ id }) => id)]), copies: counts };
}

/** A result that no call before it asked for, and the calls of the assistant message that comes next. */
interface EarlyResult {
  readonly result: Result;
  readonly next: OpenCalls | null;
  readonly nextAt: number;
}

/** The calls of one message by the id that they were given, those without a result yet in order. */
type OpenCalls = ReadonlyMap<string, { readonly calls: readonly Call[]; answered: number }>;

function openCallsOf(calls: readonly Call[]): OpenCalls {
  const open = new Map<string, { readonly calls: Call[]; answered: number }>();
  for (const call of calls) {
    const same = open.get(call.part.toolCallId);
    if (same === undefined) open.set(call.part.toolCallId, { calls: [call], answered: 0 });
    else same.calls.push(call);
  }
  return open;
}

/** Of calls with the same id, the first without a result takes it. */
function claim(open: OpenCalls | null | undefined, result: Result): boolean {
  const same = open?.get(result.part.toolCallId);
  const call = same?.calls[same.answered];
  if (same === undefined || call === undefined) return false;
  same.answered += 1;
  call.result = result;
  return true;
}

function orphansOf(early: readonly EarlyResult[]): ReadonlyMap<number, readonly Result[]> {
  const orphansAt = new Map<number, Result[]>();
  for (const { result, next } of early) {
    if (claim(next, result)) continue;
    const orphans = orphansAt.get(result.at);
    if (orphans === undefined) orphansAt.set(result.at, [result]);
    else orphans.push(result);
  }
  return orphansAt;
}

/** The number of messages of which no call waits for a result, and no result for a call, behind them. */
function settledOf(
  length: number,
  {
    callsAt,
    early,
  }: { readonly callsAt: ReadonlyMap<number, readonly Call[]>; readonly early: readonly EarlyResult[] },
): number {
  const reach = new Map<number, number>();
  const extend = (at: number, to: number): void => {
    reach.set(at, Math.max(reach.get(at) ?? at, to));
  };
  for (const [at, calls] of callsAt) {
    // A result that stood before its call gives way to one that comes behind it.
    for (const { result } of calls) extend(at, result === null || result.at < at ? Infinity : result.at);
  }
  for (const { result, nextAt } of early) extend(result.at, nextAt);
  let settled = 0;
  let furthest = 0;
  for (let at = 0; at < length && furthest < Infinity; at += 1) {
    furthest = Math.max(furthest, reach.get(at) ?? at);
    if (furthest <= at) settled = at + 1;
  }
  return settled;
}

/** Names calls so that no two have one id: `a`, `a~2`, `a~3`. Each name is tried once, however often an id comes. */
function callNamer(before: CallNames): (part: ToolCallPart) => string {
  const used = new Set<string>();
  const copies = new Map<string, number>();
  return ({ toolCallId }) => {
    let copy = copies.get(toolCallId) ?? before.copies.get(toolCallId) ?? 0;
    let id = toolCallId;
    do {
      copy += 1;
      id = copy === 1 ? toolCallId : `${toolCallId}~${copy}`;
    } while (used.has(id) || before.used.has(id));
    copies.set(toolCallId, copy);
    used.add(id);
    return id;
  };
}
