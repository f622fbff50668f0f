import { type ModelFacts, type ModelRef, type ModelRegistry, VarveError } from '@varve/core';
import { anthropicModels } from './anthropic-models.ts';
import { googleModels } from './google-models.ts';
import type { ModelRow, ProviderRows } from './model-row.ts';
import { openaiModels } from './openai-models.ts';
import { deepseekModels, groqModels, mistralModels, togetherModels, xaiModels } from './other-models.ts';

/** How a registry is made. */
export interface ModelRegistryOptions {
  /**
   * What the host knows better, by `provider/model`: each field takes the place of the row's own, for the model's dated
   * names too. A model that has no row needs `contextTokens`.
   */
  readonly overrides?: Readonly<Record<string, Partial<ModelFacts>>> | undefined;
}

/** A registry whose rows can be read: for tables, and to see what it is based on. */
export interface ListedModelRegistry extends ModelRegistry {
  /** All rows by `provider/model`, overrides applied. */
  readonly models: ReadonlyMap<string, ModelFacts>;
}

const providers: readonly ProviderRows[] = [
  anthropicModels,
  openaiModels,
  googleModels,
  mistralModels,
  deepseekModels,
  xaiModels,
  groqModels,
  togetherModels,
];

const providerNames: ReadonlyMap<string, string> = new Map(
  providers.flatMap(({ provider, aliases = [] }) => [provider, ...aliases].map((name) => [name, provider] as const)),
);

/** What may stand behind a model's name: a date or a build, `latest`, a version of the host, or `preview`. */
const snapshot = /^(?:[-@](?:\d{4}-?\d{2}-?\d{2}|\d{4}|\d{3}|latest|preview(?:-\d{2}-\d{2,4})?))?(?:-v\d+(?::\d+)?)?$/;

/**
 * The windows, limits, prices, cache lives and image formulas of current models, each with the page that says so.
 *
 * A model is found by its name, by another name of it, or by one of these with a date behind it, such as
 * `claude-opus-4-5-20251101`; the longest name that fits counts. Of any other model the registry says nothing.
 *
 * @throws VARVE_OPTION_INVALID  for an override without `provider/model`, or of an unknown model without a window.
 */
export function modelRegistry(options: ModelRegistryOptions = {}): ListedModelRegistry {
  const { overrides = {} } = fieldsOf(options, 'options') as ModelRegistryOptions;
  const models = new Map<string, ModelFacts>();
  const names = new Map<string, string>();
  for (const { provider, models: rows } of providers) {
    for (const row of rows) {
      const name = `${provider}/${row.model}`;
      models.set(name, factsOf(row));
      for (const one of [row.model, ...(row.aliases ?? [])]) names.set(`${provider}/${one}`, name);
    }
  }
  for (const [name, given] of Object.entries(fieldsOf(overrides, 'overrides'))) {
    checkName(name);
    const facts = fieldsOf(given, `overrides.${name}`) as Partial<ModelFacts>;
    const key = plainName(name);
    const known = names.get(key) ?? key;
    models.set(known, overridden(models.get(known), { name, facts }));
    names.set(key, known);
  }
  return {
    models,
    describe: (ref: ModelRef) => {
      // What is no name of a model is one that nobody knows.
      const { provider, model } = (ref ?? {}) as Partial<ModelRef>;
      if (typeof provider !== 'string' || typeof model !== 'string') return undefined;
      const name = rowFor(plainName(`${provider}/${model}`), names);
      return name === undefined ? undefined : models.get(name);
    },
  };
}

function factsOf({ model: _model, aliases: _aliases, ...facts }: ModelRow): ModelFacts {
  return Object.freeze(facts);
}

/** A provider by its own name: clients also say `openai.responses` or `x-ai`. */
function plainName(name: string): string {
  const slash = name.indexOf('/');
  const given = name.slice(0, slash);
  const provider = providerNames.get(given) ?? providerNames.get(given.split('.')[0] ?? '') ?? given;
  return `${provider}${name.slice(slash)}`;
}

/** The fields of an object of the host. @throws VARVE_OPTION_INVALID  for anything else. */
function fieldsOf(given: unknown, path: string): object {
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given;
  throw new VarveError('VARVE_OPTION_INVALID', `At ${path} the registry of models needs an object.`, {
    fix: 'Give { overrides: { "provider/model": { contextTokens } } }, or nothing.',
    details: { path },
  });
}

function checkName(name: string): void {
  if (/^[^/]+\/.+$/.test(name)) return;
  throw new VarveError('VARVE_OPTION_INVALID', `"${name}" names no model.`, {
    fix: 'Name it as provider/model, such as anthropic/claude-opus-4-5.',
    details: { path: `overrides.${name}` },
  });
}

function rowFor(name: string, names: ReadonlyMap<string, string>): string | undefined {
  let found = '';
  for (const known of names.keys()) {
    const fits = known.length > found.length && name.startsWith(known) && snapshot.test(name.slice(known.length));
    if (fits) found = known;
  }
  return names.get(found);
}

function overridden(
  known: ModelFacts | undefined,
  { name, facts }: { readonly name: string; readonly facts: Partial<ModelFacts> },
): ModelFacts {
  const { contextTokens = known?.contextTokens } = facts;
  if (typeof contextTokens === 'number' && contextTokens > 0) {
    return Object.freeze({ ...known, source: 'configuration', ...facts, contextTokens });
  }
  throw new VarveError('VARVE_OPTION_INVALID', `The override of "${name}" gives no window.`, {
    fix: 'Give contextTokens: the registry has no row for this model.',
    details: { path: `overrides.${name}.contextTokens` },
  });
}
