/** Tokens of one call as the API counts them: what was read from a cache is within `prompt_tokens`. */
export interface OpenAIChatUsage {
  readonly prompt_tokens?: number | null;
  readonly completion_tokens?: number | null;
  readonly prompt_tokens_details?: {
    readonly cached_tokens?: number | null;
    readonly cache_write_tokens?: number | null;
  } | null;
  /** DeepSeek's way of telling what came from its cache. */
  readonly prompt_cache_hit_tokens?: number | null;
}

/** A call within an answer. Calls of other types than functions have no `function`. */
export interface OpenAIChatReplyCall {
  readonly id?: string;
  readonly type?: string;
  readonly function?: { readonly name?: string; readonly arguments?: string };
}

/** What the model said; servers other than OpenAI's put reasoning beside it. */
export interface OpenAIChatReplyMessage {
  readonly content?: string | null;
  readonly refusal?: string | null;
  readonly tool_calls?: readonly OpenAIChatReplyCall[] | null;
  readonly reasoning_content?: string | null;
  readonly reasoning?: string | null;
}

/** A whole answer of `POST /v1/chat/completions`. The SDK's `ChatCompletion` is one. */
export interface OpenAIChatReply {
  readonly choices: readonly {
    readonly finish_reason?: string | null;
    readonly message: OpenAIChatReplyMessage;
  }[];
  readonly usage?: OpenAIChatUsage | null;
}

/** A piece of a call; `index` tells which one it belongs to. */
export interface OpenAIChatCallPiece extends OpenAIChatReplyCall {
  readonly index?: number;
}

/** A piece of a streamed answer. The SDK's `ChatCompletionChunk` is one. */
export interface OpenAIChatChunk {
  readonly choices?: readonly {
    readonly finish_reason?: string | null;
    readonly delta?: Omit<OpenAIChatReplyMessage, 'tool_calls'> & {
      readonly tool_calls?: readonly OpenAIChatCallPiece[] | null;
    };
    /** Some servers report here. */
    readonly usage?: OpenAIChatUsage | null;
  }[];
  readonly usage?: OpenAIChatUsage | null;
  /** Proxies report errors of the model behind them within the stream. */
  readonly error?: unknown;
}
