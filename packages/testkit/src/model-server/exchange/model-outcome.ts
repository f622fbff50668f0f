import type { JsonValue, Tokens } from '@varve/core';
import type { ServedRequest } from './served-request.ts';

/** One block of an answer, neutral to the API. */
export type AnswerBlock =
  | { readonly type: 'text'; readonly text: string }
  /** Signed or sealed by the server, which refuses it when it comes back changed. */
  | { readonly type: 'thinking'; readonly text: string }
  /** Thinking that nobody can read; OpenAI's APIs answer without it. */
  | { readonly type: 'redacted-thinking'; readonly data: string }
  | { readonly type: 'refusal'; readonly text: string }
  | {
      readonly type: 'tool-call';
      readonly name: string;
      readonly input?: JsonValue;
      /** Arguments as they are sent, JSON or not, instead of `input`. */
      readonly rawInput?: string;
      /** @default an own one */
      readonly id?: string;
    }
  /** A block of a type that clients do not know, sent as it is. */
  | { readonly type: 'unknown'; readonly block: { readonly type: string; readonly [field: string]: JsonValue } };

/** Why the model stopped. */
export type AnswerStop = 'end' | 'length' | 'tool-calls' | 'refusal';

/** Numbers that are reported instead of those that were counted. */
export interface ReportedUsage {
  /** The whole input, what came from the cache included. */
  readonly inputTokens?: Tokens;
  readonly outputTokens?: Tokens;
}

/**
 * Where a streamed answer breaks off: behind so many events, or within the first event that fits: in the middle of a
 * line, of a character that has several bytes in UTF-8, or behind the first piece of a tool's input. An answer that is
 * not streamed breaks off in the middle of its body.
 */
export type CutPlace =
  | { readonly afterEvents: number }
  | { readonly within: 'line' }
  | { readonly within: 'character' }
  | { readonly within: 'tool-input' };

/** How an answer is given. */
export interface AnswerOptions {
  /** @default what the blocks say: `refusal`, `tool-calls`, or `end` */
  readonly stop?: AnswerStop;
  /** What is reported; `missing` for nothing. @default what was counted */
  readonly usage?: ReportedUsage | 'missing';
  /** @default whole */
  readonly cut?: CutPlace;
  /** How a cut looks to the client: the connection breaks, or the stream ends as if all was well. @default 'broken' */
  readonly cutEnd?: 'broken' | 'quiet';
  /** Nothing is sent from there on until the promise resolves; events count from 0. */
  readonly hold?: { readonly before: 'headers' | number; readonly until: Promise<unknown> };
  /** A streamed answer ends with this error behind so many events; one that is not streamed is the error. */
  readonly failure?: { readonly afterEvents: number; readonly kind: FailureKind };
  /** Says more than the request and the window allow. @default false: it is cut there, and stops by length */
  readonly ignoresBound?: boolean;
  /** Size of the pieces in which texts and inputs are streamed, in characters. @default 12 */
  readonly pieceChars?: number;
}

/** An answer. */
export interface ModelAnswer extends AnswerOptions {
  readonly kind: 'answer';
  readonly blocks: readonly AnswerBlock[];
}

/** Errors that a provider answers with, in its own words. */
export type FailureKind =
  | 'overflow'
  | 'bad-request'
  | 'unauthorized'
  | 'quota'
  | 'too-large'
  | 'rate'
  | 'server'
  | 'overloaded'
  | 'filtered';

/** How a failure is told. */
export interface FailureOptions {
  /** `retry-after`, in whole seconds. @default not sent */
  readonly retryAfterSeconds?: number;
  /** `retry-after-ms`, which the clients of both providers prefer. @default not sent */
  readonly retryAfterMs?: number;
  /** Status instead of the provider's own. */
  readonly status?: number;
  /** Message instead of the provider's own. */
  readonly text?: string;
}

/** An error instead of an answer. */
export interface ModelFailure extends FailureOptions {
  readonly kind: 'failure';
  readonly failure: FailureKind;
}

/** No answer: the connection stays open until the client leaves, or is closed at once. */
export interface ModelSilence {
  readonly kind: 'silence';
  readonly hangsUp: boolean;
}

/** What becomes of a request. */
export type ModelOutcome = ModelAnswer | ModelFailure | ModelSilence;

/** Decides what becomes of a request. A text is an answer. What it throws is answered with the status 500. */
export type ModelScript = (request: ServedRequest) => string | ModelOutcome | Promise<string | ModelOutcome>;

/** An answer of these blocks, or of one text; an empty text is an answer without blocks. */
export function answer(said: string | readonly AnswerBlock[], options: AnswerOptions = {}): ModelAnswer {
  const texts: readonly AnswerBlock[] = said === '' ? [] : [{ type: 'text', text: said as string }];
  return { kind: 'answer', blocks: typeof said === 'string' ? texts : said, ...options };
}

/** An error of the provider. */
export function failure(kind: FailureKind, options: FailureOptions = {}): ModelFailure {
  return { kind: 'failure', failure: kind, ...options };
}

/** No answer. @param ending  whether the connection is closed at once. @default 'waits' */
export function silence(ending: 'waits' | 'hangs-up' = 'waits'): ModelSilence {
  return { kind: 'silence', hangsUp: ending === 'hangs-up' };
}
