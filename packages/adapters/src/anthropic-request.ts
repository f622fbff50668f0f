import type { JsonValue } from '@varve/core';

/** Asks the provider to keep everything up to the block that carries it: five minutes, or one hour with `ttl`. */
export interface AnthropicCacheControl {
  readonly type: 'ephemeral';
  readonly ttl?: '1h';
}

interface Cacheable {
  readonly cache_control?: AnthropicCacheControl;
}

/** Plain text; never blank. */
export interface AnthropicTextBlock extends Cacheable {
  readonly type: 'text';
  readonly text: string;
}

/** An image: base64 data of one of the four kinds that the API takes, or a URL. */
export interface AnthropicImageBlock extends Cacheable {
  readonly type: 'image';
  readonly source:
    | { readonly type: 'base64'; readonly media_type: string; readonly data: string }
    | { readonly type: 'url'; readonly url: string };
}

/** A PDF (base64 data or a URL), or a plain text document. */
export interface AnthropicDocumentBlock extends Cacheable {
  readonly type: 'document';
  readonly source:
    | { readonly type: 'base64'; readonly media_type: 'application/pdf'; readonly data: string }
    | { readonly type: 'text'; readonly media_type: 'text/plain'; readonly data: string }
    | { readonly type: 'url'; readonly url: string };
  readonly title?: string;
}

/** The model's reasoning with the signature that proves it. Cannot carry a cache mark. */
export interface AnthropicThinkingBlock {
  readonly type: 'thinking';
  readonly thinking: string;
  readonly signature: string;
}

/** Reasoning that the provider encrypted. Cannot carry a cache mark. */
export interface AnthropicRedactedThinkingBlock {
  readonly type: 'redacted_thinking';
  readonly data: string;
}

/** A request of the model to run a tool. `input` is always an object. */
export interface AnthropicToolUseBlock extends Cacheable {
  readonly type: 'tool_use';
  readonly id: string;
  readonly name: string;
  readonly input: { readonly [key: string]: JsonValue | undefined };
}

/** What a tool gave back: a text, or blocks when there is more than text in it. */
export interface AnthropicToolResultBlock extends Cacheable {
  readonly type: 'tool_result';
  readonly tool_use_id: string;
  readonly content: string | readonly (AnthropicTextBlock | AnthropicImageBlock | AnthropicDocumentBlock)[];
  readonly is_error?: true;
}

/** One content block of a message. */
export type AnthropicBlock =
  | AnthropicTextBlock
  | AnthropicImageBlock
  | AnthropicDocumentBlock
  | AnthropicThinkingBlock
  | AnthropicRedactedThinkingBlock
  | AnthropicToolUseBlock
  | AnthropicToolResultBlock;

/** One message; roles alternate. */
export interface AnthropicMessage {
  readonly role: 'user' | 'assistant';
  readonly content: readonly AnthropicBlock[];
}

/** Body of `POST /v1/messages`, as far as a prompt decides it. Add `tools`, `thinking`, … beside it. */
export interface AnthropicRequest {
  readonly model: string;
  readonly max_tokens: number;
  readonly system?: readonly AnthropicTextBlock[];
  readonly messages: readonly AnthropicMessage[];
}
