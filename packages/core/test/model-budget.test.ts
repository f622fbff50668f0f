import {
  type BudgetOptions,
  createHost,
  createTokenCounter,
  definePlugin,
  type ImageFormula,
  type ModelRef,
  type ModelRegistry,
  memoryStore,
  type Session,
} from '@varve/core';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { png } from './fixtures/image-headers.ts';

const small: ModelRef = { provider: 'acme', model: 'small' };
const large: ModelRef = { provider: 'acme', model: 'large' };
const unknown: ModelRef = { provider: 'nobody', model: 'knows' };

const crops: ImageFormula = { kind: 'crops', tileTokens: 258 };
const models: ModelRegistry = {
  describe: ({ model }) => {
    if (model === 'small') return { contextTokens: 200_000, source: 'test' };
    if (model === 'large')
      return { contextTokens: 1_000_000, imageTokens: crops, requestBytes: 50_000, source: 'test' };
    return undefined;
  },
};

const windowOf = (session: Session, model: ModelRef): number => session.pressure({ model }).budget.window;

describe('the window of a prompt', () => {
  test('R-25: is that of the model that is asked, whatever was asked before', async () => {
    await using host = await createHost({ models });
    const session = await host.open('s');
    await session.ingest({ role: 'user', content: 'Hello.' });
    const windows: number[] = [];
    for (const model of [small, large, unknown, small]) {
      windows.push(windowOf(session, model));
      await session.assemble({ model });
      await session.set('model', `${model.provider}/${model.model}`);
      windows.push(windowOf(session, model));
    }
    expect(windows).toEqual([200_000, 200_000, 1_000_000, 1_000_000, 200_000, 200_000, 200_000, 200_000]);
    const windowsOfRequests: unknown[] = [];
    for await (const entry of session.read()) if (entry.type === 'request') windowsOfRequests.push(entry.window);
    expect(windowsOfRequests.slice(0, 4)).toEqual([200_000, 1_000_000, 200_000, 200_000]);
  });

  test('can be given by the host for each model, before what the registry knows', async () => {
    const asked: string[] = [];
    const budget = (model: ModelRef): BudgetOptions => {
      asked.push(model.model);
      return model.model === 'large' ? { windowTokens: 64_000 } : { contextTokens: 100_000 };
    };
    await using host = await createHost({ models, budget });
    const session = await host.open('s');
    expect([small, large, unknown].map((model) => windowOf(session, model))).toEqual([100_000, 64_000, 100_000]);
    expect(asked).toEqual(['small', 'large', 'knows']);
  });

  test('holds for plans and compactions, too', async () => {
    const seen: unknown[] = [];
    const watch = definePlugin({
      name: 'watch',
      version: '1.0.0',
      apiVersion: '^1.0.0',
      options: z.strictObject({}),
      apply: ({ hooks }) => {
        hooks.compact.tapPromise('see', (request) => {
          seen.push(request.budget.window);
          return undefined;
        });
      },
    });
    await using host = await createHost({ models, plugins: [watch()] });
    const session = await host.open('s');
    await session.ingest({ role: 'user', content: 'Hello.' });
    await session.assemble({ model: small });
    await session.plan('manual', { model: large });
    await session.plan('manual', { model: small });
    expect(seen).toEqual([1_000_000, 200_000]);
  });

  test('that a function of the host gives is checked when it is asked for', async () => {
    await using host = await createHost({ budget: () => ({ windowTokens: -1 }) });
    const session = await host.open('s');
    expect(() => session.pressure({ model: small })).toThrow(expect.objectContaining({ code: 'VARVE_BUDGET_INVALID' }));
  });

  test.each([
    ['nothing', undefined],
    ['null', null],
    ['a promise', Promise.resolve({ inputTokens: 100 })],
    ['a number', 8_000],
    ['a misspelt option', { inputTokns: 1 }],
  ])('that a function of the host gives is refused when it is %s', async (_, given) => {
    const host = await createHost({ budget: () => given as BudgetOptions });
    const session = await host.open('s');
    await session.ingest({ role: 'user', content: 'hello' });
    await expect(session.assemble({ model: small })).rejects.toMatchObject({ code: 'VARVE_BUDGET_INVALID' });
    await host.close();
  });

  test('needs a registry that can be asked', async () => {
    await expect(createHost({ models: { small: 1 } as never })).rejects.toMatchObject({
      code: 'VARVE_OPTION_INVALID',
      details: { path: 'models' },
    });
  });
});

