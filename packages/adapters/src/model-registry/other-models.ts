import { inCatalogue, type ModelRow, type ProviderRows } from './model-row.ts';

function listed(provider: string, model: string): Pick<ModelRow, 'model' | 'source' | 'asOf'> {
  return { model, ...inCatalogue(`${provider}/models/${model}`) };
}

/** Mistral's models. */
export const mistralModels: ProviderRows = {
  provider: 'mistral',
  aliases: ['mistralai'],
  models: [
    {
      ...listed('mistral', 'mistral-medium-2604'),
      aliases: ['mistral-medium-3.5', 'mistral-medium-3-5', 'mistral-medium-latest'],
      contextTokens: 262_144,
      maxOutputTokens: 262_144,
      pricesPerMillion: { input: 1.5, output: 7.5 },
    },
    {
      ...listed('mistral', 'mistral-large-2512'),
      contextTokens: 262_144,
      maxOutputTokens: 262_144,
      pricesPerMillion: { input: 0.5, output: 1.5 },
    },
    {
      ...listed('mistral', 'mistral-small-2603'),
      contextTokens: 256_000,
      maxOutputTokens: 256_000,
      pricesPerMillion: { input: 0.15, output: 0.6 },
    },
    {
      ...listed('mistral', 'devstral-2512'),
      contextTokens: 262_144,
      maxOutputTokens: 262_144,
      pricesPerMillion: { input: 0.4, output: 2 },
    },
    {
      ...listed('mistral', 'codestral-latest'),
      contextTokens: 256_000,
      maxOutputTokens: 4_096,
      pricesPerMillion: { input: 0.3, output: 0.9 },
    },
    {
      ...listed('mistral', 'magistral-medium-latest'),
      contextTokens: 128_000,
      maxOutputTokens: 16_384,
      pricesPerMillion: { input: 2, output: 5 },
    },
  ],
};

const deepseekPage = { source: 'https://api-docs.deepseek.com/quick_start/pricing', asOf: '2026-10-27' };

/** DeepSeek's models, at the price of peak hours; outside them it is half. */
export const deepseekModels: ProviderRows = {
  provider: 'deepseek',
  models: [
    {
      model: 'deepseek-flash',
      aliases: ['deepseek-v4-flash'],
      contextTokens: 1_000_000,
      maxOutputTokens: 384_000,
      pricesPerMillion: { input: 0.3, output: 1.2, cacheRead: 0.006 },
      ...deepseekPage,
    },
    {
      model: 'deepseek-v4-pro',
      contextTokens: 1_000_000,
      maxOutputTokens: 384_000,
      pricesPerMillion: { input: 1.32, output: 3.96, cacheRead: 0.044 },
      ...deepseekPage,
    },
  ],
};

const grokLong = { aboveTokens: 200_000, input: 2.5, output: 5, cacheRead: 0.4 };

/** xAI's models. */
export const xaiModels: ProviderRows = {
  provider: 'xai',
  aliases: ['x-ai'],
  models: [
    {
      model: 'grok-4.6',
      contextTokens: 500_000,
      pricesPerMillion: { input: 2, output: 6, cacheRead: 0.5 },
      source: 'https://docs.x.ai/developers/grok-4-6',
      asOf: '2026-08-13',
    },
    {
      model: 'grok-4.5',
      contextTokens: 500_000,
      pricesPerMillion: { input: 2, output: 6, cacheRead: 0.5 },
      source: 'https://docs.x.ai/developers/grok-4-5',
      asOf: '2026-07-13',
    },
    {
      ...listed('xai', 'grok-4.3'),
      contextTokens: 1_000_000,
      maxOutputTokens: 30_000,
      pricesPerMillion: { input: 1.25, output: 2.5, cacheRead: 0.2, longPrompt: grokLong },
    },
    {
      ...listed('xai', 'grok-build-0.1'),
      contextTokens: 256_000,
      maxOutputTokens: 256_000,
      pricesPerMillion: {
        input: 1,
        output: 2,
        cacheRead: 0.2,
        longPrompt: { aboveTokens: 200_000, input: 2, output: 4, cacheRead: 0.4 },
      },
    },
  ],
};

/** Meta's models at Groq. */
export const groqModels: ProviderRows = {
  provider: 'groq',
  models: [
    {
      ...listed('groq', 'meta-llama/llama-4-scout-17b-16e-instruct'),
      contextTokens: 131_072,
      maxOutputTokens: 8_192,
      pricesPerMillion: { input: 0.11, output: 0.34 },
    },
    {
      ...listed('groq', 'llama-3.3-70b-versatile'),
      contextTokens: 131_072,
      maxOutputTokens: 32_768,
      pricesPerMillion: { input: 0.59, output: 0.79 },
    },
    {
      ...listed('groq', 'llama-3.1-8b-instant'),
      contextTokens: 131_072,
      maxOutputTokens: 131_072,
      pricesPerMillion: { input: 0.05, output: 0.08 },
    },
  ],
};

/** Meta's models at Together. */
export const togetherModels: ProviderRows = {
  provider: 'togetherai',
  aliases: ['together', 'together.ai'],
  models: [
    {
      ...listed('togetherai', 'meta-llama/Llama-3.3-70B-Instruct-Turbo'),
      contextTokens: 131_072,
      maxOutputTokens: 131_072,
      pricesPerMillion: { input: 0.88, output: 0.88 },
    },
  ],
};
