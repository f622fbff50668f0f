import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { estimateTokens } from '@varve/core';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';

const o200k = (text: string): number => countTokens(text, { disallowedSpecial: new Set() });
const errorOf = (estimate: number, tokens: number): number => (estimate - tokens) / tokens;

describe('the estimate of a context of some 20,000 tokens', () => {
  const root = join(import.meta.dirname, '../../..');
  const skipped = new Set(['node_modules', 'dist', 'coverage', 'api']);

  function filesUnder(directory: string): string[] {
    return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
      if (entry.name.startsWith('.') || skipped.has(entry.name)) return [];
      const path = join(directory, entry.name);
      if (entry.isDirectory()) return filesUnder(path);
      return /\.(ts|mjs|md)$/.test(entry.name) ? [path] : [];
    });
  }

  /** Deals the project's own sources and docs out to as many contexts as they can fill. */
  function contexts(): { tokens: number; estimate: number }[] {
    const files = filesUnder(root).sort();
    const counts = files.map((file) => {
      const text = readFileSync(file, 'utf8');
      return { tokens: o200k(text), estimate: estimateTokens(text) };
    });
    const total = counts.reduce((sum, { tokens }) => sum + tokens, 0);
    const dealt = Array.from({ length: Math.max(1, Math.floor(total / 20_000)) }, () => ({ tokens: 0, estimate: 0 }));
    for (const count of counts) {
      const smallest = dealt.reduce((left, right) => (right.tokens < left.tokens ? right : left));
      smallest.tokens += count.tokens;
      smallest.estimate += count.estimate;
    }
    return dealt;
  }

  it('is 3 % too low or 6 % too high at worst', () => {
    const errors = contexts().map(({ estimate, tokens }) => errorOf(estimate, tokens));
    expect(Math.min(...errors)).toBeGreaterThanOrEqual(-0.03);
    expect(Math.max(...errors)).toBeLessThanOrEqual(0.06);
  });
});
