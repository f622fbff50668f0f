import { type ModelRef, modelOfName } from '@varve/core';
import type { VarveConfig } from './varve-config.ts';

/** The short names of models that a configuration knows, with `offline`, which answers without a provider. Pure. */
export function modelNamesOf({ models = {} }: Pick<VarveConfig, 'models'>): Readonly<Record<string, string>> {
  return { ...models.names, offline: 'offline/offline' };
}

/** The model that a name means in a configuration, as core's `modelOfName` reads it; `null` for none. Pure. */
export function resolveModel(config: Pick<VarveConfig, 'models'>, name: string): ModelRef | null {
  return modelOfName(name, modelNamesOf(config));
}
