import { resolveBudget } from '@varve/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

describe('resolveBudget', () => {
  test('gives the example of the articles: 160k of a window of 200k, 123k used, 37k left', () => {
    const { window, input } = resolveBudget({});
    expect([window, input]).toEqual([200_000, 160_000]);
    expect(input - (8_000 + 3_000 + 12_000 + 45_000 + 30_000 + 25_000)).toBe(37_000);
  });

  test('keeps soft < hard ≤ input and target between the fixed part and hard, for every window of 4k and more', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 4_000, max: 2_000_000 }),
        fc.double({ min: 0, max: 0.5, noNaN: true }),
        (window, share) => {
          const systemTokens = Math.floor(window * share * 0.8);
          const budget = resolveBudget({ contextTokens: window }, { systemTokens });
          expect(budget.soft).toBeLessThan(budget.hard);
          expect(budget.hard).toBeLessThanOrEqual(budget.input);
          expect(budget.target).toBeGreaterThan(budget.fixed);
          expect(budget.target).toBeLessThanOrEqual(budget.hard);
          expect(budget.history).toBeGreaterThan(0);
        },
      ),
    );
  });

  test.each([
    ['inputTokens 0', { inputTokens: 0 }, {}],
    ['inputTokens −5', { inputTokens: -5 }, {}],
    ['a system prompt larger than the budget', { inputTokens: 100 }, { systemTokens: 200 }],
    ['reserved tokens larger than the budget', { inputTokens: 100, reservedTokens: 100 }, {}],
    ['tools larger than the window', { contextTokens: 1_000 }, { toolTokens: 5_000 }],
  ])('says that %s is impossible', (_, options, use) => {
    expect(() => resolveBudget(options, use)).toThrow(expect.objectContaining({ code: 'VARVE_BUDGET_IMPOSSIBLE' }));
  });

  test.each([
    ['contextTokens', { contextTokens: -1 }],
    ['contextTokens', { contextTokens: Number.NaN }],
    ['outputReserveRatio', { outputReserveRatio: 1.5 }],
    ['reservedTokens', { reservedTokens: -1 }],
    ['safetyTokens', { safetyTokens: Number.POSITIVE_INFINITY }],
    ['inputTokens', { inputTokens: Number.NaN }],
    ['inputTokens', { inputTokens: '32k' as never }],
    ['windowTokens', { windowTokens: 0 }],
    ['inputBytes', { inputBytes: 0 }],
  ])('refuses %s that makes no sense', (name, options) => {
    expect(() => resolveBudget(options)).toThrow(
      expect.objectContaining({ code: 'VARVE_BUDGET_INVALID', message: expect.stringContaining(name) }),
    );
  });

  test.each([
    ['the window', { contextTokens: 100_000 }],
    ['inputTokens', { inputTokens: 80_000 }],
  ])('counts tools among what the host sends besides, when %s is given', (_, options) => {
    const budget = resolveBudget({ ...options, reservedTokens: 1_000 }, { toolTokens: 4_000, systemTokens: 2_000 });
    expect([budget.input, budget.reserved, budget.fixed, budget.history]).toEqual([80_000, 5_000, 7_000, 73_000]);
    expect(budget.target).toBe(7_000 + 0.7 * (76_000 - 7_000));
    expect(() => resolveBudget(options, { toolTokens: 80_000 })).toThrow('80000 of tools');
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, '32k'])('says what to give instead of inputTokens %s', (given) => {
    expect(() => resolveBudget({ inputTokens: given as never })).toThrow(
      expect.objectContaining({
        code: 'VARVE_BUDGET_INVALID',
        fix: 'Give a positive number of tokens, or null for no limit.',
      }),
    );
  });

  test('takes the window to be no smaller than the prompt may be', () => {
    expect(resolveBudget({ contextTokens: 8_000, inputTokens: 32_000 }).window).toBe(32_000);
    expect(resolveBudget({ contextTokens: 64_000, inputTokens: 32_000 }).window).toBe(64_000);
  });

  test('keeps the marks in order and room for a prompt, for every window of 4k and more, whatever distances are kept', () => {
    fc.assert(
      fc.property(
        fc.record({
          contextTokens: fc.integer({ min: 4_000, max: 2_000_000 }),
          outputReserveRatio: fc.double({ min: 0, max: 0.5, noNaN: true }),
          safetyTokens: fc.nat(300_000),
        }),
        fc.option(fc.integer({ min: 4_000, max: 2_000_000 }), { nil: undefined }),
        fc.double({ min: 0.8, max: 2, noNaN: true }),
        (options, known, factor) => {
          const facts = known === undefined ? undefined : { contextTokens: known };
          const budget = resolveBudget(options, { facts, factor });
          expect(budget.window).toBe(Math.min(options.contextTokens, known ?? Infinity));
          expect(budget.soft).toBeLessThan(budget.hard);
          expect(budget.hard).toBeLessThanOrEqual(budget.input);
          expect(budget.target).toBeLessThan(budget.hard);
          expect(budget.input * factor).toBeLessThanOrEqual(budget.window + factor);
          expect(budget.input * factor).toBeGreaterThan(budget.window * 0.24 - factor);
        },
      ),
    );
  });

  test('R-31: keeps at most a quarter of a small window as a distance, and still leaves a prompt of a useful size', () => {
    const budget = resolveBudget({ contextTokens: 16_000, safetyTokens: 20_000 });
    expect([budget.input, budget.hard - budget.target]).toEqual([8_800, expect.closeTo(0.3 * 8_360)]);
    expect(resolveBudget({ contextTokens: 200_000, safetyTokens: 20_000 }).input).toBe(140_000);
  });

  test('R-12: tells that a prompt grows full before a compaction is due, however large the reserve is', () => {
    const { input, hard, soft } = resolveBudget({ contextTokens: 272_000, outputReserveRatio: 62_500 / 272_000 });
    expect(input).toBe(209_500);
    const level = (tokens: number): string => (tokens > hard ? 'hard' : tokens > soft ? 'soft' : 'none');
    const grown = Array.from({ length: 60 }, (_, step) => level(150_000 + step * 1_000));
    expect([...new Set(grown)]).toEqual(['none', 'soft', 'hard']);
    expect(hard - soft).toBeGreaterThan(30_000);
  });

  describe('takes the window', () => {
    const facts = { contextTokens: 128_000, maxInputTokens: 120_000, source: 'a table' };
    test.each([
      ['that the host gives, before all', { windowTokens: 64_000 }, facts, 64_000, 51_200],
      ['that the registry knows', {}, facts, 128_000, 102_400],
      ['of 200,000 where nobody knows it', {}, undefined, 200_000, 160_000],
      ['up to the most that is used', { contextTokens: 32_000 }, facts, 32_000, 25_600],
      ['and not more than it, if more may be used', { contextTokens: 500_000 }, facts, 128_000, 102_400],
      ['that is most used, where nobody knows it', { contextTokens: 500_000 }, undefined, 500_000, 400_000],
      ['and no larger prompt than the model takes', { outputReserveRatio: 0 }, facts, 128_000, 120_000],
      ['and no larger prompt than it, whatever is allowed', { inputTokens: 500_000 }, facts, 128_000, 120_000],
    ])('%s', (_, options, known, window, input) => {
      const budget = resolveBudget(options, { facts: known });
      expect([budget.window, budget.input]).toEqual([window, input]);
    });
  });

  test('makes prompts smaller by the factor that counts have proved to be off', () => {
    const { window, input, hard, factor } = resolveBudget({}, { factor: 1.25 });
    expect([window, input, hard, factor]).toEqual([200_000, 128_000, 121_600, 1.25]);
  });

  test('takes the bytes of the tools off those of the prompt', () => {
    const facts = { contextTokens: 200_000, requestBytes: 1_000_000 };
    const bytes = (options: { inputBytes?: number | null }) =>
      resolveBudget(options, { facts, toolBytes: 1_000 }).inputBytes;
    expect([bytes({}), bytes({ inputBytes: 50_000 }), bytes({ inputBytes: null })]).toEqual([
      999_000,
      49_000,
      Infinity,
    ]);
  });

  test('has no limit when inputTokens is null', () => {
    const budget = resolveBudget({ inputTokens: null, reservedTokens: 12_000 });
    expect([budget.input, budget.hard, budget.target, budget.fixed]).toEqual([Infinity, Infinity, Infinity, 12_000]);
  });
});
