/** A part of an answer; what it has depends on what it is. */
export type GeminiReplyPart = object;

/** A whole answer of `generateContent`, or a piece of a streamed one. */
export interface GeminiReply {
  readonly candidates?:
    | readonly {
        readonly content?: { readonly parts?: readonly GeminiReplyPart[] | undefined } | undefined;
        readonly finishReason?: string | undefined;
      }[]
    | undefined;
  readonly promptFeedback?: { readonly blockReason?: string | undefined } | undefined;
  readonly usageMetadata?:
    | {
        /** The whole prompt, what came from the cache included. */
        readonly promptTokenCount?: number | undefined;
        readonly cachedContentTokenCount?: number | undefined;
        readonly candidatesTokenCount?: number | undefined;
        readonly thoughtsTokenCount?: number | undefined;
      }
    | undefined;
  readonly responseId?: string | undefined;
}
