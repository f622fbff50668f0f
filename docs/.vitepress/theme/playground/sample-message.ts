import type { Message, Milliseconds } from '@varve/core';

/** A message of the transcript that the playground plays. */
export interface SampleMessage {
  readonly message: Message;
  readonly key: string;
  readonly at: Milliseconds;
  /** Whether a model was called for it: a request stands before each of these. */
  readonly isAnswer: boolean;
}
