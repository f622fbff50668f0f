import type { CommandReply, SessionView } from '@varve/core';
import { type AnsweringModels, choiceOf, fullNameOf } from '../settings/session-models.ts';

/** Whether somebody answers under the name of a model; for none, and where nobody answers at all, it does not matter. */
export function isKnownModel(
  model: string | null,
  { view, models }: { readonly view: SessionView; readonly models: AnsweringModels | null },
): boolean {
  if (model === null || models === null) return true;
  return models.port({ ...choiceOf(view, models), model: fullNameOf(model, models) }) !== null;
}

/** The models that have a short name, for people. */
export function knownModelsText(models: AnsweringModels | null): string {
  const named = Object.entries(models?.names ?? {}).map(([name, model]) => `${name} (${model})`);
  return named.length === 0 ? 'No model has a short name here: write provider/model.' : `Known: ${named.join(', ')}.`;
}

/** What is said of a model that nobody knows. Nothing is changed. */
export function unknownModelReply(model: string | null, models: AnsweringModels | null): CommandReply {
  return {
    text: `There is no model "${model}", so nothing was changed. ${knownModelsText(models)}`,
    data: { error: 'unknown-model', model, known: Object.values(models?.names ?? {}) },
  };
}
