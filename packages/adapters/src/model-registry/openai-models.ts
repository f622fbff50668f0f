import type { ModelPrices } from '@varve/core';
import { openaiPatches, openaiTiles } from './image-formulas.ts';
import { inCatalogue, type ModelRow, type ProviderRows } from './model-row.ts';

/** Prompts above this cost twice the input and one and a half times the output, on the models with a window of 1.05 M. */
const longPrompt = 272_000;

/** https://platform.openai.com/docs/guides/prompt-caching: five to ten minutes from the last use. */
const cache = { ttlMs: 300_000 };

const gpt5 = { contextTokens: 400_000, maxInputTokens: 272_000, maxOutputTokens: 128_000, cache };
const large = { contextTokens: 1_050_000, maxInputTokens: 922_000, maxOutputTokens: 128_000, cache };
const gpt41 = { contextTokens: 1_047_576, maxOutputTokens: 32_768, cache };
const gpt4o = { contextTokens: 128_000, maxOutputTokens: 16_384, cache };

function prices(input: number, output: number, cacheRead: number): ModelPrices {
  return { input, output, cacheRead };
}

function tiered(input: number, output: number, cacheRead: number): ModelPrices {
  const long = { aboveTokens: longPrompt, input: input * 2, output: output * 1.5, cacheRead: cacheRead * 2 };
  return { ...prices(input, output, cacheRead), longPrompt: long };
}

function listed(model: string): Pick<ModelRow, 'model' | 'source' | 'asOf'> {
  return { model, ...inCatalogue(`openai/models/${model}`) };
}

function onPage(model: string, asOf: string): Pick<ModelRow, 'model' | 'source' | 'asOf'> {
  return { model, source: `https://developers.openai.com/api/docs/models/${model}`, asOf };
}

/** On the page that compares the models. */
function onList(model: string, asOf: string): Pick<ModelRow, 'model' | 'source' | 'asOf'> {
  return { model, source: 'https://developers.openai.com/api/docs/models', asOf };
}

/** GPT-6 writes a cache of 30 minutes at 1.25 times the input. */
const gpt6 = { ...large, cache: { ttlMs: 1_800_000 }, imageTokens: openaiPatches(1.2) };

/** OpenAI's models. */
export const openaiModels: ProviderRows = {
  provider: 'openai',
  models: [
    {
      ...onPage('gpt-6.2-sol', '2026-11-15'),
      ...gpt6,
      pricesPerMillion: { ...tiered(2, 10, 0.1), cacheWrite: 2.5 },
    },
    { ...onList('gpt-6.2-astra', '2026-11-15'), ...gpt6, pricesPerMillion: { input: 8, output: 40 } },
    { ...onList('gpt-6.1-sol', '2026-10-31'), ...gpt6, pricesPerMillion: { input: 2, output: 10 } },
    { ...onList('gpt-6.1-terra', '2026-11-15'), ...gpt6, pricesPerMillion: { input: 1, output: 5 } },
    { ...onList('gpt-6-luna', '2026-10-31'), ...gpt6, pricesPerMillion: { input: 0.1, output: 0.5 } },
    {
      model: 'gpt-6-astra',
      ...gpt6,
      pricesPerMillion: { ...tiered(10, 50, 1), cacheWrite: 12.5 },
      source: 'https://github.com/BerriAI/litellm/discussions/39633',
      asOf: '2026-09-07',
    },
    {
      ...onList('gpt-5.6-sol', '2026-09-07'),
      aliases: ['gpt-5.6'],
      contextTokens: 1_050_000,
      maxOutputTokens: 128_000,
      cache,
      pricesPerMillion: { input: 4, output: 20 },
    },
    {
      ...onPage('gpt-5.6-luna', '2026-11-01'),
      contextTokens: 1_050_000,
      maxOutputTokens: 128_000,
      cache,
      pricesPerMillion: { ...tiered(0.2, 1.2, 0.02), cacheWrite: 0.25 },
    },
    { ...listed('gpt-5.5'), ...large, imageTokens: openaiPatches(1.2, 10_000), pricesPerMillion: tiered(5, 30, 0.5) },
    { ...listed('gpt-5.4'), ...large, pricesPerMillion: tiered(2.5, 15, 0.25) },
    { ...listed('gpt-5.4-mini'), ...gpt5, pricesPerMillion: prices(0.75, 4.5, 0.075) },
    { ...listed('gpt-5.4-nano'), ...gpt5, pricesPerMillion: prices(0.2, 1.25, 0.02) },
    { ...listed('gpt-5.3-codex'), ...gpt5, pricesPerMillion: prices(1.75, 14, 0.175) },
    { ...listed('gpt-5.2'), ...gpt5, pricesPerMillion: prices(1.75, 14, 0.175) },
    { ...listed('gpt-5.1'), ...gpt5, imageTokens: openaiTiles(70, 140), pricesPerMillion: prices(1.25, 10, 0.125) },
    { ...listed('gpt-5.1-codex'), ...gpt5, pricesPerMillion: prices(1.25, 10, 0.125) },
    { ...listed('gpt-5'), ...gpt5, imageTokens: openaiTiles(70, 140), pricesPerMillion: prices(1.25, 10, 0.125) },
    {
      ...listed('gpt-5-mini'),
      ...gpt5,
      imageTokens: openaiPatches(1.62, 1_536),
      pricesPerMillion: prices(0.25, 2, 0.025),
    },
    {
      ...listed('gpt-5-nano'),
      ...gpt5,
      imageTokens: openaiPatches(2.46, 1_536),
      pricesPerMillion: prices(0.05, 0.4, 0.005),
    },
    { ...listed('gpt-4.1'), ...gpt41, imageTokens: openaiTiles(85, 170), pricesPerMillion: prices(2, 8, 0.5) },
    {
      ...listed('gpt-4.1-mini'),
      ...gpt41,
      imageTokens: openaiPatches(1.62, 1_536),
      pricesPerMillion: prices(0.4, 1.6, 0.1),
    },
    {
      ...listed('gpt-4.1-nano'),
      ...gpt41,
      imageTokens: openaiPatches(2.46, 1_536),
      pricesPerMillion: prices(0.1, 0.4, 0.025),
    },
    { ...listed('gpt-4o'), ...gpt4o, imageTokens: openaiTiles(85, 170), pricesPerMillion: prices(2.5, 10, 1.25) },
    {
      ...listed('gpt-4o-mini'),
      ...gpt4o,
      imageTokens: openaiTiles(2_833, 5_667),
      pricesPerMillion: prices(0.15, 0.6, 0.075),
    },
    {
      ...listed('o3'),
      contextTokens: 200_000,
      maxOutputTokens: 100_000,
      cache,
      imageTokens: openaiTiles(75, 150),
      pricesPerMillion: prices(2, 8, 0.5),
    },
    {
      ...listed('o4-mini'),
      contextTokens: 200_000,
      maxOutputTokens: 100_000,
      cache,
      imageTokens: openaiPatches(1.72, 1_536),
      pricesPerMillion: prices(1.1, 4.4, 0.275),
    },
  ],
};
