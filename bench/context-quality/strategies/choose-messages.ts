import { messageTokens, tokensOf } from '../judge/count-tokens.ts';
import type { JudgedMessage, JudgedPrompt } from '../judge/judged-prompt.ts';
import type { Turn } from '../sets/trajectory.ts';
import type { StrategyRun } from './strategy.ts';

/** A message that a strategy made. */
export function madeMessage(role: JudgedMessage['role'], body: string): JudgedMessage {
  return { role, body, calls: [], tokens: tokensOf(body) + messageTokens };
}

/** The same message with another body. */
export function withBody(message: JudgedMessage, body: string): JudgedMessage {
  return { ...message, body, tokens: tokensOf(body) + messageTokens };
}

/** What stands in front where the first message left is not the user's. */
const stub = madeMessage('user', '[earlier conversation omitted]');

/** Tokens of messages. */
export function sizeOf(messages: readonly JudgedMessage[]): number {
  return messages.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** Where the newest messages begin that fit. */
export function tailStart(messages: readonly JudgedMessage[], most: number): number {
  let start = messages.length;
  let size = 0;
  while (start > 0) {
    size += (messages[start - 1] as JudgedMessage).tokens;
    if (size > most) break;
    start -= 1;
  }
  return start;
}

/** Drops results whose call is gone, and puts a user's message in front where there is none. */
export function repairFront(messages: readonly JudgedMessage[]): readonly JudgedMessage[] {
  const called = new Set<string>();
  const kept = messages.filter(({ role, calls, callId = '' }) => {
    for (const { id } of calls) called.add(id);
    return role !== 'tool' || called.has(callId);
  });
  return kept.length > 0 && kept[0]?.role !== 'user' ? [stub, ...kept] : kept;
}

/**
 * The newest messages that fit, made valid. When not even the newest group (an answer with its results) fits, its
 * results are shortened: otherwise nothing would be left.
 */
export function fitTail(messages: readonly JudgedMessage[], most: number): readonly JudgedMessage[] {
  const room = most - stub.tokens;
  const tail = repairFront(messages.slice(tailStart(messages, room)));
  if (tail.some((message) => message !== stub) || messages.length === 0) return tail;
  const start = messages.findLastIndex(({ role }) => role !== 'tool');
  const [first, ...results] = messages.slice(Math.max(0, start)) as [JudgedMessage, ...JudgedMessage[]];
  if (results.length === 0) return repairFront([shortened(first, room)]);
  const head = shortened(first, Math.floor(most * 0.4));
  const each = Math.max(30, Math.floor((room - head.tokens) / results.length));
  return repairFront([head, ...results.map((result) => shortened(result, each))]);
}

/** Head and tail of a message that is too long. */
export function shortened(message: JudgedMessage, most: number): JudgedMessage {
  const { body, tokens } = message;
  if (tokens <= most) return message;
  for (let keep = Math.max(40, Math.floor((body.length * (most - 12)) / tokens)); ; keep = Math.floor(keep * 0.85)) {
    const head = Math.floor(keep * 0.6);
    const short = withBody(message, `${body.slice(0, head)}\n…[trimmed]…\n${body.slice(body.length - (keep - head))}`);
    if (short.tokens <= most || keep <= 60) return short;
  }
}

/** All of it is there for the next request, too. */
function wholePrompt(messages: readonly JudgedMessage[]): JudgedPrompt {
  return { messages, stable: messages.length };
}

/** A run of a strategy that chooses among the turns so far, each time anew. */
export function choosingRun(
  choose: (turns: readonly Turn[]) => readonly JudgedMessage[] | Promise<readonly JudgedMessage[]>,
): StrategyRun {
  const turns: Turn[] = [];
  return {
    take: async (turn) => {
      turns.push(turn);
    },
    request: async () => wholePrompt(await choose(turns)),
    close: async () => undefined,
  };
}
