import { type CachedRequest, createPromptCache, type PrefixPoint } from '@varve/cli';
import { describe, expect, it } from 'vitest';

const minute = 60_000;

/** A prompt of blocks named by a letter each, of 1,000 tokens; a mark behind the system block and the last one. */
function prompt(blocks: string, { marks, tail = 0 }: { marks?: readonly number[]; tail?: number } = {}): CachedRequest {
  const points = [...blocks].map((_, index): PrefixPoint => {
    return { key: blocks.slice(0, index + 1), tokens: 1_000 * (index + 1), blocks: index + 1 };
  });
  const last = points.length - 1;
  return { points, marks: marks ?? (last > 0 ? [0, last] : [last]), tokens: 1_000 * points.length + tail };
}

describe('a prompt cache', () => {
  it('writes what it has not seen, and reads it the next time', () => {
    const cache = createPromptCache({ ttl: '5m' });
    expect(cache.request(prompt('abc'), 0)).toEqual({ cacheRead: 0, cacheWrite: 3_000, uncached: 0, cost: 3_750 });
    expect(cache.request(prompt('abcde'), minute)).toEqual({
      cacheRead: 3_000,
      cacheWrite: 2_000,
      uncached: 0,
      cost: 300 + 2_500,
    });
  });

  it('takes twice the price for an hour', () => {
    const cache = createPromptCache({ ttl: '1h' });
    expect(cache.request(prompt('abc'), 0).cost).toBe(6_000);
    expect(cache.request(prompt('abc'), 59 * minute)).toMatchObject({ cacheRead: 3_000, cost: 300 });
  });

  it('forgets what nobody has read for as long as it lives, and not before', () => {
    const cache = createPromptCache({ ttl: '5m' });
    cache.request(prompt('abc'), 0);
    expect(cache.request(prompt('abc'), 5 * minute).cacheRead).toBe(3_000);
    expect(cache.request(prompt('abc'), 10 * minute).cacheRead).toBe(3_000);
    expect(cache.request(prompt('abc'), 15 * minute + 1).cacheRead).toBe(0);
  });

  it('keeps prefixes at marks only', () => {
    const cache = createPromptCache({ ttl: '5m' });
    cache.request(prompt('sabcd'), 0);
    expect(cache.request(prompt('sabXY'), minute).cacheRead).toBe(0);
  });

  it('falls back to the system prompt when the conversation was rewritten', () => {
    const cache = createPromptCache({ ttl: '5m' });
    const withSystem = (blocks: string): CachedRequest => prompt(`st${blocks}`, { marks: [1, blocks.length + 1] });
    cache.request(withSystem('abc'), 0);
    expect(cache.request(withSystem('xyz'), minute)).toMatchObject({ cacheRead: 2_000, cacheWrite: 3_000 });
  });

  it('looks back twenty blocks from a mark, and no further', () => {
    const letters = 'abcdefghijklmnopqrstuvwxyz';
    const cache = createPromptCache({ ttl: '5m' });
    cache.request(prompt(letters.slice(0, 3), { marks: [2] }), 0);
    expect(cache.request(prompt(letters.slice(0, 23), { marks: [22] }), 1).cacheRead).toBe(3_000);
    const other = createPromptCache({ ttl: '5m' });
    other.request(prompt(letters.slice(0, 3), { marks: [2] }), 0);
    expect(other.request(prompt(letters.slice(0, 24), { marks: [23] }), 1).cacheRead).toBe(0);
  });

  it('keeps nothing below 1,024 tokens', () => {
    const cache = createPromptCache({ ttl: '5m' });
    const short: CachedRequest = { points: [{ key: 'a', tokens: 1_023, blocks: 1 }], marks: [0], tokens: 1_023 };
    expect(cache.request(short, 0)).toEqual({ cacheRead: 0, cacheWrite: 0, uncached: 1_023, cost: 1_023 });
    expect(cache.request(short, 1).cacheRead).toBe(0);
  });

  it('takes the full price for what stands behind the last mark', () => {
    const cache = createPromptCache({ ttl: '5m' });
    expect(cache.request(prompt('abc', { tail: 500 }), 0)).toMatchObject({ cacheWrite: 3_000, uncached: 500 });
    expect(cache.request({ points: [], marks: [], tokens: 2_000 }, 0)).toMatchObject({ uncached: 2_000, cost: 2_000 });
  });
});
