import type { RuleViolation } from '@varve/adapters/provider-rules';
import type { AnswerBlock, AnswerStop, FailureKind } from '../exchange/model-outcome.ts';
import type { ModelApi, SeenConversation } from '../exchange/served-request.ts';
import type { Fields } from './json-fields.ts';

/** A piece of the input that is counted, and cached, as a whole. */
export interface PromptPart {
  /** What decides whether it is the same piece: all that the provider reads of it. */
  readonly key: string;
  /** What is counted. */
  readonly text: string;
  /** Tokens beside the text: what frames a message, and images. */
  readonly extraTokens: number;
  /** A cache mark stands behind it. */
  readonly mark?: '5m' | '1h';
}

/** A block that is ready to be sent: bounded, with an id, with arguments as text. */
export type ReadyBlock =
  | Exclude<AnswerBlock, { readonly type: 'tool-call' }>
  | { readonly type: 'tool-call'; readonly id: string; readonly name: string; readonly json: string };

/** What was counted, or what is said to have been. */
export interface WireUsage {
  /** The whole input. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: { readonly '5m': number; readonly '1h': number };
}

/** An answer that is ready to be sent. */
export interface WireAnswer {
  readonly blocks: readonly ReadyBlock[];
  readonly stop: AnswerStop | 'window';
  readonly usage: WireUsage | null;
  /** Beginning of all ids of the answer: own to the request, and the same when it is asked again. */
  readonly id: string;
  /** When the answer was made, in seconds since 1970. */
  readonly createdSeconds: number;
  readonly pieceChars: number;
  readonly body: Fields;
}

/** One event of a stream. */
export interface WireEvent {
  /** Its name; `null` where the API has none. */
  readonly name: string | null;
  /** JSON, or a word such as `[DONE]`. */
  readonly data: string;
  /** It holds a piece of the input of a tool that is not empty. */
  readonly isToolInput?: boolean;
}

/** An error response. */
export interface WireError {
  readonly status: number;
  readonly body: Fields;
}

/** What is told of a failure. */
export interface FailureFacts {
  readonly kind: FailureKind;
  readonly text?: string | undefined;
  readonly inputTokens: number;
  readonly contextTokens: number;
  readonly body: Fields;
}

/** One API: how its bodies are read, and how it answers. */
export interface Wire {
  readonly api: ModelApi;
  /** What the provider refuses; what only it can know (signatures) included. */
  check(body: Fields): readonly RuleViolation[];
  read(body: Fields): SeenConversation;
  /** The input in the order in which the provider reads it. */
  parts(body: Fields): readonly PromptPart[];
  /** The body of an answer that is not streamed. */
  whole(answer: WireAnswer): Fields;
  events(answer: WireAnswer): readonly WireEvent[];
  error(failure: FailureFacts): WireError;
  /** The error as it ends a stream behind some events; `null` where the API refuses before it streams. */
  errorEvents(failure: FailureFacts, position: number): readonly WireEvent[];
  /** How the provider refuses a body. */
  refuse(violation: RuleViolation, body: Fields): WireError;
  /** Whether a failure of a streamed request is told in a stream with the status 200. */
  streamsFailure(failure: FailureFacts): boolean;
}
