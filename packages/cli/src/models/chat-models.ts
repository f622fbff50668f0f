import { type ModelPort, type ModelRef, modelOfName, nameOfModel, VarveError } from '@varve/core';
import type { SessionModels } from '@varve/sessions';
import type { VarveConfig } from '@varve/sessions/config';
import type { CliIo } from '../terminal/cli-io.ts';
import { offlineModel, offlineRef } from './offline-model.ts';
import { requireKey, sdkModel } from './sdk-model.ts';

type ConfiguredModels = NonNullable<VarveConfig['models']>;

/** What is known of models: the first that a conversation has, short names, and where providers are reached. */
export interface ChatModelOptions extends Pick<ConfiguredModels, 'names' | 'providers'> {
  readonly defaultModel: ModelRef;
  readonly env: CliIo['env'];
}

/** The models of a chat. */
export interface ChatModels extends SessionModels {
  /** The port of a model that a configuration names. @throws VARVE_USAGE  when nobody can be asked for it. */
  portOf(ref: ModelRef): ModelPort;
  /** Finds out before the first question. @throws VARVE_USAGE  when nobody can be asked for it, or a key is missing. */
  requireReachable(ref: ModelRef): void;
}

/** Offline, and the models of providers, whatever their name: the provider knows whether there is such a one. */
export function chatModels({ defaultModel, names = {}, providers = {}, env }: ChatModelOptions): ChatModels {
  const ports = new Map<string, ModelPort | null>();
  const settingsOf = ({ provider }: ModelRef) => (Object.hasOwn(providers, provider) ? providers[provider] : undefined);
  const portFor = (ref: ModelRef, thinking: string | null): ModelPort | null => {
    const name = nameOfModel(ref);
    if (name === nameOfModel(offlineRef)) return offlineModel;
    const place = JSON.stringify([name, thinking]);
    const port = ports.get(place) ?? sdkModel(ref, { env, thinking, settings: settingsOf(ref) });
    ports.set(place, port);
    return port;
  };
  const portOf = (ref: ModelRef): ModelPort => {
    const port = portFor(ref, null);
    if (port !== null) return port;
    throw new VarveError('VARVE_USAGE', `There is no way to reach the model "${nameOfModel(ref)}".`, {
      fix: 'Name a model of anthropic or openai, or say under models.providers how its provider is reached.',
    });
  };
  return {
    defaultModel: nameOfModel(defaultModel),
    names: { ...names, offline: nameOfModel(offlineRef) },
    port: ({ model, thinking }) => {
      const ref = modelOfName(model);
      return ref === null ? null : portFor(ref, thinking);
    },
    portOf,
    requireReachable: (ref) => {
      if (portOf(ref) !== offlineModel) requireKey(ref, { env, settings: settingsOf(ref) });
    },
  };
}
