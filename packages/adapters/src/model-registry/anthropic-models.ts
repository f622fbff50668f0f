import type { ModelPrices } from '@varve/core';
import { claudeImages, largeClaudeImages } from './image-formulas.ts';
import { inCatalogue, type ModelRow, type ProviderRows } from './model-row.ts';

/** https://platform.claude.com/docs/en/api/overview: 32 MB for a request of the standard endpoints. */
const requestBytes = 32_000_000;

/** https://platform.claude.com/docs/en/build-with-claude/prompt-caching: five minutes from the last use, or one hour. */
const cache = { ttlMs: 300_000, longTtlMs: 3_600_000 };

const ofAll = { requestBytes, cache };
const large = { ...ofAll, contextTokens: 1_000_000, maxOutputTokens: 128_000, imageTokens: largeClaudeImages };
const small = { ...ofAll, contextTokens: 200_000, maxOutputTokens: 64_000, imageTokens: claudeImages };

/** Five minutes of cache cost 1.25 times the input to write. */
function prices(input: number, output: number, cacheRead: number): ModelPrices {
  return { input, output, cacheRead, cacheWrite: input * 1.25 };
}

function onPage(name: string, asOf: string): Pick<ModelRow, 'source' | 'asOf'> {
  return { source: `https://platform.claude.com/docs/en/models/${name}/overview`, asOf };
}

const pricing = { source: 'https://platform.claude.com/docs/en/about-claude/pricing', asOf: '2026-10-10' };

/** Anthropic's models. */
export const anthropicModels: ProviderRows = {
  provider: 'anthropic',
  models: [
    {
      model: 'claude-fable-5-2',
      ...large,
      pricesPerMillion: { input: 8, output: 40 },
      source: 'https://platform.claude.com/docs/en/models/overview',
      asOf: '2026-11-15',
    },
    { model: 'claude-fable-5-1', ...large, pricesPerMillion: prices(10, 50, 0.25), ...pricing },
    {
      model: 'claude-fable-5',
      ...large,
      pricesPerMillion: prices(10, 50, 1),
      ...inCatalogue('anthropic/models/claude-fable-5'),
    },
    { model: 'claude-opus-5-5', ...large, pricesPerMillion: prices(4, 20, 0.2), ...pricing },
    { model: 'claude-opus-5', ...large, pricesPerMillion: prices(5, 25, 0.5), ...onPage('opus-5', '2026-10-07') },
    { model: 'claude-sonnet-5-5', ...large, pricesPerMillion: prices(2, 10, 0.1), ...pricing },
    {
      model: 'claude-sonnet-5',
      ...large,
      pricesPerMillion: prices(2, 10, 0.2),
      ...inCatalogue('anthropic/models/claude-sonnet-5'),
    },
    {
      model: 'claude-haiku-5-5',
      ...large,
      pricesPerMillion: {
        ...prices(0.1, 0.5, 0.01),
        longPrompt: { aboveTokens: 100_000, ...prices(0.5, 2.5, 0.05) },
      },
      ...onPage('haiku-5-5', '2026-10-07'),
    },
    ...['4-8', '4-7'].map((version) => ({
      model: `claude-opus-${version}`,
      ...large,
      pricesPerMillion: prices(5, 25, 0.5),
      ...inCatalogue(`anthropic/models/claude-opus-${version}`),
    })),
    {
      model: 'claude-opus-4-6',
      ...large,
      imageTokens: claudeImages,
      pricesPerMillion: prices(5, 25, 0.5),
      ...inCatalogue('anthropic/models/claude-opus-4-6'),
    },
    {
      model: 'claude-opus-4-5',
      ...small,
      pricesPerMillion: prices(5, 25, 0.5),
      ...inCatalogue('anthropic/models/claude-opus-4-5'),
    },
    ...['claude-opus-4-1', 'claude-opus-4'].map((model) => ({
      model,
      aliases: model === 'claude-opus-4' ? ['claude-opus-4-0'] : [],
      ...small,
      maxOutputTokens: 32_000,
      pricesPerMillion: prices(15, 75, 1.5),
      ...inCatalogue(`anthropic/models/${model === 'claude-opus-4' ? 'claude-opus-4-0' : model}`),
    })),
    {
      model: 'claude-sonnet-4-6',
      ...large,
      maxOutputTokens: 64_000,
      imageTokens: claudeImages,
      pricesPerMillion: prices(3, 15, 0.3),
      ...inCatalogue('anthropic/models/claude-sonnet-4-6'),
    },
    {
      model: 'claude-sonnet-4-5',
      ...small,
      pricesPerMillion: prices(3, 15, 0.3),
      ...inCatalogue('anthropic/models/claude-sonnet-4-5'),
    },
    {
      model: 'claude-sonnet-4',
      aliases: ['claude-sonnet-4-0'],
      ...small,
      pricesPerMillion: prices(3, 15, 0.3),
      ...inCatalogue('anthropic/models/claude-sonnet-4-0'),
    },
    {
      model: 'claude-haiku-4-5',
      ...small,
      pricesPerMillion: prices(1, 5, 0.1),
      ...inCatalogue('anthropic/models/claude-haiku-4-5'),
    },
  ],
};
