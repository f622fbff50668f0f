import { type ModelRef, VarveError } from '@varve/core';
import { isFields } from './kept-data.ts';
import type { AiSdkPrompt } from './messages.ts';
import type { AiSdkReply, AiSdkStreamPart } from './reply.ts';

/** A tool as a language model is told of it. */
export interface AiSdkTool {
  type: 'function';
  name: string;
  description?: string;
  inputSchema: object;
}

/** What a language model is called with, as far as a prompt decides it. */
export interface AiSdkCall {
  prompt: AiSdkPrompt;
  tools?: AiSdkTool[];
  maxOutputTokens?: number;
  abortSignal?: AbortSignal;
  providerOptions?: Record<string, Record<string, boolean>>;
}

/** What names a language model. */
export interface NamedLanguageModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
}

/** What a port needs of a language model: `LanguageModelV3` has it. */
export interface AiSdkLanguageModel extends NamedLanguageModel {
  doGenerate(call: AiSdkCall): PromiseLike<AiSdkReply>;
  doStream(call: AiSdkCall): PromiseLike<{ readonly stream: ReadableStream<AiSdkStreamPart> }>;
}

const knownVersion = 'v3';

/**
 * Checks that a language model is of the version that is known here, before anything is done with it.
 *
 * @throws VARVE_OPTION_INVALID  for one of another version, and for what is none.
 */
export function checkLanguageModel(model: unknown): void {
  const { specificationVersion, modelId } = isFields(model) ? model : {};
  if (specificationVersion === knownVersion && typeof modelId === 'string') return;
  const what =
    typeof specificationVersion === 'string'
      ? `The language model is of version "${specificationVersion}"; known here is "${knownVersion}".`
      : 'This is no language model of the AI SDK.';
  throw new VarveError('VARVE_OPTION_INVALID', what, {
    fix: 'Take `ai` 6 with the providers that belong to it, and give the model itself, such as openai("gpt-5.1").',
    details: { path: 'model', specificationVersion: specificationVersion ?? null },
  });
}

/** Under which name windows and prices of a model are kept: of a provider such as `openai.chat`, what stands before the dot. */
export function refOfLanguageModel({ provider, modelId }: Pick<NamedLanguageModel, 'provider' | 'modelId'>): ModelRef {
  const [name] = String(provider ?? '').split('.');
  return { provider: name === undefined || name === '' ? 'ai-sdk' : name, model: modelId };
}

/** Says to {@link AiSdkCall} of a model around which there is our middleware that it has nothing to do with the call. */
export const passOption: { varve: { pass: true } } = { varve: { pass: true } };

/** True for a call that is to be left as it is. */
export function isPassed(providerOptions: unknown): boolean {
  const { varve } = isFields(providerOptions) ? providerOptions : {};
  const { pass } = isFields(varve) ? varve : {};
  return pass === true;
}
