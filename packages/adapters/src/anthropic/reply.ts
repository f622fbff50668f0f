/** A block of an answer; fields beside the type depend on it. */
export interface AnthropicReplyBlock {
  readonly type: string;
}

/** Tokens of one call as the API counts them: what was read from or written to a cache is not in `input_tokens`. */
export interface AnthropicUsage {
  readonly input_tokens?: number | null;
  readonly output_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  readonly cache_creation_input_tokens?: number | null;
}

/** A whole answer of `POST /v1/messages`. The SDK's `Message` is one. */
export interface AnthropicReply {
  readonly content: readonly AnthropicReplyBlock[];
  readonly stop_reason: string | null;
  readonly usage?: AnthropicUsage | null;
}

/** An event of a streamed answer; fields beside the type depend on it. The SDK's `RawMessageStreamEvent` is one. */
export interface AnthropicStreamEvent {
  readonly type: string;
}
