import type { ModelFacts } from '@varve/core';

/** A model as its provider describes it. */
export interface ModelRow extends Omit<ModelFacts, 'source' | 'asOf'> {
  /** The provider's name for it, without a date. */
  readonly model: string;
  /** Other names for the same model. @default none */
  readonly aliases?: readonly string[] | undefined;
  /** Address of the page that says so. */
  readonly source: string;
  /** Day on which it said so. */
  readonly asOf: string;
}

/** The models of one provider, which all say something in common. */
export interface ProviderRows {
  readonly provider: string;
  /** Other names of the provider. @default none */
  readonly aliases?: readonly string[] | undefined;
  readonly models: readonly ModelRow[];
}

const catalogue = 'https://github.com/anomalyco/models.dev/blob/f3fc692299671838c7c65fd8126bf84d81a2e817';

/** Where the public catalogue of models has a model: its file as it was on that day. */
export function inCatalogue(path: string): Pick<ModelRow, 'source' | 'asOf'> {
  return { source: `${catalogue}/providers/${path}.toml`, asOf: '2026-07-02' };
}
