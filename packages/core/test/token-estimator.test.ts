import { estimateTokens } from '@varve/core';
import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
// Columns: kind of text · what the fitted formula counts · text.
import estimates from './fixtures/token-estimates.json' with { type: 'json' };

const o200k = (text: string): number => countTokens(text, { disallowedSpecial: new Set() });
const errorOf = (estimate: number, tokens: number): number => (estimate - tokens) / tokens;

describe('estimateTokens', () => {
  it.each(estimates)('counts a text of the kind $kind as $count', ({ text, count }) => {
    expect(estimateTokens(text)).toBe(count);
  });

  it.each([
    ['', 0],
    [' ', 1],
    ['\n', 1],
    ['a', 1],
    ['Hello, world!', 5],
    ['a\r\nb', 3],
    ['    return x;', 4],
    ['snake_case_NAME', 5],
    ['12345678', 3],
    ['\u0000\u0001\u007f', 1],
    ['\ufeffhi', 3],
    ['e\u0301', 2],
    ['\uffff', 1],
    ['龘', 3],
    ['뷁', 2],
    ['ＡＢＣ', 2],
    ['👍', 2],
    ['👩‍💻', 5],
    ['\ud83d', 1],
    ['\udc4d', 1],
    ['\ud83d\ud83d x \udc4d', 5],
  ])('counts %j as %i', (text, count) => {
    expect(estimateTokens(text)).toBe(count);
  });

  it('is off o200k by 5 % at most, on average over the kinds', () => {
    const errors = estimates.map(({ text }) => Math.abs(errorOf(estimateTokens(text), o200k(text))));
    expect(errors.reduce((sum, error) => sum + error, 0) / errors.length).toBeLessThanOrEqual(0.05);
  });

  it.each([
    { of: 'Han characters', text: '汉'.repeat(1_000) },
    { of: 'Hangul syllables', text: '가'.repeat(1_000) },
    { of: 'Cyrillic letters', text: 'я'.repeat(2_000) },
    { of: 'Arabic letters', text: 'ا'.repeat(1_000) },
    { of: 'hiragana', text: 'あ'.repeat(1_000) },
    { of: 'consonants', text: ` ${'t'.repeat(2_000)}` },
    { of: 'rare consonants', text: 'xqzjkvwbpd'.repeat(100) },
    { of: 'bases of DNA', text: ` ${'gattacacatgcaagtcc'.repeat(200)}` },
    { of: 'bases of DNA in capitals', text: 'GATTACA'.repeat(300) },
  ])('counts an endless run of $of between 0.7 and 2 times what o200k does', ({ text }) => {
    const ratio = estimateTokens(text) / o200k(text);
    expect(ratio).toBeGreaterThanOrEqual(0.7);
    expect(ratio).toBeLessThanOrEqual(2);
  });

  it('counts a thousand Han characters as 700 to 1,300', () => {
    expect(estimateTokens('汉'.repeat(1_000))).toBeGreaterThanOrEqual(700);
    expect(estimateTokens('汉'.repeat(1_000))).toBeLessThanOrEqual(1_300);
  });
});

describe('the estimate', () => {
  const anyUnits = fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units));
  const anyText = fc.oneof(anyUnits, fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary-ascii' }));
  const fixtureText = fc.constantFrom(...estimates.map(({ text }) => text));
  const cutText = fc.tuple(fixtureText, fc.nat()).map(([text, cut]) => splitAt(text, cut % (text.length + 1)));
  const fixtureLine = fc.constantFrom(
    ...estimates.flatMap(({ text }) => text.split('\n').filter((line) => line.trim() !== '')),
  );

  function splitAt(text: string, cut: number): [head: string, tail: string] {
    return [text.slice(0, cut), text.slice(cut)];
  }

  it('is a whole number, 0 for the empty text alone', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const tokens = estimateTokens(text);
        expect(Number.isSafeInteger(tokens)).toBe(true);
        expect(tokens > 0).toBe(text !== '');
      }),
    );
  });

  it('depends on nothing but the text', () => {
    fc.assert(
      fc.property(anyText, anyText, (text, other) => {
        const first = estimateTokens(text);
        estimateTokens(other);
        expect(estimateTokens(text)).toBe(first);
      }),
    );
  });

  it('never shrinks while a text grows', () => {
    fc.assert(
      fc.property(anyText, anyText, (head, tail) => {
        expect(estimateTokens(head + tail)).toBeGreaterThanOrEqual(estimateTokens(head));
      }),
    );
  });

  it('changes by 15 tokens at most when such a text is cut in two', () => {
    fc.assert(
      fc.property(cutText, ([head, tail]) => {
        const parts = estimateTokens(head) + estimateTokens(tail);
        expect(Math.abs(parts - estimateTokens(head + tail))).toBeLessThanOrEqual(15);
      }),
    );
  });

  it('adds up over lines, but for rounding', () => {
    fc.assert(
      fc.property(fixtureLine, fixtureLine, (first, second) => {
        const rounding = estimateTokens(`${first}\n`) + estimateTokens(second) - estimateTokens(`${first}\n${second}`);
        expect(rounding === 0 || rounding === 1).toBe(true);
      }),
    );
  });
});
