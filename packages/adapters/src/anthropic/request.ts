import type { JsonValue } from '@varve/core';

// Lists are not `readonly` here: a body is made anew for each call, and the SDK's parameters ask for plain arrays.

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
    | {
        readonly type: 'base64';
        readonly media_type: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp';
        readonly data: string;
      }
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
  readonly content: string | (AnthropicTextBlock | AnthropicImageBlock | AnthropicDocumentBlock)[];
  readonly is_error?: true;
}

/**
 * One content block of a message. Blocks of other types that the provider itself made (searches, containers, …) go
 * back to it as they came; they are not named here.
 */
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
  readonly content: AnthropicBlock[];
}

/** A tool that the model may call. */
export interface AnthropicTool extends Cacheable {
  readonly name: string;
  readonly description?: string;
  readonly input_schema: { readonly type: 'object'; readonly [keyword: string]: JsonValue };
}

/** Whether, and which, tool the model calls. */
export type AnthropicToolChoice =
  | { readonly type: 'auto' | 'any' | 'none' }
  | { readonly type: 'tool'; readonly name: string };

/** How the model thinks before it answers. */
export type AnthropicThinking =
  | { readonly type: 'enabled'; readonly budget_tokens: number }
  | { readonly type: 'adaptive' }
  | { readonly type: 'disabled' };

/** Body of `POST /v1/messages`, as far as a prompt decides it. Add `temperature`, `metadata`, … beside it. */
export interface AnthropicRequest {
  readonly model: string;
  readonly max_tokens: number;
  readonly system?: AnthropicTextBlock[];
  readonly messages: AnthropicMessage[];
  readonly tools?: AnthropicTool[];
  readonly tool_choice?: AnthropicToolChoice;
  readonly thinking?: AnthropicThinking;
}
