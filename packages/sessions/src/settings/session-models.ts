import { type JsonValue, type ModelPort, type SessionView, VarveError } from '@varve/core';

/** What a model is asked for as. */
export interface ModelChoice {
  /** Provider and model: `anthropic/claude-…`. */
  readonly model: string;
  /** How hard it is to think, as the session's setting says; `null` for the model's own way. */
  readonly thinking: string | null;
  readonly agentId: string;
  readonly keyText: string;
}

/** The models that may answer in conversations. */
export interface SessionModels {
  /** Answers where the session chose none: provider and model. */
  readonly defaultModel: string;
  /** Short names, each for provider and model. @default none */
  readonly names?: Readonly<Record<string, string>> | undefined;
  /** The port for a choice; `null` for a model that it does not know. */
  port(choice: ModelChoice): ModelPort | null;
}

/** The provider and model behind a short name; any other text as it is. */
export function fullNameOf(model: string, { names = {} }: Pick<SessionModels, 'names'>): string {
  return Object.hasOwn(names, model) ? (names[model] ?? model) : model;
}

/** What a session asks for: its setting `model`, or the default, and its setting `thinking`. */
export function choiceOf(view: Pick<SessionView, 'settings' | 'agentId' | 'key'>, models: SessionModels): ModelChoice {
  const { settings, agentId, key } = view;
  const { model: chosen, thinking } = settings;
  const model = textOf(chosen) ?? models.defaultModel;
  return {
    model: fullNameOf(model, models),
    thinking: textOf(thinking),
    agentId,
    keyText: key ?? '',
  };
}

/**
 * The port that answers in a session.
 *
 * @throws VARVE_OPTION_INVALID  when nobody knows the model that it asks for.
 */
export function portOf(view: Pick<SessionView, 'settings' | 'agentId' | 'key'>, models: SessionModels): ModelPort {
  const choice = choiceOf(view, models);
  const port = models.port(choice);
  if (port !== null) return port;
  throw new VarveError('VARVE_OPTION_INVALID', `There is no model "${choice.model}".`, {
    fix: 'Choose another with /model, or give the sessions a port for it.',
    details: { path: 'models', model: choice.model },
  });
}

function textOf(value: JsonValue | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
