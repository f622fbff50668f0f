import type { FilePart, ImagePart, TextPart } from '@varve/core';
import { imageKind, mediaSource, notShown, textOfBase64 } from '../media-source.ts';
import { toWellFormed } from '../well-formed.ts';
import type { OpenAIChatContent, OpenAIChatText } from './chat-request.ts';

/** Kinds of sounds, with what the API calls them. */
const audioFormats: Readonly<Record<string, 'wav' | 'mp3'>> = {
  'audio/wav': 'wav',
  'audio/x-wav': 'wav',
  'audio/mpeg': 'mp3',
  'audio/mp3': 'mp3',
};

/** A part as content of the user's side; what cannot be sent is named in a text. */
export function chatContent(part: TextPart | ImagePart | FilePart): readonly OpenAIChatContent[] {
  if (part.type === 'text') return part.text === '' ? [] : [text(toWellFormed(part.text))];
  return [part.type === 'image' ? imageContent(part) : fileContent(part)];
}

/** A text that names a file which cannot be sent. */
export function namedFile({ filename = '', mediaType }: FilePart): OpenAIChatText {
  return text(notShown(`file ${filename}`.trim(), mediaType));
}

function imageContent({ image, mediaType }: ImagePart): OpenAIChatContent {
  const source = mediaSource(image, mediaType);
  if (source.type === 'url') return { type: 'image_url', image_url: { url: source.url } };
  const kind = imageKind(source);
  if (kind === undefined) return text(notShown('image', source.mediaType));
  return { type: 'image_url', image_url: { url: `data:${kind};base64,${source.data}` } };
}

function fileContent(file: FilePart): OpenAIChatContent {
  const { data, mediaType, filename } = file;
  if (mediaType.startsWith('image/')) return imageContent({ type: 'image', image: data, mediaType });
  const source = mediaSource(data, mediaType);
  if (source.type === 'url' || source.data === '') return namedFile(file);
  const format = audioFormats[mediaType.toLowerCase()];
  if (format !== undefined) return { type: 'input_audio', input_audio: { data: source.data, format } };
  if (mediaType === 'application/pdf') {
    const name = toWellFormed(filename ?? '').trim() || 'document.pdf';
    return { type: 'file', file: { filename: name, file_data: `data:application/pdf;base64,${source.data}` } };
  }
  const readable = mediaType.startsWith('text/') ? textOfBase64(source.data) : null;
  if (readable === null || readable.trim() === '') return namedFile(file);
  return text(toWellFormed(filename === undefined ? readable : `${filename}:\n${readable}`));
}

function text(value: string): OpenAIChatText {
  return { type: 'text', text: value };
}
