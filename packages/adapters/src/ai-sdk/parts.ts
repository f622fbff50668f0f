import { type AssistantMessage, type FilePart, type ImagePart, type TextPart, VarveError } from '@varve/core';
import { base64Of, isBytes, jsonOf } from '../json-of.ts';
import { type Fields, fieldsOf, keepData } from './kept-data.ts';
import type { AiSdkPart } from './messages.ts';

/** A part of what a model says. */
export type Spoken = Exclude<AssistantMessage['content'], string>[number];

/** Reads a part of what a user says. @throws VARVE_MESSAGE_INVALID  for a file without data. */
export function userPart(part: AiSdkPart, path: string): TextPart | ImagePart | FilePart {
  const { type, text, image, data, mediaType, filename, providerOptions } = part as Fields & AiSdkPart;
  if (type === 'text' && typeof text === 'string') return { type, text, ...keepData(providerOptions) };
  const media = type === 'image' ? image : data;
  if (type !== 'image' && type !== 'file') return keptPart(part, path);
  return mediaPart(
    { data: dataOf(media, path), mediaType: typeof mediaType === 'string' ? mediaType : undefined },
    { isImage: type === 'image', filename, providerOptions },
  );
}

/** Reads a part of what a model says. @throws VARVE_MESSAGE_INVALID  for a file without data. */
export function spokenPart(part: AiSdkPart, path: string): Spoken {
  const { type, text, data, mediaType, filename, providerOptions } = part as Fields & AiSdkPart;
  const kept = keepData(providerOptions);
  if ((type === 'text' || type === 'reasoning') && typeof text === 'string') return { type, text, ...kept };
  if (type === 'file' && typeof mediaType === 'string') {
    const name = typeof filename === 'string' ? { filename } : {};
    return { type, data: dataOf(data, path), mediaType, ...name, ...kept };
  }
  const { toolCallId, toolName, input, providerExecuted } = part as Fields & AiSdkPart;
  const isCall = type === 'tool-call' && typeof toolCallId === 'string' && typeof toolName === 'string';
  if (!isCall || providerExecuted === true) return keptPart(part, path);
  return { type, toolCallId, toolName, input: jsonOf(input ?? {}, `${path}.input`), ...kept };
}

/** Where bytes or an address came from, and what kind they are. */
interface Media {
  readonly data: string;
  readonly mediaType: string | undefined;
}

function mediaPart(
  { data, mediaType }: Media,
  given: { readonly isImage: boolean; readonly filename: unknown; readonly providerOptions: unknown },
): ImagePart | FilePart {
  const filename = typeof given.filename === 'string' ? { filename: given.filename } : {};
  if (given.isImage || mediaType?.startsWith('image/') === true) {
    const kind = mediaType === undefined || mediaType === 'image/*' ? {} : { mediaType };
    return { type: 'image', image: data, ...kind, ...keepData(given.providerOptions, filename) };
  }
  const kind = mediaType ?? 'application/octet-stream';
  return { type: 'file', data, mediaType: kind, ...filename, ...keepData(given.providerOptions) };
}

function dataOf(data: unknown, path: string): string {
  if (typeof data === 'string') return data;
  if (isBytes(data)) return base64Of(data);
  if (data instanceof URL) return data.href;
  throw invalidMessage(path, 'it is no data');
}

/** A part that no part of ours stands for. */
function keptPart(part: AiSdkPart, path: string): TextPart {
  return { type: 'text', text: '', ...keepData(undefined, { part: fieldsOf(jsonOf(part, path)) }) };
}

/** What is no message of the AI SDK. */
export function invalidMessage(path: string, why: string): VarveError {
  return new VarveError('VARVE_MESSAGE_INVALID', `This is no message of the AI SDK at ${path}: ${why}.`, {
    fix: 'Give the messages of generateText, or the prompt of a language model of version v3.',
    details: { path },
  });
}
