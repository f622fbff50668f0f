import type { FilePart, ImagePart, TextPart, ToolOutput } from '@varve/core';
import { imageKind, mediaSource, notShown, textOfBase64 } from '../media-source.ts';
import { toWellFormed } from '../well-formed.ts';
import type { OpenAIInputContent, OpenAIInputText } from './responses-request.ts';
import { textOfResult } from './wire-names.ts';

/** A part as content that is put in; what cannot be sent is named in a text. */
export function inputContent(part: TextPart | ImagePart | FilePart): readonly OpenAIInputContent[] {
  if (part.type === 'text') return part.text === '' ? [] : [text(toWellFormed(part.text))];
  return [part.type === 'image' ? imageContent(part) : fileContent(part)];
}

/** What a tool gave back: content when there is more than text in it. */
export function outputOfResult(output: ToolOutput): string | OpenAIInputContent[] {
  if (output.type !== 'content') return textOfResult(output);
  const content = output.value.flatMap(inputContent);
  return content.every((one) => one.type === 'input_text') ? content.map((one) => one.text).join('\n') : content;
}

/** What names a file that cannot be sent. */
export function nameOfFile({ filename = '', mediaType }: FilePart): string {
  return notShown(`file ${filename}`.trim(), mediaType);
}

function imageContent({ image, mediaType }: ImagePart): OpenAIInputContent {
  const source = mediaSource(image, mediaType);
  if (source.type === 'url') return { type: 'input_image', detail: 'auto', image_url: source.url };
  const kind = imageKind(source);
  if (kind === undefined) return text(notShown('image', source.mediaType));
  return { type: 'input_image', detail: 'auto', image_url: `data:${kind};base64,${source.data}` };
}

function fileContent(file: FilePart): OpenAIInputContent {
  const { data, mediaType, filename } = file;
  if (mediaType.startsWith('image/')) return imageContent({ type: 'image', image: data, mediaType });
  const source = mediaSource(data, mediaType);
  const isPdf = mediaType === 'application/pdf';
  if (source.type === 'url') return isPdf ? { type: 'input_file', file_url: source.url } : text(nameOfFile(file));
  if (source.data === '') return text(nameOfFile(file));
  if (isPdf) {
    const name = toWellFormed(filename ?? '').trim() || 'document.pdf';
    return { type: 'input_file', filename: name, file_data: `data:application/pdf;base64,${source.data}` };
  }
  const readable = mediaType.startsWith('text/') ? textOfBase64(source.data) : null;
  if (readable === null || readable.trim() === '') return text(nameOfFile(file));
  return text(toWellFormed(filename === undefined ? readable : `${filename}:\n${readable}`));
}

function text(value: string): OpenAIInputText {
  return { type: 'input_text', text: value };
}
