import type { RuleViolation } from '@varve/adapters/provider-rules';
import type { JsonValue } from '@varve/core';

/** The APIs that a server speaks. */
export type ModelApi = 'anthropic-messages' | 'openai-chat' | 'openai-responses';

/** A call of a tool, as it came back to the model. */
export interface SeenCall {
  readonly id: string;
  readonly name: string;
  /** The parsed arguments; a string when they are no JSON. */
  readonly input: JsonValue;
}

/** What a tool gave back. */
export interface SeenResult {
  readonly callId: string;
  /** Its texts; of images and files, nothing. */
  readonly text: string;
}

/**
 * One message, neutral to the API. Results of tools that stand together are one message of the user's, without text;
 * words and calls of the model that stand together are one, too.
 */
export interface SeenMessage {
  readonly role: 'system' | 'user' | 'assistant';
  /** Its texts, one a line. */
  readonly text: string;
  readonly calls: readonly SeenCall[];
  readonly results: readonly SeenResult[];
  /** How many images it holds, those within results included. */
  readonly images: number;
}

/** A tool that the model may call. */
export interface SeenTool {
  readonly name: string;
  readonly inputSchema: { readonly [keyword: string]: unknown };
}

/** What a body asks, neutral to the API. */
export interface SeenConversation {
  /** The system prompt; empty when there is none. */
  readonly system: string;
  readonly messages: readonly SeenMessage[];
  readonly tools: readonly SeenTool[];
  /** Whether a tool must be called; the name of the one that must be. */
  readonly toolChoice: 'auto' | 'required' | 'none' | { readonly tool: string };
  /** Upper bound of the answer in tokens, when the body has one. */
  readonly maxOutputTokens: number | null;
}

/**
 * How an exchange ended: `answered` with all of an answer or an error, `broken-off` by the script, or `left` when the
 * client went first, or the server was stopped.
 */
export type ExchangeEnd = 'answered' | 'broken-off' | 'left';

/** A request as the server saw it. */
export interface ServedRequest {
  /** Position among the requests of the server, from 1. */
  readonly number: number;
  readonly api: ModelApi;
  readonly headers: { readonly [name: string]: string };
  /** The body as JSON. */
  readonly body: { readonly [field: string]: unknown };
  /** What the provider would refuse in it; a request with violations never reaches the script. */
  readonly violations: readonly RuleViolation[];
  readonly conversation: SeenConversation;
  /** Whether the answer is to be streamed. */
  readonly stream: boolean;
  /** Tokens of the input, as the server counts them. */
  readonly inputTokens: number;
  /** Resolves when the exchange is over; never rejects. */
  readonly ended: Promise<ExchangeEnd>;
}
