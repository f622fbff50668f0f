import type { JsonValue } from './json-value.ts';
import type { ToolOutput } from './message.ts';
import type { Milliseconds } from './units.ts';

/** A tool as a model is told of it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the input: an object. */
  readonly inputSchema: { readonly [keyword: string]: JsonValue };
}

/** One call of a tool. */
export interface ToolCallOptions {
  readonly toolCallId: string;
  readonly signal?: AbortSignal | undefined;
}

/** A tool that can be run. */
export interface Tool extends ToolDefinition {
  /** How long a turn waits for one call. @default 120 000 */
  readonly deadlineMs?: Milliseconds | undefined;
  /**
   * Answers a call. What goes wrong inside is an output of the type `error-text`, for the model to read.
   *
   * @throws VARVE_ABORTED  when the signal was aborted.
   */
  execute(input: unknown, options: ToolCallOptions): Promise<ToolOutput>;
}

/** Tools in the order in which a model is told of them. No two have one name. */
export type ToolSet = readonly Tool[];
