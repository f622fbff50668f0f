import type { FilePart, ImagePart, TextPart } from '@varve/core';
import { imageKind, mediaSource, notShown } from '../media-source.ts';
import { toWellFormed } from '../well-formed.ts';
import { keptData } from './kept-data.ts';
import type { GeminiPart } from './request.ts';

/** Kinds of files that the API takes beside texts. */
const fileKinds = /^(?:application\/pdf|text\/|audio\/|video\/)/;

/** A part of either side; what cannot be sent is named in a text, and a blank text is left out unless it is signed. */
export function contentParts(part: TextPart | ImagePart | FilePart): readonly GeminiPart[] {
  if (part.type !== 'text') return [mediaPart(part)];
  const { thoughtSignature, part: kept } = keptData(part);
  if (kept !== undefined && part.text === '') return [kept as GeminiPart];
  if (part.text.trim() === '' && thoughtSignature === undefined) return [];
  return [{ text: toWellFormed(part.text), ...(thoughtSignature === undefined ? {} : { thoughtSignature }) }];
}

function mediaPart(part: ImagePart | FilePart): GeminiPart {
  const isImage = part.type === 'image' || part.mediaType.startsWith('image/');
  const source = mediaSource(part.type === 'image' ? part.image : part.data, part.mediaType);
  const { thoughtSignature } = keptData(part);
  const signed = thoughtSignature === undefined ? {} : { thoughtSignature };
  if (source.type === 'url') {
    const kind = part.mediaType === undefined ? {} : { mimeType: part.mediaType };
    return { fileData: { ...kind, fileUri: source.url }, ...signed };
  }
  const kind = isImage ? imageKind(source) : source.mediaType;
  const isTaken = source.data !== '' && kind !== undefined && (isImage || fileKinds.test(kind));
  if (isTaken) return { inlineData: { mimeType: kind, data: source.data }, ...signed };
  const name = part.type === 'file' ? (part.filename ?? '') : '';
  return { text: notShown(`${isImage ? 'image' : 'file'} ${name}`.trim(), source.mediaType) };
}
