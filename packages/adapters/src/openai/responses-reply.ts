/** Tokens of one call as the API counts them: what was read from a cache is within `input_tokens`. */
export interface OpenAIResponsesUsage {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly input_tokens_details?: {
    readonly cached_tokens?: number | null;
    readonly cache_write_tokens?: number | null;
  } | null;
}

/** An item of an answer; fields beside the type depend on it. */
export interface OpenAIOutputItem {
  readonly type: string;
}

/** A whole answer of `POST /v1/responses`. The SDK's `Response` is one. */
export interface OpenAIResponsesReply {
  readonly status?: string;
  readonly output: readonly OpenAIOutputItem[];
  readonly incomplete_details?: { readonly reason?: string } | null;
  readonly error?: { readonly code?: string; readonly message: string } | null;
  readonly usage?: OpenAIResponsesUsage | null;
}

/** An event of a streamed answer; fields beside the type depend on it. The SDK's `ResponseStreamEvent` is one. */
export interface OpenAIResponsesEvent {
  readonly type: string;
}
