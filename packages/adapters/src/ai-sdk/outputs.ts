import type { FilePart, ImagePart, JsonValue, TextPart, ToolOutput, ToolResultPart } from '@varve/core';
import { jsonOf } from '../json-of.ts';
import { mediaSource } from '../media-source.ts';
import { type Fields, fieldsOf, keepData, keptData } from './kept-data.ts';
import type { AiSdkJson, AiSdkOptions, AiSdkOutput, AiSdkOutputPart } from './messages.ts';

/** What a tool gave back, and what of it must be kept to give it back as it was. */
interface ReadOutput {
  readonly output: ToolOutput;
  readonly kept: { readonly output?: Fields };
}

/** Reads what a tool gave back; of a type that is not known here it is shown as JSON, and kept. */
export function outputOf(given: unknown, path: string): ReadOutput {
  const whole = fieldsOf(jsonOf(given ?? null, path));
  const { type, value = null, providerOptions } = whole;
  const kept = providerOptions === undefined ? {} : { output: whole };
  if ((type === 'text' || type === 'error-text') && typeof value === 'string') return { output: { type, value }, kept };
  if (type === 'json' || type === 'error-json') return { output: { type, value }, kept };
  if (type === 'content' && Array.isArray(value)) return { output: { type, value: value.map(outputPart) }, kept };
  return { output: shownOutput(whole), kept: { output: whole } };
}

/** An output of a type that no output of ours stands for, as a model reads it. */
function shownOutput(whole: Fields): ToolOutput {
  const { type, reason } = whole;
  if (type !== 'execution-denied') return { type: 'json', value: whole };
  return {
    type: 'error-text',
    value: typeof reason === 'string' ? reason : 'The call was denied; the tool was not run.',
  };
}

function outputPart(given: JsonValue): TextPart | ImagePart | FilePart {
  const { type, text, data, url, mediaType, filename, providerOptions } = fieldsOf(given);
  const kept = keepData(providerOptions);
  const media = typeof data === 'string' ? data : url;
  if (type === 'text' && typeof text === 'string') return { type, text, ...kept };
  if (typeof media !== 'string') return { type: 'text', text: '', ...keepData(undefined, { part: fieldsOf(given) }) };
  const kind = typeof mediaType === 'string' ? mediaType : undefined;
  const isImage = String(type).startsWith('image') || kind?.startsWith('image/') === true;
  if (isImage) return { type: 'image', image: media, ...(kind === undefined ? {} : { mediaType: kind }), ...kept };
  const name = typeof filename === 'string' ? { filename } : {};
  return { type: 'file', data: media, mediaType: kind ?? 'application/octet-stream', ...name, ...kept };
}

/** What a tool gave back, as it goes out: as it came, unless it was shortened since. */
export function aiSdkOutput(part: ToolResultPart): AiSdkOutput {
  const { output } = part;
  const kept = keptData(part).output;
  if (kept !== undefined && isSame(outputOf(kept, 'output').output, output)) return kept as unknown as AiSdkOutput;
  if (output.type === 'content') return { type: 'content', value: output.value.flatMap(aiSdkOutputPart) };
  return { type: output.type, value: output.value as AiSdkJson } as AiSdkOutput;
}

function isSame(one: ToolOutput, other: ToolOutput): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function aiSdkOutputPart(part: TextPart | ImagePart | FilePart): readonly AiSdkOutputPart[] {
  const options = optionsOfPart(part);
  if (part.type === 'text') {
    const { part: kept } = keptData(part);
    if (part.text !== '') return [{ type: 'text', text: part.text, ...options }];
    return kept === undefined ? [] : [kept as unknown as AiSdkOutputPart];
  }
  const isImage = part.type === 'image';
  const source = mediaSource(isImage ? part.image : part.data, part.mediaType);
  if (source.type === 'url') return [{ type: isImage ? 'image-url' : 'file-url', url: source.url, ...options }];
  const kind = source.mediaType ?? (isImage ? 'image/*' : 'application/octet-stream');
  if (isImage) return [{ type: 'image-data', data: source.data, mediaType: kind, ...options }];
  const name = part.filename === undefined ? {} : { filename: part.filename };
  return [{ type: 'file-data', data: source.data, mediaType: kind, ...name, ...options }];
}

function optionsOfPart({ providerOptions = {} }: TextPart | ImagePart | FilePart): { providerOptions?: AiSdkOptions } {
  const { 'ai-sdk': _own, varve: _varve, ...options } = providerOptions;
  return Object.keys(options).length === 0 ? {} : { providerOptions: options as AiSdkOptions };
}
