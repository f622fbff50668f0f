import type { JsonValue } from '@varve/core';

/** A JSON object. */
export type GeminiFields = { [field: string]: JsonValue };

/** One thing in a turn: a text, data, a call or a response. */
export interface GeminiPart {
  text?: string;
  /** True for reasoning. */
  thought?: boolean;
  /** Proof of the thoughts that led to the part. */
  thoughtSignature?: string;
  inlineData?: { mimeType: string; data: string };
  fileData?: { mimeType?: string; fileUri: string };
  functionCall?: { id?: string; name: string; args: GeminiFields };
  functionResponse?: { id?: string; name: string; response: GeminiFields };
}

/** A turn. */
export interface GeminiContent {
  role: 'user' | 'model';
  parts: GeminiPart[];
}

/** A function as the model is told of it. */
export interface GeminiFunction {
  name: string;
  description?: string;
  /** JSON Schema of the arguments; left out where there are none. */
  parametersJsonSchema?: GeminiFields;
}

/** The body of one call of `generateContent`; the model, which is in the address, is named in it. */
export interface GeminiRequest {
  model: string;
  contents: GeminiContent[];
  systemInstruction?: { parts: GeminiPart[] };
  tools?: { functionDeclarations: GeminiFunction[] }[];
  toolConfig?: {
    functionCallingConfig: { mode: 'AUTO' | 'ANY' | 'NONE'; allowedFunctionNames?: string[] };
  };
  generationConfig?: { maxOutputTokens?: number };
}
