import { type ModelRef, nameOfModel, type SessionView } from '@varve/core';
import type { DefaultsOf } from '@varve/sessions';
import { resolveModel, sessionsOptionsOf, type VarveConfig } from '@varve/sessions/config';
import { offlineRef } from './offline-model.ts';
import type { Talk } from './talk-of-key.ts';

type ViewOfModel = Pick<SessionView, 'settings' | 'agentId' | 'channel'>;

/** Which models answer in a chat. */
export interface ModelsOfTalk {
  /** What conversations have that chose nothing. */
  readonly defaultsOf: DefaultsOf;
  /** Answers in the conversation that is spoken with, where it chose no other. */
  readonly defaultModel: ModelRef;
  /** Whether anybody named that one: else it is the offline one. */
  readonly isNamed: boolean;
  /** The model that a conversation asks for. */
  modelOf(view: ViewOfModel): ModelRef;
}

/**
 * Finds out who answers: what a conversation chose, else the model of the command line, else that of its channel, its
 * agent, or all in the configuration, else the offline one.
 */
export function modelsOfTalk(
  config: VarveConfig,
  { talk, model }: { readonly talk: Talk; readonly model: ModelRef | null },
): ModelsOfTalk {
  const { defaults } = sessionsOptionsOf(config);
  const asked = model === null ? {} : { model: nameOfModel(model) };
  const defaultsOf: DefaultsOf = (about) => ({ ...defaults?.(about), ...asked });
  const modelFor: (view: ViewOfModel) => ModelRef | null = ({ settings, agentId, channel }) => {
    const { model: chosen } = settings;
    const name = typeof chosen === 'string' ? chosen : defaultsOf({ agentId, channel }).model;
    return typeof name === 'string' ? resolveModel(config, name) : null;
  };
  const own = modelFor({ settings: {}, agentId: talk.agentId, channel: talk.place.channel });
  const defaultModel = own ?? offlineRef;
  return { defaultsOf, defaultModel, isNamed: own !== null, modelOf: (view) => modelFor(view) ?? defaultModel };
}
