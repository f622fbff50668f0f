import { resolveBudget } from '@varve/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

describe('resolveBudget', () => {
  test('leaves 160k of a window of 200k, and 37k of them beside 123k of context', () => {
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

  test('has no limit when inputTokens is null', () => {
    const budget = resolveBudget({ inputTokens: null, reservedTokens: 12_000 });
    expect([budget.input, budget.hard, budget.target, budget.fixed]).toEqual([Infinity, Infinity, Infinity, 12_000]);
  });
});
