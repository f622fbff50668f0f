import type { ModelCall } from '@varve/adapters/transcripts';
import { type ModelRef, nameOfModel } from '@varve/core';

/** The model of transcripts that name none. */
const defaultModel: ModelRef = { provider: 'anthropic', model: 'claude-sonnet-4-5' };

/** How the names of models begin, and whose they are. */
const providersByName: readonly (readonly [pattern: RegExp, provider: string])[] = [
  [/claude/i, 'anthropic'],
  [/^(gpt|chatgpt|o\d|codex)/i, 'openai'],
  [/gemini/i, 'google'],
];

/** The model of one call: what the transcript says of it, else the one before. The same model is the same object. */
export function modelOfCall({ provider, model }: ModelCall, before: ModelRef | null): ModelRef {
  if (model === undefined) return before ?? defaultModel;
  const said = provider ?? providerOf(model) ?? before?.provider ?? defaultModel.provider;
  return before?.provider === said && before.model === model ? before : { provider: said, model };
}

/** The model that a setting names as `provider/model`; `null` when it names none. */
export function modelOfSetting(value: string): ModelRef | null {
  const slash = value.indexOf('/');
  if (slash < 1 || slash === value.length - 1) return null;
  return { provider: value.slice(0, slash), model: value.slice(slash + 1) };
}

const names = new WeakMap<ModelRef, string>();

/** The name of a model, as one text for all rows of a replay. */
export function sharedNameOfModel(model: ModelRef): string {
  const name = names.get(model) ?? nameOfModel(model);
  names.set(model, name);
  return name;
}

function providerOf(model: string): string | undefined {
  return providersByName.find(([pattern]) => pattern.test(model))?.[1];
}
