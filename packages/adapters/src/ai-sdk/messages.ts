/** JSON as the AI SDK has it. */
export type AiSdkJson = null | string | number | boolean | AiSdkJson[] | { [key: string]: AiSdkJson | undefined };

/** Data for one provider alone, by its name. */
export type AiSdkOptions = Record<string, { [option: string]: AiSdkJson | undefined }>;

/** A part of a message as it comes in; what it has beside the type depends on it. */
export interface AiSdkPart {
  readonly type: string;
}

/** A message as it comes in: `ModelMessage` and `LanguageModelV3Message` are ones. */
export interface AiSdkMessage {
  readonly role: string;
  readonly content: string | readonly AiSdkPart[];
}

/** What messages and parts may have beside what they say. */
export interface AiSdkOptional {
  providerOptions?: AiSdkOptions;
}

/** A piece of text. */
export interface AiSdkTextPart extends AiSdkOptional {
  type: 'text';
  text: string;
}

/** Reasoning; its signature is in the options. */
export interface AiSdkReasoningPart extends AiSdkOptional {
  type: 'reasoning';
  text: string;
}

/** A file or an image: base64, or an address. */
export interface AiSdkFilePart extends AiSdkOptional {
  type: 'file';
  data: string | URL;
  mediaType: string;
  filename?: string;
}

/** A call of a tool. */
export interface AiSdkToolCallPart extends AiSdkOptional {
  type: 'tool-call';
  toolCallId: string;
  toolName: string;
  input: unknown;
  providerExecuted?: boolean;
}

/** A piece of what a tool gave back. */
export type AiSdkOutputPart =
  | { type: 'text'; text: string }
  | { type: 'file-data'; data: string; mediaType: string; filename?: string }
  | { type: 'image-data'; data: string; mediaType: string }
  | { type: 'file-url'; url: string }
  | { type: 'image-url'; url: string };

/** What a tool gave back. */
export type AiSdkOutput =
  | { type: 'text' | 'error-text'; value: string; providerOptions?: AiSdkOptions }
  | { type: 'json' | 'error-json'; value: AiSdkJson; providerOptions?: AiSdkOptions }
  | { type: 'content'; value: AiSdkOutputPart[] };

/** A result of a tool. */
export interface AiSdkToolResultPart extends AiSdkOptional {
  type: 'tool-result';
  toolCallId: string;
  toolName: string;
  output: AiSdkOutput;
}

/** A message as it goes out. */
export type AiSdkPromptMessage = AiSdkOptional &
  (
    | { role: 'system'; content: string }
    | { role: 'user'; content: (AiSdkTextPart | AiSdkFilePart)[] }
    | {
        role: 'assistant';
        content: (AiSdkTextPart | AiSdkFilePart | AiSdkReasoningPart | AiSdkToolCallPart | AiSdkToolResultPart)[];
      }
    | { role: 'tool'; content: AiSdkToolResultPart[] }
  );

/** A prompt as it goes out: a `LanguageModelV3Prompt`, and a list of `ModelMessage`, too. */
export type AiSdkPrompt = AiSdkPromptMessage[];
