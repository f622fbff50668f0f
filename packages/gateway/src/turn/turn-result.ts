import { partsOfMessage, type Store, type Usage } from '@varve/core';
import type { Received } from '@varve/sessions';
import { readEntries } from '../journal/read-entries.ts';
import { type Problem, problemOf } from '../problem/problem.ts';

/** What came of a message, for the caller. */
export interface TurnResult {
  readonly status: Received['status'];
  /** Key of the conversation. */
  readonly key: string;
  /** The generation that the message is in. */
  readonly sessionId: string;
  /** Seq of the message; `null` for what was not stored, such as a command. */
  readonly seq: number | null;
  readonly messageId: string;
  /** The answer, also one that was given before; `null` where there is none, and where it may not leave. */
  readonly text: string | null;
  /** Whether the policies let the answer leave; `null` where there was nothing to decide. */
  readonly decision: { readonly allow: boolean; readonly reason: string } | null;
  /** What began the conversation anew; `null` where it went on. */
  readonly reset: Received['reset'];
  readonly notices: readonly string[];
  /** The turn that ran; `null` for none. */
  readonly turn: {
    readonly turnId: string;
    readonly status: string;
    readonly steps: number;
    readonly promptTokens: number | null;
    readonly usage: Usage;
    readonly compactions: number;
  } | null;
  /** Why it failed; `null` for what did not. */
  readonly problem: Problem | null;
}

/** What is told beside what the conversation says. */
export interface TurnFacts {
  readonly messageId: string;
  /** The entry of the message; `null` for what was not stored. */
  readonly stored: { readonly sessionId: string; readonly seq: number } | null;
  /** The answer that a message has that was delivered again. */
  readonly earlierAnswer: string | null;
}

/** Tells a caller what came of a message: nothing of what may not leave. */
export function turnResult(received: Received, { messageId, stored, earlierAnswer }: TurnFacts): TurnResult {
  const { status, route, sessionId, reply, decision, reset, notices, turn, command, failure } = received;
  const isDenied = decision?.allow === false;
  const said = reply?.text ?? (isDenied ? null : (command?.text ?? earlierAnswer));
  return {
    status,
    key: route.keyText,
    sessionId: stored?.sessionId ?? sessionId,
    seq: stored?.seq ?? null,
    messageId,
    text: said,
    decision: decision === null ? null : { allow: decision.allow, reason: decision.reason },
    reset,
    notices,
    turn:
      turn === null
        ? null
        : {
            turnId: turn.turnId,
            status: turn.status,
            steps: turn.steps.length,
            promptTokens: turn.steps.at(-1)?.promptTokens ?? null,
            usage: turn.usage,
            compactions: turn.compactions.length,
          },
    problem: failure === null ? null : problemOf(failure),
  };
}

/** Entries that an answer is looked for in. */
const mostEntries = 500;

/** The answer that a message got when it was first delivered; `null` for none. */
export async function answerTo(
  store: Store,
  { sessionId, seq }: { readonly sessionId: string; readonly seq: number },
): Promise<string | null> {
  let answer: string | null = null;
  for await (const entry of readEntries(store, sessionId, { fromSeq: seq + 1, toSeq: seq + mostEntries })) {
    if (entry.type !== 'message') continue;
    if (entry.message.role === 'user' && answer !== null) break;
    if (entry.message.role !== 'assistant') continue;
    answer = partsOfMessage(entry.message)
      .map((part) => (part.type === 'text' ? part.text : ''))
      .join('');
  }
  return answer;
}
