import type { ModelPrices } from '@varve/core';
import { geminiFixed, geminiTiles } from './image-formulas.ts';
import { inCatalogue, type ModelRow, type ProviderRows } from './model-row.ts';

const gemini = { contextTokens: 1_048_576, maxOutputTokens: 65_536 };
const gemini2 = { ...gemini, imageTokens: geminiTiles };
const gemini3 = { ...gemini, imageTokens: geminiFixed };

/** Prompts above this cost more on the models called Pro. */
const longPrompt = 200_000;

function prices(input: number, output: number, cacheRead: number): ModelPrices {
  return { input, output, cacheRead };
}

function listed(model: string): Pick<ModelRow, 'model' | 'source' | 'asOf'> {
  return { model, ...inCatalogue(`google/models/${model}`) };
}

const pro = { ...prices(2, 12, 0.2), longPrompt: { aboveTokens: longPrompt, ...prices(4, 18, 0.4) } };

/** Google's models. */
export const googleModels: ProviderRows = {
  provider: 'google',
  aliases: ['gemini', 'google-ai-studio'],
  models: [
    {
      model: 'gemini-3.8-flash',
      ...gemini3,
      // From 1 January 2027: 1.50, 7.50 and 0.15.
      pricesPerMillion: prices(0.75, 3.75, 0.075),
      source: 'https://github.com/BerriAI/litellm/discussions/39357',
      asOf: '2026-09-03',
    },
    { ...listed('gemini-3.5-flash'), ...gemini3, pricesPerMillion: prices(1.5, 9, 0.15) },
    { ...listed('gemini-3.1-pro-preview'), ...gemini3, pricesPerMillion: pro },
    { ...listed('gemini-3.1-flash-lite'), ...gemini3, pricesPerMillion: prices(0.25, 1.5, 0.025) },
    { ...listed('gemini-3-pro-preview'), ...gemini3, pricesPerMillion: pro },
    { ...listed('gemini-3-flash-preview'), ...gemini3, pricesPerMillion: prices(0.5, 3, 0.05) },
    {
      ...listed('gemini-2.5-pro'),
      ...gemini2,
      pricesPerMillion: {
        ...prices(1.25, 10, 0.125),
        longPrompt: { aboveTokens: longPrompt, ...prices(2.5, 15, 0.25) },
      },
    },
    { ...listed('gemini-2.5-flash'), ...gemini2, pricesPerMillion: prices(0.3, 2.5, 0.03) },
    { ...listed('gemini-2.5-flash-lite'), ...gemini2, pricesPerMillion: prices(0.1, 0.4, 0.01) },
  ],
};