test('R-31: a window of 16k is not compacted on each turn', async () => {
  const dueAtHard = definePlugin({
    name: 'due-at-hard',
    version: '1.0.0',
    apiVersion: '^1.0.0',
    options: z.strictObject({}),
    apply: ({ hooks }) => {
      hooks.shouldCompact.tapPromise('hard', ({ level }) =>
        level === 'hard' || level === 'overflow' ? true : undefined,
      );
    },
  });
  const tokens = createTokenCounter('characters', (text) => text.length);
  await using host = await createHost({
    budget: { contextTokens: 16_000, safetyTokens: 20_000 },
    tokens,
    plugins: [dueAtHard()],
  });
  const session = await host.open('s');
  await session.ingest({ role: 'system', content: 's'.repeat(2_000) });
  const compacted: number[] = [];
  for (let turn = 1; turn <= 80; turn += 1) {
    await session.ingest({ role: 'user', content: `${turn} ${'w'.repeat(150)}` });
    const outcome = await session.compact('threshold', { model: unknown });
    if (outcome.status === 'compacted') compacted.push(turn);
    await session.assemble({ model: unknown });
    await session.ingest({ role: 'assistant', content: 'a'.repeat(150) });
  }
  expect(compacted.length).toBeGreaterThan(1);
  compacted.forEach((turn, index) => {
    if (index > 0) expect(turn - (compacted[index - 1] ?? 0)).toBeGreaterThanOrEqual(4);
  });
});

test('images count by the formula of the model that is asked, in the prompt and in its manifest', async () => {
  await using host = await createHost({ models });
  const session = await host.open('s');
  const content = [{ type: 'image', image: png(1_000, 750), mediaType: 'image/png' }] as const;
  const entry = await session.ingest({ role: 'user', content });
  expect(entry.tokens.n).toBe(1_004);
  const sizes = [small, large, small].map((model) => session.pressure({ model }).tokens);
  expect(sizes).toEqual([1_004, 520, 1_004]);
  const prompt = await session.assemble({ model: large });
  expect([prompt.tokens, prompt.manifest.entries[0]?.tokens]).toEqual([520, 520]);
});

describe('another counter', () => {
  test('counts what is visible anew when the session is opened, and changes no entry', async () => {
    const store = memoryStore();
    const first = await createHost({ store });
    const session = await first.open('s');
    const texts = ['To be, or not to be.', '汉字和假名', '{"a": [1, 2, 3]}'];
    for (const content of texts) {
      await session.ingest({ role: 'user', content });
    }
    const estimated = session.pressure({ model: small }).tokens;
    await first.close();

    let counted = 0;
    const exact = createTokenCounter('gpt-tokenizer-o200k-1', (text) => {
      counted += 1;
      return countTokens(text);
    });
    await using host = await createHost({ store, tokens: exact });
    const again = await host.open('s');
    expect(counted).toBe(3);
    expect(again.pressure({ model: small }).tokens).toBe(texts.reduce((sum, text) => sum + 4 + countTokens(text), 0));
    await again.assemble({ model: small });
    expect(counted).toBe(3);
    expect(estimated).toBeGreaterThan(0);
    const kept: unknown[] = [];
    for await (const entry of again.read()) if (entry.type === 'message') kept.push(entry.tokens.by);
    expect(new Set(kept)).toEqual(new Set(['table-o200k-2']));
    const entry = await again.ingest({ role: 'user', content: 'New.' });
    expect(entry.tokens).toEqual({ n: 4 + countTokens('New.'), by: 'gpt-tokenizer-o200k-1' });
  });
});
