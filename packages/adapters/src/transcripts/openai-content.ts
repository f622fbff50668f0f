import type { AssistantMessage, FilePart, ImagePart, JsonValue, TextPart, ToolCallPart } from '@varve/core';
import {
  arrayAt,
  deepestNesting,
  filledStringAt,
  isArray,
  isDeeperThan,
  isObject,
  type JsonObject,
  objectAt,
  stringAt,
  valueAt,
} from './json-guards.ts';

type AssistantPart = Exclude<AssistantMessage['content'], string>[number];

/** Parts of a message, and what in it is no known part. */
export interface OpenAiContent {
  readonly parts: readonly (TextPart | ImagePart | FilePart)[];
  readonly unknown: readonly JsonValue[];
}

/** Parts of any message but the model's; `null` when the content is neither a string nor a list. */
export function contentOf(content: JsonValue | undefined): OpenAiContent | null {
  return sorted(content, partOf);
}

/** Parts of the model's message: reasoning, text, calls. Ids that are missing are made up from `idPrefix`. */
export function assistantContent(
  message: JsonObject,
  idPrefix: string,
): { readonly parts: readonly AssistantPart[]; readonly unknown: readonly JsonValue[] } {
  const reasoning = filledStringAt(message, 'reasoning_content') ?? filledStringAt(message, 'reasoning');
  const refusal = filledStringAt(message, 'refusal');
  const content = sorted(valueAt(message, 'content'), spokenPart) ?? { parts: [], unknown: [] };
  const calls = arrayAt(message, 'tool_calls').map((call, index) => toolCall(call, `${idPrefix}:${index + 1}`));
  const legacy = functionCall(objectAt(message, 'function_call'), idPrefix);
  return {
    parts: [
      ...(reasoning === undefined ? [] : [{ type: 'reasoning', text: reasoning } as const]),
      ...content.parts.filter((part) => part.type !== 'text' || part.text !== ''),
      ...(refusal === undefined ? [] : [{ type: 'text', text: refusal } as const]),
      ...calls.filter((call) => call !== null),
      ...(legacy === null ? [] : [legacy]),
    ],
    unknown: [...content.unknown, ...arrayAt(message, 'tool_calls').filter((_, index) => calls[index] === null)],
  };
}

function sorted<Part extends TextPart | ImagePart | FilePart>(
  content: JsonValue | undefined,
  read: (block: JsonObject) => Part | TextPart | null,
): { readonly parts: readonly (Part | TextPart)[]; readonly unknown: readonly JsonValue[] } | null {
  if (typeof content === 'string') return { parts: [{ type: 'text', text: content }], unknown: [] };
  if (!isArray(content)) return null;
  const parts: (Part | TextPart)[] = [];
  const unknown: JsonValue[] = [];
  for (const block of content) {
    const part = isObject(block) ? read(block) : null;
    if (part === null) unknown.push(block);
    else parts.push(part);
  }
  return { parts, unknown };
}

/** The neutral form has no place for an image of the model's. */
function spokenPart(block: JsonObject): TextPart | FilePart | null {
  const part = partOf(block);
  return part?.type === 'image' ? null : part;
}

function toolCall(call: JsonValue, fallbackId: string): ToolCallPart | null {
  if (!isObject(call)) return null;
  const part = functionCall(objectAt(call, 'function'), filledStringAt(call, 'id') ?? fallbackId);
  if (part !== null) return part;
  const custom = objectAt(call, 'custom');
  const toolName = stringAt(custom, 'name');
  if (toolName === undefined) return null;
  const toolCallId = filledStringAt(call, 'id') ?? fallbackId;
  return { type: 'tool-call', toolCallId, toolName, input: valueAt(custom, 'input') ?? '' };
}

function functionCall(call: JsonObject, toolCallId: string): ToolCallPart | null {
  const toolName = stringAt(call, 'name');
  if (toolName === undefined) return null;
  return { type: 'tool-call', toolCallId, toolName, input: argumentsOf(valueAt(call, 'arguments')) };
}

/** Arguments are JSON in a string; what the model wrote wrongly stays the string that it is. */
function argumentsOf(value: JsonValue | undefined): JsonValue {
  if (typeof value !== 'string') return value ?? {};
  if (value.trim() === '') return {};
  try {
    const parsed: JsonValue = JSON.parse(value);
    return isDeeperThan(parsed, deepestNesting) ? value : parsed;
  } catch {
    return value;
  }
}

function partOf(block: JsonObject): TextPart | ImagePart | FilePart | null {
  const text = stringAt(block, 'text') ?? stringAt(block, 'refusal');
  switch (stringAt(block, 'type')) {
    case 'text':
    case 'input_text':
    case 'output_text':
    case 'refusal':
      return text === undefined ? null : { type: 'text', text };
    case 'image_url': {
      const url = filledStringAt(objectAt(block, 'image_url'), 'url') ?? filledStringAt(block, 'image_url');
      return url === undefined ? null : { type: 'image', image: url };
    }
    case 'input_audio':
      return audioPart(objectAt(block, 'input_audio'));
    case 'file':
      return filePart(objectAt(block, 'file'));
    default:
      return null;
  }
}

function audioPart(audio: JsonObject): FilePart | null {
  const data = filledStringAt(audio, 'data');
  return data === undefined
    ? null
    : { type: 'file', data, mediaType: `audio/${filledStringAt(audio, 'format') ?? 'wav'}` };
}

function filePart(file: JsonObject): FilePart | null {
  const data = filledStringAt(file, 'file_data');
  const filename = filledStringAt(file, 'filename');
  if (data === undefined) return null;
  const mediaType = /^data:([^;,]+)/.exec(data)?.[1] ?? 'application/pdf';
  return { type: 'file', data, mediaType, ...(filename === undefined ? {} : { filename }) };
}
