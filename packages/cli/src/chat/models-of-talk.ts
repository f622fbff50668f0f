import { type ModelRef, nameOfModel } from '@varve/core';
import type { DefaultsOf } from '@varve/sessions';
import { resolveModel, sessionsOptionsOf, type VarveConfig } from '@varve/sessions/config';
import { offlineRef } from './offline-model.ts';
import type { Talk } from './talk-of-key.ts';

/** Which models answer in a chat. */
export interface ModelsOfTalk {
  /** What conversations have that chose nothing. */
  readonly defaultsOf: DefaultsOf;
  /** Answers in the conversation that is spoken with, where it chose no other. */
  readonly defaultModel: ModelRef;
  /** Whether anybody named that one: else it is the offline one. */
  readonly isNamed: boolean;
}

/**
 * Finds out who answers where a conversation chose nothing: the model of the command line, else that of its channel, its
 * agent, or all in the configuration, else the offline one.
 */
export function modelsOfTalk(
  config: VarveConfig,
  { talk, model }: { readonly talk: Talk; readonly model: ModelRef | null },
): ModelsOfTalk {
  const { defaults } = sessionsOptionsOf(config);
  const asked = model === null ? {} : { model: nameOfModel(model) };
  const defaultsOf: DefaultsOf = (about) => ({ ...defaults?.(about), ...asked });
  const { model: name } = defaultsOf({ agentId: talk.agentId, channel: talk.place.channel });
  const own = typeof name === 'string' ? resolveModel(config, name) : null;
  return { defaultsOf, defaultModel: own ?? offlineRef, isNamed: own !== null };
}
