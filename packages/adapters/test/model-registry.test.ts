import { modelRegistry } from '@varve/adapters/model-registry';
import { createHost, createTokenCounter, type Message, type ModelPrices } from '@varve/core';
import { describe, expect, test } from 'vitest';

const registry = modelRegistry();

describe('every row of the registry', () => {
  test.each([...registry.models])('%s says where it is known from, and makes sense', (_, facts) => {
    expect(facts.source).toMatch(/^https:\/\/\S+\.\S+\/\S+$/);
    expect(facts.asOf).toMatch(/^202\d-\d{2}-\d{2}$/);
    expect(facts.contextTokens).toBeGreaterThanOrEqual(facts.maxOutputTokens ?? 1);
    expect(facts.contextTokens).toBeGreaterThanOrEqual(facts.maxInputTokens ?? 1);
    for (const price of pricesIn(facts.pricesPerMillion)) expect(price).toBeGreaterThan(0);
    const { input, cacheRead = 0, output } = facts.pricesPerMillion as ModelPrices;
    expect(cacheRead).toBeLessThan(input);
    expect(output).toBeGreaterThanOrEqual(input);
  });

  test('covers the providers that agents use', () => {
    const providers = new Set([...registry.models.keys()].map((name) => name.split('/')[0]));
    expect([...providers]).toEqual(
      expect.arrayContaining(['anthropic', 'openai', 'google', 'mistral', 'deepseek', 'xai', 'groq']),
    );
  });
});

function pricesIn(prices: ModelPrices | undefined): readonly number[] {
  const { longPrompt, ...rest } = prices ?? ({} as ModelPrices);
  return [...Object.values(rest), ...(longPrompt === undefined ? [] : Object.values(longPrompt))].filter(
    (price) => typeof price === 'number',
  );
}

describe('a model is found', () => {
  test.each([
    ['anthropic', 'claude-opus-4-5', 200_000],
    ['anthropic', 'claude-opus-4-5-20251101', 200_000],
    ['anthropic', 'claude-opus-4-5@20251101', 200_000],
    ['anthropic.messages', 'claude-opus-4-6', 1_000_000],
    ['anthropic', 'claude-opus-4-0', 200_000],
    ['openai', 'gpt-5-mini-2025-08-07', 400_000],
    ['openai.responses', 'gpt-4o-2024-11-20', 128_000],
    ['gemini', 'gemini-2.5-flash-preview-09-2025', 1_048_576],
    ['google', 'gemini-2.5-flash-001', 1_048_576],
    ['x-ai', 'grok-4.6', 500_000],
    ['mistral', 'mistral-medium-3.5', 262_144],
    ['groq', 'meta-llama/llama-4-scout-17b-16e-instruct', 131_072],
  ])('by the name %s/%s', (provider, model, contextTokens) => {
    expect(registry.describe({ provider, model })?.contextTokens).toBe(contextTokens);
  });

  test('by the longest name that fits', () => {
    const input = (model: string) => registry.describe({ provider: 'openai', model })?.pricesPerMillion?.input;
    expect([input('gpt-5'), input('gpt-5-2025-08-07'), input('gpt-5-mini'), input('gpt-5-nano')]).toEqual([
      1.25, 1.25, 0.25, 0.05,
    ]);
  });

  test.each([
    ['anthropic', 'claude-opus-4-9'],
    ['anthropic', 'claude-opus-4-5-mini'],
    ['anthropic', 'claude-opus'],
    ['openai', 'gpt-5-ultra'],
    ['openai', 'claude-opus-4-5'],
    ['ollama', 'llama3'],
    ['', ''],
  ])('but never guessed: %s/%s is not known', (provider, model) => {
    expect(registry.describe({ provider, model })).toBeUndefined();
  });
});

describe('what the host knows better', () => {
  test('takes the place of single fields, for dated names too', () => {
    const own = modelRegistry({ overrides: { 'anthropic/claude-opus-4-6': { contextTokens: 500_000 } } });
    const facts = own.describe({ provider: 'anthropic', model: 'claude-opus-4-6-20260101' });
    expect([facts?.contextTokens, facts?.pricesPerMillion?.input, facts?.source]).toEqual([
      500_000,
      5,
      'configuration',
    ]);
    expect(registry.describe({ provider: 'anthropic', model: 'claude-opus-4-6' })?.contextTokens).toBe(1_000_000);
  });

  test('adds models of its own', () => {
    const own = modelRegistry({ overrides: { 'ollama/llama3': { contextTokens: 8_192 } } });
    expect(own.describe({ provider: 'ollama', model: 'llama3' })).toEqual({
      contextTokens: 8_192,
      source: 'configuration',
    });
  });

  test.each([
    ['a model without a window', { 'ollama/llama3': { maxOutputTokens: 1 } }, 'contextTokens'],
    ['a name without a provider', { llama3: { contextTokens: 1 } }, 'llama3'],
  ])('is refused for %s', (_, overrides, path) => {
    expect(() => modelRegistry({ overrides })).toThrow(
      expect.objectContaining({
        code: 'VARVE_OPTION_INVALID',
        details: expect.objectContaining({ path: expect.stringContaining(path) }),
      }),
    );
  });
});

test('a host works with the window of the model that is asked, back and forth', async () => {
  await using host = await createHost({ models: registry });
  const session = await host.open('s');
  const window = (provider: string, model: string) => session.pressure({ model: { provider, model } }).budget.window;
  const sizes = [
    window('anthropic', 'claude-opus-4-5'),
    window('anthropic', 'claude-opus-4-6'),
    window('openai', 'gpt-4o'),
    window('somebody', 'unknown'),
    window('anthropic', 'claude-opus-4-5'),
  ];
  expect(sizes).toEqual([200_000, 1_000_000, 128_000, 200_000, 200_000]);
});

test('an input limit below the window is kept', async () => {
  await using host = await createHost({ models: registry });
  const session = await host.open('s');
  const { budget } = session.pressure({ model: { provider: 'openai', model: 'gpt-5' } });
  expect([budget.window, budget.input]).toEqual([400_000, 272_000]);
});

describe('an image of 1,024 × 1,024 costs', () => {
  const counter = createTokenCounter('none', () => 0);
  // The header of a PNG is all that is read.
  const image: Message = { role: 'user', content: [{ type: 'image', image: pngHeader(1_024, 1_024) }] };

  test.each([
    ['anthropic', 'claude-sonnet-4-5', 1_399],
    ['openai', 'gpt-4o', 765],
    ['openai', 'gpt-5', 630],
    ['openai', 'gpt-5-mini', 1_659],
    ['openai', 'gpt-5.5', 1_229],
    ['google', 'gemini-2.5-pro', 1_032],
    ['google', 'gemini-3-flash-preview', 1_120],
  ])('what %s says for %s', (provider, model, tokens) => {
    const formula = registry.describe({ provider, model })?.imageTokens;
    expect(counter.countMessage(image, formula) - counter.countMessage({ role: 'user', content: [] })).toBe(tokens);
  });
});

function pngHeader(width: number, height: number): string {
  const bytes = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52];
  for (const size of [width, height]) bytes.push(size >>> 24, (size >>> 16) & 255, (size >>> 8) & 255, size & 255);
  return btoa(String.fromCharCode(...bytes, 8, 6, 0, 0, 0));
}
