import { messageTokens, tokensOf } from '../judge/count-tokens.ts';
import { argumentText, bodyOf, type JudgedCall, type JudgedMessage } from '../judge/judged-prompt.ts';

/** A call of a tool, with its arguments as the file has them. */
interface TurnCall extends JudgedCall {
  readonly input: unknown;
}

/** What a provider reported about the request that gave a message. */
interface RecordedUsage {
  readonly plain: number;
  readonly read: number;
  readonly written: number;
}

/** One message of a trajectory: neutral to strategies, and at the same time what the judge compares with. */
export interface Turn extends JudgedMessage {
  readonly role: 'user' | 'assistant' | 'tool';
  /** Without the calls. */
  readonly text: string;
  readonly calls: readonly TurnCall[];
  readonly toolName: string;
  readonly isError: boolean;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Who says it, in a conversation between people. */
  readonly speaker?: string | undefined;
  readonly usage?: RecordedUsage | undefined;
  /** Files may write one answer as several lines: those of one answer share it. */
  readonly answer?: string | undefined;
}

/** A question about a conversation, asked behind its end. */
export interface Question {
  readonly text: string;
  readonly evidence: readonly string[];
  readonly isAnyEnough: boolean;
  readonly gold: readonly string[];
}

/** A compaction that the recording program made, with the summary that a model wrote. */
export interface RecordedCompaction {
  /** Number of turns before it. */
  readonly at: number;
  /** Turns from here on stayed visible. */
  readonly keptFrom: number;
  readonly summary: string;
}

/** One conversation. */
export interface Trajectory {
  readonly id: string;
  readonly set: string;
  readonly turns: readonly Turn[];
  /** Empty for what is judged by what its steps need. */
  readonly questions: readonly Question[];
  readonly compactions: readonly RecordedCompaction[];
  /** False when the file has no times: then a step takes 8 seconds. */
  readonly hasTimes: boolean;
}

/** The beginning of time where a file has none. */
export const madeUpStart = Date.UTC(2026, 0, 5, 9);
const madeUpStep = 8_000;

/** What a loader knows of a turn; the rest has defaults. */
type TurnFacts = Partial<Omit<Turn, 'calls' | 'body' | 'tokens' | 'role'>> & {
  readonly calls?: readonly Omit<TurnCall, 'text'>[];
};

/** Makes a turn, with its body and its tokens. */
export function makeTurn(role: Turn['role'], text: string, facts: TurnFacts = {}): Turn {
  const calls = (facts.calls ?? []).map((call) => ({ ...call, text: argumentText(call.input) }));
  const body = bodyOf(text, calls);
  const tokens = tokensOf(body) + messageTokens;
  return { toolName: '', isError: false, at: Number.NaN, ...facts, role, text, calls, body, tokens };
}

/** A trajectory out of turns; times that are missing are made up, those that go back are moved on. */
export function makeTrajectory(
  identity: Pick<Trajectory, 'id' | 'set'>,
  turns: readonly Turn[],
  more: Partial<Pick<Trajectory, 'questions' | 'compactions'>> = {},
): Trajectory {
  const hasTimes = turns.some(({ at }) => Number.isFinite(at));
  let now = madeUpStart - madeUpStep;
  if (hasTimes) now = Math.min(...turns.map(({ at }) => at).filter(Number.isFinite)) - madeUpStep;
  const timed = turns.map((turn) => {
    now = Number.isFinite(turn.at) ? Math.max(now, turn.at) : now + (hasTimes ? 0 : madeUpStep);
    return { ...turn, at: now };
  });
  return { ...identity, turns: timed, questions: [], compactions: [], ...more, hasTimes };
}

/**
 * Puts results behind their calls, in the order of the calls, and leaves out calls without a result, results without
 * a call, and messages that say nothing: what is left is valid for every provider. Ids that come twice get a number.
 */
export function pairTurns(turns: readonly Turn[]): readonly Turn[] {
  const results = new Map<string, Turn[]>();
  for (const turn of turns) {
    if (turn.role === 'tool') results.set(turn.callId ?? '', [...(results.get(turn.callId ?? '') ?? []), turn]);
  }
  const used = new Map<string, number>();
  return turns.flatMap((turn) => {
    if (turn.role === 'tool') return [];
    const answered = turn.calls.flatMap((call) => {
      const result = results.get(call.id)?.shift();
      if (result === undefined) return [];
      const count = used.get(call.id) ?? 0;
      used.set(call.id, count + 1);
      const id = count === 0 ? call.id : `${call.id}-${count}`;
      return [{ call: { ...call, id }, result: { ...result, callId: id, toolName: result.toolName || call.name } }];
    });
    if (turn.text.trim() === '' && answered.length === 0) return [];
    const spoken = makeTurn(turn.role, turn.text, { ...turn, calls: answered.map(({ call }) => call) });
    return [spoken, ...answered.map(({ result }) => result)];
  });
}
