import type { FilePart, ImagePart } from '@varve/core';
import { imageKind, mediaSource, notShown, textOfBase64 } from '../media-source.ts';
import { toWellFormed } from '../well-formed.ts';
import type { AnthropicDocumentBlock, AnthropicImageBlock, AnthropicTextBlock } from './request.ts';

/** Longest base64 of an image that the API takes: 5 MB. */
const longestImage = 5 * 1024 * 1024;

/** An image that the API takes, or a text that names it. */
export function imageBlock({ image, mediaType }: ImagePart): AnthropicImageBlock | AnthropicTextBlock {
  const source = mediaSource(image, mediaType);
  if (source.type === 'url') return { type: 'image', source: { type: 'url', url: source.url } };
  const kind = imageKind(source);
  if (kind === undefined) return { type: 'text', text: notShown('image', source.mediaType) };
  if (source.data.length > longestImage) return { type: 'text', text: notShown('image above 5 MB', kind) };
  const media_type = kind as Extract<AnthropicImageBlock['source'], { type: 'base64' }>['media_type'];
  return { type: 'image', source: { type: 'base64', media_type, data: source.data } };
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
  return { type: 'text', text: notShown(`file ${filename}`.trim(), mediaType) };
}

function documentSource({ data, mediaType }: FilePart): AnthropicDocumentBlock['source'] | null {
  const source = mediaSource(data, mediaType);
  const isPdf = mediaType === 'application/pdf';
  if (source.type === 'url') return isPdf ? { type: 'url', url: source.url } : null;
  if (source.data === '') return null;
  if (isPdf) return { type: 'base64', media_type: 'application/pdf', data: source.data };
  const text = mediaType.startsWith('text/') ? textOfBase64(source.data) : null;
  return text === null || text.trim() === '' ? null : { type: 'text', media_type: 'text/plain', data: text };
}
