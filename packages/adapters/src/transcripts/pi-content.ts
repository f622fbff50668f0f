import type { AssistantMessage, ImagePart, JsonValue, ReasoningPart, TextPart, ToolCallPart } from '@varve/core';
import { isArray, isObject, type JsonObject, numberAt, stringAt, valueAt } from './json-guards.ts';

type AssistantPart = Exclude<AssistantMessage['content'], string>[number];

/** Parts of a user's or a tool's message, and what in it is no known part. */
export interface PiContent {
  readonly parts: readonly (TextPart | ImagePart)[];
  readonly unknown: readonly JsonValue[];
}

/** Parts of a user's or a tool's message; `null` when it is neither a string nor a list. */
export function userContent(content: JsonValue | undefined): PiContent | null {
  if (typeof content === 'string') return { parts: [{ type: 'text', text: content }], unknown: [] };
  return isArray(content) ? sorted(content, textOrImage) : null;
}

/** Parts of the model's message; `null` when its content is neither a string nor a list. */
export function assistantContent(
  message: JsonObject,
): { readonly parts: readonly AssistantPart[]; readonly unknown: readonly JsonValue[] } | null {
  const content = valueAt(message, 'content');
  if (typeof content === 'string') return { parts: [{ type: 'text', text: content }], unknown: [] };
  const provider = reasoningProvider(stringAt(message, 'api'));
  return isArray(content) ? sorted(content, (block) => assistantPart(block, provider)) : null;
}

/** What pi tells the model about a command that the user ran. */
export function bashText(message: JsonObject): string {
  const output = stringAt(message, 'output') ?? '';
  const shown = output === '' ? '(no output)' : `\`\`\`\n${output}\n\`\`\``;
  const code = numberAt(message, 'exitCode') ?? 0;
  const failed = code === 0 ? '' : `\n\nCommand exited with code ${code}`;
  const ending = valueAt(message, 'cancelled') === true ? '\n\n(command cancelled)' : failed;
  return `Ran \`${stringAt(message, 'command') ?? ''}\`\n${shown}${ending}`;
}

function sorted<Part>(
  content: readonly JsonValue[],
  partOf: (block: JsonObject) => Part | null,
): { parts: Part[]; unknown: JsonValue[] } {
  const parts: Part[] = [];
  const unknown: JsonValue[] = [];
  for (const block of content) {
    const part = isObject(block) ? partOf(block) : null;
    if (part === null) unknown.push(block);
    else parts.push(part);
  }
  return { parts, unknown };
}

function textOrImage(block: JsonObject): TextPart | ImagePart | null {
  const type = stringAt(block, 'type');
  const text = stringAt(block, 'text');
  if (type === 'text') return text === undefined ? null : { type, text };
  const image = stringAt(block, 'data');
  if (type !== 'image' || image === undefined) return null;
  const mediaType = stringAt(block, 'mimeType');
  return { type, image, ...(mediaType === undefined ? {} : { mediaType }) };
}

function assistantPart(block: JsonObject, provider: string): AssistantPart | null {
  const type = stringAt(block, 'type');
  if (type === 'text') {
    const text = stringAt(block, 'text');
    return text === undefined ? null : { type, text };
  }
  if (type === 'thinking') return reasoningPart(block, provider);
  return type === 'toolCall' ? toolCallPart(block) : null;
}

function toolCallPart(block: JsonObject): ToolCallPart | null {
  const toolCallId = stringAt(block, 'id');
  const toolName = stringAt(block, 'name');
  if (toolCallId === undefined || toolName === undefined) return null;
  return { type: 'tool-call', toolCallId, toolName, input: valueAt(block, 'arguments') ?? {} };
}

function reasoningPart(block: JsonObject, provider: string): ReasoningPart | null {
  const text = stringAt(block, 'thinking');
  const signature = stringAt(block, 'thinkingSignature') ?? '';
  if (text === undefined) return null;
  if (signature === '') return { type: 'reasoning', text };
  const isRedacted = valueAt(block, 'redacted') === true;
  if (!isRedacted) return { type: 'reasoning', text, providerOptions: { [provider]: { signature } } };
  return { type: 'reasoning', text: '', providerOptions: { [provider]: { redactedData: signature } } };
}

/** A signature means something to the provider alone that gave it; old files name only Anthropic's. */
function reasoningProvider(api: string | undefined): string {
  if (api === undefined || api.startsWith('anthropic')) return 'anthropic';
  return api.startsWith('openai') ? 'openai' : api;
}
