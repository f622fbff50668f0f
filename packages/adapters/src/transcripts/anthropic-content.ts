import type {
  AssistantMessage,
  FilePart,
  ImagePart,
  JsonValue,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolMessage,
  ToolOutput,
  UserMessage,
} from '@varve/core';
import { filledStringAt, isArray, isObject, type JsonObject, objectAt, stringAt, valueAt } from './json-guards.ts';
import type { RecentMap } from './recent-map.ts';
import { outputOfParts } from './tool-output.ts';

/** A part of an assistant's message. */
export type AssistantPart = Exclude<AssistantMessage['content'], string>[number];

/** What a tool gave back, before its name is known. */
interface AnthropicResult {
  readonly toolCallId: string;
  readonly output: ToolOutput;
}

/** A user's message taken apart. `unknown` is what is no part that is known. */
export interface AnthropicUserContent {
  readonly results: readonly AnthropicResult[];
  readonly parts: readonly (TextPart | ImagePart | FilePart)[];
  readonly unknown: readonly JsonValue[];
}

/** Takes the content of a user's message apart; `null` when it is neither a string nor a list. */
export function userContent(content: JsonValue | undefined): AnthropicUserContent | null {
  if (typeof content === 'string') return { results: [], parts: [{ type: 'text', text: content }], unknown: [] };
  if (!isArray(content)) return null;
  const results: AnthropicResult[] = [];
  const parts: (TextPart | ImagePart | FilePart)[] = [];
  const unknown: JsonValue[] = [];
  for (const block of content) {
    const part = visiblePart(block);
    const result = part === null ? toolResult(block) : null;
    if (part !== null) parts.push(part);
    else if (result === null) unknown.push(block);
    else {
      results.push({ toolCallId: result.toolCallId, output: result.output });
      unknown.push(...result.unknown);
    }
  }
  return { results, parts, unknown };
}

/** The messages that one of a user stands for: results first, then what the user said. `tools` names tools by call. */
export function userMessages(
  { results, parts }: AnthropicUserContent,
  tools: Pick<RecentMap<string>, 'get'>,
): readonly (ToolMessage | UserMessage)[] {
  const answers = results.map(({ toolCallId, output }) => {
    return { type: 'tool-result', toolCallId, toolName: tools.get(toolCallId) ?? 'unknown', output } as const;
  });
  return [
    ...(answers.length > 0 ? [{ role: 'tool', content: answers } as const] : []),
    ...(parts.length > 0 ? [{ role: 'user', content: parts } as const] : []),
  ];
}

/** Takes the content of an assistant's message apart; `null` when it is neither a string nor a list. */
export function assistantContent(
  content: JsonValue | undefined,
): { readonly parts: readonly AssistantPart[]; readonly unknown: readonly JsonValue[] } | null {
  if (typeof content === 'string') return { parts: [{ type: 'text', text: content }], unknown: [] };
  if (!isArray(content)) return null;
  const parts: AssistantPart[] = [];
  const unknown: JsonValue[] = [];
  for (const block of content) {
    const part = isObject(block) ? assistantPart(block) : null;
    if (part === null) unknown.push(block);
    else parts.push(part);
  }
  return { parts, unknown };
}

function assistantPart(block: JsonObject): AssistantPart | null {
  const type = stringAt(block, 'type');
  if (type === 'text') return textPart(block);
  if (type === 'thinking') return thinkingPart(block);
  if (type === 'redacted_thinking') return redactedPart(block);
  return type === 'tool_use' ? toolCallPart(block) : null;
}

function textPart(block: JsonObject): TextPart | null {
  const text = stringAt(block, 'text');
  return text === undefined ? null : { type: 'text', text };
}

function thinkingPart(block: JsonObject): ReasoningPart | null {
  const text = stringAt(block, 'thinking');
  const signature = filledStringAt(block, 'signature');
  if (text === undefined) return null;
  if (signature === undefined) return { type: 'reasoning', text };
  return { type: 'reasoning', text, providerOptions: { anthropic: { signature } } };
}

function redactedPart(block: JsonObject): ReasoningPart | null {
  const redactedData = stringAt(block, 'data');
  if (redactedData === undefined) return null;
  return { type: 'reasoning', text: '', providerOptions: { anthropic: { redactedData } } };
}

function toolCallPart(block: JsonObject): ToolCallPart | null {
  const toolCallId = stringAt(block, 'id');
  const toolName = stringAt(block, 'name');
  if (toolCallId === undefined || toolName === undefined) return null;
  return { type: 'tool-call', toolCallId, toolName, input: valueAt(block, 'input') ?? {} };
}

function visiblePart(block: JsonValue): TextPart | ImagePart | FilePart | null {
  if (!isObject(block)) return null;
  const type = stringAt(block, 'type');
  if (type === 'text') return textPart(block);
  if (type === 'image') return imagePart(objectAt(block, 'source'));
  return type === 'document' ? documentPart(block) : null;
}

function imagePart(source: JsonObject): ImagePart | null {
  const image = filledStringAt(source, 'data') ?? filledStringAt(source, 'url');
  const mediaType = filledStringAt(source, 'media_type');
  if (image === undefined) return null;
  return { type: 'image', image, ...(mediaType === undefined ? {} : { mediaType }) };
}

/** A document of plain text is text; others are files. */
function documentPart(block: JsonObject): FilePart | TextPart | null {
  const source = objectAt(block, 'source');
  const data = filledStringAt(source, 'data') ?? filledStringAt(source, 'url');
  if (data === undefined) return null;
  if (stringAt(source, 'type') === 'text') return { type: 'text', text: data };
  const filename = filledStringAt(block, 'title');
  const mediaType = filledStringAt(source, 'media_type') ?? 'application/pdf';
  return { type: 'file', data, mediaType, ...(filename === undefined ? {} : { filename }) };
}

function toolResult(block: JsonValue): (AnthropicResult & { readonly unknown: readonly JsonValue[] }) | null {
  if (!isObject(block) || stringAt(block, 'type') !== 'tool_result') return null;
  const toolCallId = stringAt(block, 'tool_use_id');
  if (toolCallId === undefined) return null;
  const content = valueAt(block, 'content');
  const blocks = isArray(content) ? content : [];
  const parts = blocks.map((one) => visiblePart(one)).filter((part) => part !== null);
  const unknown = blocks.filter((one) => visiblePart(one) === null);
  const isError = valueAt(block, 'is_error') === true;
  if (isArray(content)) return { toolCallId, output: outputOfParts(parts, isError), unknown };
  const text = typeof content === 'string' ? content : '';
  const unread = typeof content === 'string' || content === undefined || content === null ? [] : [content];
  return { toolCallId, output: { type: isError ? 'error-text' : 'text', value: text }, unknown: unread };
}
