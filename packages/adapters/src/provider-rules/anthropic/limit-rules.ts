import { fieldsOf, jsonBytes, pathOfBadUnicode, stringOf } from '../json-fields.ts';
import type { ProviderRule } from '../provider-rule.ts';
import { allBlocks, type PlacedBlock } from './anthropic-body.ts';

const provider = 'anthropic';
const base = { model: 'm', max_tokens: 9 };
const vision = 'https://docs.anthropic.com/en/docs/vision';
const png = 'image/png';
const mega = 1024 * 1024;

function bodyWithImage(source: { readonly [field: string]: string }, count = 1): unknown {
  const content = Array.from({ length: count }, () => ({ type: 'image', source }));
  return { ...base, messages: [{ role: 'user', content }] };
}

/** The images whose data is in the body. */
function inlineImages(
  body: unknown,
): readonly { readonly kind: string; readonly data: string; readonly path: string }[] {
  return allBlocks(body).flatMap(({ type, fields: { source }, path }: PlacedBlock) => {
    const { type: place, media_type, data } = fieldsOf(source);
    if (type !== 'image' || place !== 'base64') return [];
    return [{ kind: stringOf(media_type), data: stringOf(data), path: `${path}.source` }];
  });
}

/** Rules for images, sizes and characters. */
export const limitRules: readonly ProviderRule[] = [
  {
    id: 'image-kind',
    provider,
    text: 'An image is a PNG, JPEG, GIF or WebP.',
    source: 'https://github.com/anomalyco/opencode/pull/5704',
    failing: bodyWithImage({ type: 'base64', media_type: 'image/bmp', data: 'AAAA' }),
    find(body) {
      const kinds = [png, 'image/jpeg', 'image/gif', 'image/webp'];
      return inlineImages(body)
        .filter(({ kind }) => !kinds.includes(kind))
        .map(({ kind, path }) => ({ path: `${path}.media_type`, text: `it is "${kind}"` }));
    },
  },
  {
    id: 'image-data',
    provider,
    text: 'Data of an image is plain base64, not a data URL, and not empty.',
    source: vision,
    failing: bodyWithImage({ type: 'base64', media_type: png, data: 'data:image/png;base64,AAAA' }),
    find(body) {
      return inlineImages(body)
        .filter(({ data }) => !/^[A-Za-z0-9+/]+={0,2}$/.test(data))
        .map(({ path }) => ({ path: `${path}.data`, text: 'it is not plain base64' }));
    },
  },
  {
    id: 'image-size',
    provider,
    text: 'An image has at most 5 MB as base64.',
    source: 'https://github.com/gptme/gptme/issues/185',
    get failing() {
      return bodyWithImage({ type: 'base64', media_type: png, data: 'A'.repeat(5 * mega + 4) });
    },
    find(body) {
      return inlineImages(body)
        .filter(({ data }) => data.length > 5 * mega)
        .map(({ data, path }) => ({ path: `${path}.data`, text: `it has ${data.length} characters` }));
    },
  },
  {
    id: 'hundred-images',
    provider,
    text: 'There are at most 100 images.',
    source: vision,
    get failing() {
      return bodyWithImage({ type: 'url', url: 'https://example.org/a.png' }, 101);
    },
    find(body) {
      const images = allBlocks(body).filter(({ type }) => type === 'image');
      const tooMany = images[100];
      return tooMany === undefined ? [] : [{ path: tooMany.path, text: `there are ${images.length}` }];
    },
  },
  {
    id: 'body-size',
    provider,
    text: 'A body has at most 32 MB.',
    source: 'https://github.com/anthropics/anthropic-sdk-python/issues/938',
    get failing() {
      return { ...base, messages: [{ role: 'user', content: 'a'.repeat(32 * mega) }] };
    },
    find(body) {
      const bytes = jsonBytes(body);
      return bytes > 32 * mega ? [{ path: '', text: `it has ${bytes} bytes` }] : [];
    },
  },
  {
    id: 'valid-unicode',
    provider,
    text: 'No string holds half of a surrogate pair.',
    source: 'https://github.com/anthropics/claude-code/issues/60394',
    failing: { ...base, messages: [{ role: 'user', content: 'a\uD800' }] },
    find(body) {
      const path = pathOfBadUnicode(body);
      return path === null ? [] : [{ path, text: 'it holds half of a surrogate pair' }];
    },
  },
];
