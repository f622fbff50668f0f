import type { JsonValue } from '@varve/core';

// Lists are not `readonly` here: a body is made anew for each call, and the SDK's parameters ask for plain arrays.

/** Text within a message. */
export interface OpenAIChatText {
  readonly type: 'text';
  readonly text: string;
}

/** An image: a URL, or data as a data URL. */
export interface OpenAIChatImage {
  readonly type: 'image_url';
  readonly image_url: { readonly url: string };
}

/** A sound of one of the two kinds that are taken. */
export interface OpenAIChatAudio {
  readonly type: 'input_audio';
  readonly input_audio: { readonly data: string; readonly format: 'wav' | 'mp3' };
}

/** A PDF as a data URL. */
export interface OpenAIChatFile {
  readonly type: 'file';
  readonly file: { readonly filename: string; readonly file_data: string };
}

/** What the user's side may send. */
export type OpenAIChatContent = OpenAIChatText | OpenAIChatImage | OpenAIChatAudio | OpenAIChatFile;

/** A call of a function. `arguments` is JSON of an object. */
export interface OpenAIChatToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
}

/** Text with which the model refused. */
export interface OpenAIChatRefusal {
  readonly type: 'refusal';
  readonly refusal: string;
}

/** What the model said. `content` is `null` when it only called functions. */
export interface OpenAIChatAssistant {
  readonly role: 'assistant';
  readonly content: string | (OpenAIChatText | OpenAIChatRefusal)[] | null;
  readonly tool_calls?: OpenAIChatToolCall[];
  /** Reasoning, for servers that want it back; which of the fields they read is theirs to say. */
  readonly reasoning_content?: string;
  readonly reasoning?: string;
}

/** One message of `POST /v1/chat/completions`. */
export type OpenAIChatMessage =
  | { readonly role: 'system' | 'developer'; readonly content: string }
  | { readonly role: 'user'; readonly content: string | OpenAIChatContent[] }
  | OpenAIChatAssistant
  | { readonly role: 'tool'; readonly tool_call_id: string; readonly content: string };

/** A function that the model may call. */
export interface OpenAIChatTool {
  readonly type: 'function';
  readonly function: {
    readonly name: string;
    readonly description?: string;
    readonly parameters: { readonly [keyword: string]: JsonValue };
  };
}

/** Whether, and which, function the model calls. */
export type OpenAIChatToolChoice =
  | 'auto'
  | 'required'
  | 'none'
  | { readonly type: 'function'; readonly function: { readonly name: string } };

/** Body of `POST /v1/chat/completions`, as far as a prompt decides it. Add `temperature`, … beside it. */
export interface OpenAIChatRequest {
  readonly model: string;
  readonly messages: OpenAIChatMessage[];
  readonly max_completion_tokens?: number;
  readonly max_tokens?: number;
  readonly tools?: OpenAIChatTool[];
  readonly tool_choice?: OpenAIChatToolChoice;
  readonly prompt_cache_key?: string;
}
