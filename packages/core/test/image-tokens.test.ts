import { createTokenCounter, type ImageFormula, type Message, tableCounter } from '@varve/core';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { gif, jpeg, png, webp } from './fixtures/image-headers.ts';

const counter = createTokenCounter('none', () => 0);

function tokensOf(part: object, formula?: ImageFormula): number {
  const message = { role: 'user', content: [part] } as unknown as Message;
  return counter.countMessage(message, formula) - counter.countMessage({ role: 'user', content: [] });
}

const image = (data: string, formula?: ImageFormula): number => tokensOf({ type: 'image', image: data }, formula);

describe('the size of an image is read from', () => {
  test.each<[string, string]>([
    ['a PNG', png(750, 100)],
    ['a GIF', gif(750, 100)],
    ['a WebP with losses', webp('VP8 ', { width: 750, height: 100 })],
    ['a WebP without losses', webp('VP8L', { width: 750, height: 100 })],
    ['an extended WebP', webp('VP8X', { width: 750, height: 100 })],
    ['a JPEG', jpeg(750, 100)],
    ['a JPEG whose size stands behind 60 kB of other data', jpeg(750, 100, { before: 60_000 })],
    ['a data URL', `data:image/png;base64,${png(750, 100)}`],
  ])('%s', (_, data) => {
    expect(image(data)).toBe(100);
    expect(tokensOf({ type: 'file', data, mediaType: 'image/png' })).toBe(100);
  });

  test.each<[string, string]>([
    ['a URL', 'https://example.org/large.png'],
    ['a URL of a scheme of its own', 'gs://bucket/image.png'],
    ['something else', btoa('%PDF-1.7 and more than that')],
    ['a PNG that ends too early', png(750, 100).slice(0, 16)],
    ['a JPEG without a size', jpeg(0, 0)],
    ['nothing', ''],
    ['no base64', 'ÿØÿà'],
  ])('R-26b: %s gives none, and counts as a large image', (_, data) => {
    expect(image(data)).toBe(1_600);
    expect(image(data, { kind: 'tiles', baseTokens: 70, tileTokens: 140 })).toBeGreaterThanOrEqual(1_000);
    expect(image(data, { kind: 'fixed', tokens: 258 })).toBe(1_000);
  });
});

test('whatever stands in an image, it costs a whole number of tokens and nothing is thrown', () => {
  const signature = fc.constantFrom('\x89PNG\r\n\x1a\n', 'GIF89a', 'RIFF____WEBPVP8L', '\xff\xd8\xff\xe0', '');
  const data = fc.tuple(signature, fc.uint8Array({ maxLength: 200 })).map(([begin, rest]) => {
    return btoa(begin + String.fromCharCode(...rest));
  });
  fc.assert(
    fc.property(fc.oneof(data, fc.string()), (given) => {
      const tokens = image(given);
      expect(Number.isSafeInteger(tokens) && tokens >= 1 && tokens <= 1_600).toBe(true);
    }),
  );
});

describe('an image costs by', () => {
  const large: ImageFormula = { kind: 'area', pixelsPerToken: 750, longEdge: 2_576, mostTokens: 4_784 };
  const tiles: ImageFormula = { kind: 'tiles', baseTokens: 85, tileTokens: 170 };
  const patches: ImageFormula = { kind: 'patches', tokensPerPatch: 1.62, mostPatches: 1_536 };
  const crops: ImageFormula = { kind: 'crops', tileTokens: 258 };

  test.each<[string, number, number, ImageFormula | undefined, number]>([
    ['its area, as long as nothing else is known', 1_000, 750, undefined, 1_000],
    ['its area when it has been scaled down', 3_136, 1_000, undefined, 1_046],
    ['its area, up to a most', 5_000, 5_000, undefined, 1_600],
    ['its area, up to a most that is larger', 5_000, 5_000, large, 4_784],
    ['one tile', 512, 512, tiles, 255],
    ['tiles, when its short edge is 768', 2_048, 4_096, tiles, 1_105],
    ['patches', 1_024, 1_024, patches, 1_659],
    ['patches, up to a most', 1_800, 2_400, patches, 2_489],
    ['one crop', 384, 384, crops, 258],
    ['crops', 960, 540, crops, 516],
    ['nothing but being one', 9_999, 9_999, { kind: 'fixed', tokens: 1_120 }, 1_120],
  ])('%s', (_, width, height, formula, tokens) => {
    expect(image(png(width, height), formula)).toBe(tokens);
  });
});

describe('another file costs by its size', () => {
  const base64 = (bytes: number): string => 'A'.repeat((bytes / 3) * 4);
  test.each<[string, string, string, number]>([
    ['a small PDF as one page', 'application/pdf', base64(30_000), 3_000],
    ['a PDF as one page for each 100 kB', 'application/pdf', base64(900_000), 27_000],
    ['a PDF of 30 MB as no more pages than providers take', 'application/pdf', base64(30_000_000), 300_000],
    ['a URL as one page', 'application/pdf', 'https://example.org/a.pdf', 3_000],
    ['text as a token for three bytes', 'text/csv', base64(3_000), 1_000],
    ['JSON as a token for three bytes', 'application/json', base64(3_000), 1_000],
    ['sound as a token for 400 bytes', 'audio/mpeg', base64(120_000), 300],
  ])('%s', (_, mediaType, data, tokens) => {
    expect(tokensOf({ type: 'file', mediaType, data })).toBe(tokens);
  });
});

test('a screenshot of 2.5 MB is no half a million tokens, and a result with an image is not free', () => {
  const screenshot = png(1_920, 1_080) + 'A'.repeat(2_500_000);
  const output = { type: 'content', value: [{ type: 'image', image: screenshot, mediaType: 'image/png' }] } as const;
  const content = [{ type: 'tool-result', toolCallId: 'c', toolName: 'look', output }] as const;
  expect(tableCounter.countMessage({ role: 'tool', content })).toBe(4 + 1_600);
});
