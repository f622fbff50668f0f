import type { ModelRef } from '@varve/core';
import type { VarveConfig } from './varve-config.ts';

/**
 * The model of a short name, of `provider/model` (or `provider:model`), or of `offline`, which answers without a provider;
 * `null` for what names none. Pure.
 */
export function resolveModel({ models = {} }: Pick<VarveConfig, 'models'>, name: string): ModelRef | null {
  if (name === 'offline') return { provider: 'offline', model: 'offline' };
  const { names = {} } = models;
  const full = Object.hasOwn(names, name) ? (names[name] ?? name) : name;
  const [, provider, model] = /^([^\s/:]+)[/:](\S+)$/.exec(full) ?? [];
  return provider === undefined || model === undefined ? null : { provider, model };
}
