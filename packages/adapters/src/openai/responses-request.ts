import type { JsonValue } from '@varve/core';

// Lists are not `readonly` here: a body is made anew for each call, and the SDK's parameters ask for plain arrays.

/** Text that is put in. */
export interface OpenAIInputText {
  readonly type: 'input_text';
  readonly text: string;
}

/** An image: a URL, or data as a data URL. */
export interface OpenAIInputImage {
  readonly type: 'input_image';
  readonly detail: 'auto';
  readonly image_url: string;
}

/** A PDF as a data URL, or any file behind a URL. */
export type OpenAIInputFile =
  | { readonly type: 'input_file'; readonly filename: string; readonly file_data: string }
  | { readonly type: 'input_file'; readonly file_url: string };

/** What the user's side, and tools, may put in. */
export type OpenAIInputContent = OpenAIInputText | OpenAIInputImage | OpenAIInputFile;

/** A message of the host's or the user's side, or one of the model's that it has no item for. */
export type OpenAIInputMessage =
  | { readonly role: 'developer'; readonly content: string }
  | { readonly role: 'user'; readonly content: OpenAIInputContent[] }
  | { readonly role: 'assistant'; readonly content: string; readonly phase?: 'commentary' | 'final_answer' };

/** A message of the model's, as the item that it was. */
export interface OpenAIOutputMessage {
  readonly type: 'message';
  readonly id: string;
  readonly role: 'assistant';
  readonly status: 'completed';
  readonly content: (
    | { readonly type: 'output_text'; readonly text: string; readonly annotations: [] }
    | { readonly type: 'refusal'; readonly refusal: string }
  )[];
  readonly phase?: 'commentary' | 'final_answer';
}

/** The model's reasoning: what it summarised, and the rest encrypted. */
export interface OpenAIReasoningItem {
  readonly type: 'reasoning';
  readonly id: string;
  readonly summary: { readonly type: 'summary_text'; readonly text: string }[];
  readonly encrypted_content?: string;
}

/** A call of a function. `arguments` is JSON of an object. */
export interface OpenAIFunctionCall {
  readonly type: 'function_call';
  readonly id?: string;
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
}

/** What a function gave back: a text, or content when there is more than text in it. */
export interface OpenAIFunctionOutput {
  readonly type: 'function_call_output';
  readonly call_id: string;
  readonly output: string | OpenAIInputContent[];
}

/**
 * One item of the input. Items of other types that the provider itself made (searches, images, compactions, …) go back
 * to it as they came; they are not named here.
 */
export type OpenAIItem =
  | OpenAIInputMessage
  | OpenAIOutputMessage
  | OpenAIReasoningItem
  | OpenAIFunctionCall
  | OpenAIFunctionOutput;

/** A function that the model may call. */
export interface OpenAIFunctionTool {
  readonly type: 'function';
  readonly name: string;
  readonly description?: string;
  readonly parameters: { readonly [keyword: string]: JsonValue };
  readonly strict: false;
}

/** Whether, and which, function the model calls. */
export type OpenAIResponsesToolChoice =
  | 'auto'
  | 'required'
  | 'none'
  | { readonly type: 'function'; readonly name: string };

/** Body of `POST /v1/responses`, as far as a prompt decides it. Add `reasoning`, `temperature`, … beside it. */
export interface OpenAIResponsesRequest {
  readonly model: string;
  readonly instructions?: string;
  readonly input: OpenAIItem[];
  readonly max_output_tokens?: number;
  readonly tools?: OpenAIFunctionTool[];
  readonly tool_choice?: OpenAIResponsesToolChoice;
  readonly store: boolean;
  readonly include?: 'reasoning.encrypted_content'[];
  readonly prompt_cache_key?: string;
}
