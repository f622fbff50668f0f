import type { AssistantMessage, Usage } from './message.ts';
import type { ModelRef } from './model-ref.ts';
import type { Prompt } from './prompt/prompt.ts';
import type { ToolDefinition } from './tool.ts';
import type { Tokens } from './units.ts';

/** One call of a model, neutral to providers. */
export interface ModelRequest {
  /** What is sent: a prompt of `session.assemble`, or one that a plugin wrote for a call of its own. */
  readonly prompt: Pick<Prompt, 'system' | 'messages' | 'marks'>;
  /** Tools that the model may call. @default none */
  readonly tools?: readonly ToolDefinition[] | undefined;
  /** Upper bound of the answer. @default the port's own */
  readonly maxOutputTokens?: Tokens | undefined;
}

/** A piece of an answer while it is streamed. */
export type ModelDelta =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  | { readonly type: 'tool-call'; readonly toolCallId: string; readonly toolName: string };

/** How a call is made. */
export interface ModelCallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called for each piece as it comes; its presence asks for streaming. What it throws is ignored. */
  readonly onDelta?: ((delta: ModelDelta) => void) | undefined;
}

/** A model's whole answer. `message.stop` says why it ended. */
export interface ModelReply {
  readonly message: AssistantMessage;
  /** What the provider reported; `null` when it reported nothing. */
  readonly usage: Usage | null;
}

/**
 * A model that can be called. Adapters make ports around the clients of providers; tests and the offline model write
 * their own.
 *
 * *Contract:* `generate` never answers with half a message without saying so in `message.stop`. It throws
 * `VARVE_MODEL_OVERFLOW` when the input was too long for the model, `VARVE_ABORTED` when the signal was aborted, and
 * `VARVE_MODEL_FAILED` for all else, with `details: { kind, status?, retryable }`.
 */
export interface ModelPort {
  readonly ref: ModelRef;
  generate(request: ModelRequest, options?: ModelCallOptions): Promise<ModelReply>;
}
