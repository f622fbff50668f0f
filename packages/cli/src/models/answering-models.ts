import { type ModelRef, nameOfModel } from '@varve/core';
import type { DefaultsAbout, DefaultsOf } from '@varve/sessions';
import { resolveModel, sessionsOptionsOf, type VarveConfig } from '@varve/sessions/config';
import { offlineRef } from './offline-model.ts';

/** Which models answer. */
export interface AnsweringModels {
  /** What conversations have that chose nothing. */
  readonly defaultsOf: DefaultsOf;
  /** Answers in the conversations that it was asked about, where they chose no other. */
  readonly defaultModel: ModelRef;
  /** Whether anybody named that one: else it is the offline one. */
  readonly isNamed: boolean;
}

/**
 * Finds out who answers where a conversation chose nothing: the model of the command line, else that of its channel, its
 * agent, or all in the configuration, else the offline one.
 */
export function answeringModels(
  config: VarveConfig,
  { about, model }: { readonly about: DefaultsAbout; readonly model: ModelRef | null },
): AnsweringModels {
  const { defaults } = sessionsOptionsOf(config);
  const asked = model === null ? {} : { model: nameOfModel(model) };
  const defaultsOf: DefaultsOf = (one) => ({ ...defaults?.(one), ...asked });
  const { model: name } = defaultsOf(about);
  const own = typeof name === 'string' ? resolveModel(config, name) : null;
  return { defaultsOf, defaultModel: own ?? offlineRef, isNamed: own !== null };
}
