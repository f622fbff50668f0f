import type { FilePart, ImagePart } from '@varve/core';
import type { AnthropicDocumentBlock, AnthropicImageBlock, AnthropicTextBlock } from './anthropic-request.ts';
import { toWellFormed } from './well-formed.ts';

/** Kinds of images that the API takes, with how their base64 data begins. */
const imageKinds: readonly (readonly [mediaType: string, beginning: string])[] = [
  ['image/png', 'iVBORw0KGgo'],
  ['image/jpeg', '/9j/'],
  ['image/gif', 'R0lGOD'],
  ['image/webp', 'UklGR'],
];

/** Where the bytes of a part are. */
type Source =
  | { readonly type: 'url'; readonly url: string }
  | { readonly type: 'base64'; readonly mediaType: string | undefined; readonly data: string };

/** An image that the API takes, or a text that names it. */
export function imageBlock({ image, mediaType }: ImagePart): AnthropicImageBlock | AnthropicTextBlock {
  const source = sourceOf(image, mediaType);
  if (source.type === 'url') return { type: 'image', source: { type: 'url', url: source.url } };
  const kind = imageKind(source);
  if (kind === undefined || source.data === '') return notShown('image', source.mediaType);
  return { type: 'image', source: { type: 'base64', media_type: kind, data: source.data } };
}

/** A document or an image that the API takes, or a text that names the file. */
export function fileBlock(file: FilePart): AnthropicDocumentBlock | AnthropicImageBlock | AnthropicTextBlock {
  if (file.mediaType.startsWith('image/'))
    return imageBlock({ type: 'image', image: file.data, mediaType: file.mediaType });
  const source = documentSource(file);
  if (source === null) return namedFile(file);
  const title =
    file.filename === undefined || file.filename.trim() === '' ? {} : { title: toWellFormed(file.filename) };
  return { type: 'document', source, ...title };
}

/** A text that names a file which cannot be sent. */
export function namedFile({ filename = '', mediaType }: FilePart): AnthropicTextBlock {
  return notShown(`file ${filename}`.trim(), mediaType);
}

function documentSource({ data, mediaType }: FilePart): AnthropicDocumentBlock['source'] | null {
  const source = sourceOf(data, mediaType);
  const isPdf = mediaType === 'application/pdf';
  if (source.type === 'url') return isPdf ? { type: 'url', url: source.url } : null;
  if (source.data === '') return null;
  if (isPdf) return { type: 'base64', media_type: 'application/pdf', data: source.data };
  const text = mediaType.startsWith('text/') ? textOfBase64(source.data) : null;
  return text === null || text.trim() === '' ? null : { type: 'text', media_type: 'text/plain', data: text };
}

function sourceOf(data: string, mediaType: string | undefined): Source {
  if (/^https?:\/\//i.test(data)) return { type: 'url', url: toWellFormed(data) };
  const inline = /^data:([^;,]*)[^,]*;base64,/i.exec(data);
  if (inline === null) return { type: 'base64', mediaType, data };
  return { type: 'base64', mediaType: inline[1] || mediaType, data: data.slice(inline[0].length) };
}

function imageKind({
  mediaType,
  data,
}: {
  readonly mediaType: string | undefined;
  readonly data: string;
}): string | undefined {
  const named = mediaType?.toLowerCase().replace('image/jpg', 'image/jpeg');
  if (imageKinds.some(([kind]) => kind === named)) return named;
  return imageKinds.find(([, beginning]) => data.startsWith(beginning))?.[0];
}

function textOfBase64(data: string): string | null {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(data), (byte) => byte.charCodeAt(0)));
  } catch {
    return null;
  }
}

function notShown(what: string, mediaType: string | undefined): AnthropicTextBlock {
  return { type: 'text', text: toWellFormed(`[${what} (${mediaType ?? 'unknown kind'}) is not shown]`) };
}
