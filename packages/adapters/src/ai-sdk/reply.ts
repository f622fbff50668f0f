import type { AiSdkPart } from './messages.ts';

/** Tokens of one call, as a language model of version v3 reports them. */
export interface AiSdkUsage {
  readonly inputTokens?:
    | {
        readonly total?: number | undefined;
        readonly noCache?: number | undefined;
        readonly cacheRead?: number | undefined;
        readonly cacheWrite?: number | undefined;
      }
    | undefined;
  readonly outputTokens?: { readonly total?: number | undefined } | undefined;
}

/** A whole answer of a language model: `LanguageModelV3GenerateResult` is one. */
export interface AiSdkReply {
  readonly content: readonly AiSdkPart[];
  readonly finishReason?: { readonly unified: string } | undefined;
  readonly usage?: AiSdkUsage | undefined;
}

/** A piece of a streamed answer: `LanguageModelV3StreamPart` is one. What it has beside the type depends on it. */
export interface AiSdkStreamPart {
  readonly type: string;
}
