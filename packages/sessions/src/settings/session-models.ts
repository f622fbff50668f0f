import { type ModelPort, modelOfName, nameOfModel, type SessionView, VarveError } from '@varve/core';
import type { DefaultsOf, SessionDefaults } from './session-defaults.ts';
import { textOfSetting } from './setting-values.ts';

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
  /** Answers where neither the session nor its defaults say another: a short name, or provider and model. */
  readonly defaultModel: string;
  /** Short names, each for provider and model. @default none */
  readonly names?: Readonly<Record<string, string>> | undefined;
  /** The port for a choice; `null` for a model that it does not know. */
  port(choice: ModelChoice): ModelPort | null;
}

/** The models, and what of them conversations have that chose nothing. */
export interface AnsweringModels extends SessionModels {
  /** @default the default model, in its own way */
  readonly defaultsOf?: DefaultsOf | undefined;
}

/** What says which model a conversation asks for. */
export type ChoosingView = Pick<SessionView, 'settings' | 'agentId' | 'key' | 'channel'>;

/** Puts them together, so that whoever has the one has the other. */
export function answeringModels(
  models: SessionModels | undefined,
  defaultsOf: DefaultsOf | undefined,
): AnsweringModels | undefined {
  if (models === undefined) return undefined;
  const { defaultModel, names } = models;
  return { defaultModel, names, port: (choice) => models.port(choice), defaultsOf };
}

/** The provider and model behind a name; a text that names none as it is. */
export function fullNameOf(model: string, { names }: Pick<SessionModels, 'names'>): string {
  const ref = modelOfName(model, names);
  return ref === null ? model : nameOfModel(ref);
}

/** What a conversation has where it chose nothing. */
export function defaultsFor(
  { agentId, channel }: Pick<ChoosingView, 'agentId' | 'channel'>,
  models: AnsweringModels | null,
): SessionDefaults {
  return models?.defaultsOf?.({ agentId, channel }) ?? {};
}

/** What a session asks for: its settings `model` and `thinking`, else the defaults. */
export function choiceOf(view: ChoosingView, models: AnsweringModels): ModelChoice {
  const { settings, agentId, key } = view;
  const { model, thinking } = settings;
  const defaults = defaultsFor(view, models);
  return {
    model: fullNameOf(textOfSetting(model) ?? textOfSetting(defaults.model) ?? models.defaultModel, models),
    thinking: textOfSetting(thinking) ?? textOfSetting(defaults.thinking),
    agentId,
    keyText: key ?? '',
  };
}

/** What it would ask for if it had chosen nothing. */
export function defaultChoiceOf(view: ChoosingView, models: AnsweringModels): ModelChoice {
  return choiceOf({ ...placeOf(view), settings: {} }, models);
}

/**
 * The port that answers in a session that chose no model.
 *
 * @throws VARVE_OPTION_INVALID  when nobody knows the model that is asked for then.
 */
export function defaultPortOf(view: ChoosingView, models: AnsweringModels): ModelPort {
  const { thinking } = view.settings;
  const settings = thinking === undefined ? {} : { thinking };
  const choice = choiceOf({ ...placeOf(view), settings }, models);
  const port = models.port(choice);
  if (port !== null) return port;
  throw new VarveError('VARVE_OPTION_INVALID', `There is no model "${choice.model}".`, {
    fix: 'Choose another with /model, or give the sessions a port for it.',
    details: { path: 'models', model: choice.model },
  });
}

function placeOf({ agentId, key, channel }: ChoosingView): Omit<ChoosingView, 'settings'> {
  return { agentId, key, channel };
}
