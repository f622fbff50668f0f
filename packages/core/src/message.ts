import { z } from 'zod';
import type { JsonValue } from './json-value.ts';

/** Data that only one provider understands (a thinking signature, say), by provider name. Kept byte for byte. */
export type ProviderOptions = { readonly [provider: string]: { readonly [option: string]: JsonValue } };

interface PartBase {
  /** Provider data of this part; core never looks inside. */
  readonly providerOptions?: ProviderOptions | undefined;
}

/** Plain text. */
export interface TextPart extends PartBase {
  readonly type: 'text';
  readonly text: string;
}

/** A model's visible reasoning. Its signature, if any, is in `providerOptions`. */
export interface ReasoningPart extends PartBase {
  readonly type: 'reasoning';
  readonly text: string;
}

/** An image: base64 data, or a URL. */
export interface ImagePart extends PartBase {
  readonly type: 'image';
  readonly image: string;
  readonly mediaType?: string | undefined;
}

/** A file: base64 data, or a URL. */
export interface FilePart extends PartBase {
  readonly type: 'file';
  readonly data: string;
  readonly mediaType: string;
  readonly filename?: string | undefined;
}

/** A model's request to run a tool. `input` is the parsed arguments. */
export interface ToolCallPart extends PartBase {
  readonly type: 'tool-call';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: JsonValue;
}

/** What a tool gave back. `content` mixes text, images and files. */
export type ToolOutput =
  | { readonly type: 'text' | 'error-text'; readonly value: string }
  | { readonly type: 'json' | 'error-json'; readonly value: JsonValue }
  | { readonly type: 'content'; readonly value: readonly (TextPart | ImagePart | FilePart)[] };

/** The answer to one {@link ToolCallPart}, joined by `toolCallId`. */
export interface ToolResultPart extends PartBase {
  readonly type: 'tool-result';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly output: ToolOutput;
}

/** Why a model stopped. */
export type StopReason = 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'error' | 'aborted' | 'other';

/** Instructions of the host. */
export interface SystemMessage {
  readonly role: 'system';
  readonly content: string;
}

/** What a person, or a program on a person's side, says. */
export interface UserMessage {
  readonly role: 'user';
  readonly content: string | readonly (TextPart | ImagePart | FilePart)[];
}

/** What the model says and asks for. */
export interface AssistantMessage {
  readonly role: 'assistant';
  readonly content: string | readonly (TextPart | ReasoningPart | ToolCallPart | FilePart)[];
  readonly stop?: StopReason | undefined;
}

/** Results of tool calls of the assistant message before. */
export interface ToolMessage {
  readonly role: 'tool';
  readonly content: readonly ToolResultPart[];
}

/**
 * One message, provider-neutral and JSON only: structurally a subset of the AI SDK's `ModelMessage`.
 * Binary data is a base64 string or a URL.
 */
export type Message = SystemMessage | UserMessage | AssistantMessage | ToolMessage;

/** Any part of any message. */
export type MessagePart = TextPart | ReasoningPart | ImagePart | FilePart | ToolCallPart | ToolResultPart;

/** Where a message came from. It is data beside the message, never a marker inside its text. */
export interface Provenance {
  readonly kind: 'user' | 'system-event' | 'subagent' | 'inter-session' | 'model' | 'tool' | 'plugin';
  readonly channel?: string | undefined;
  readonly senderId?: string | undefined;
  readonly sessionKey?: string | undefined;
  readonly tool?: string | undefined;
  readonly completionId?: string | undefined;
  readonly jobId?: string | undefined;
}

/** What a provider reported about one model call. Missing numbers were not reported. */
export interface Usage {
  /** Prompt tokens that were neither read from nor written to a cache. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens?: number | undefined;
  readonly cacheWriteTokens?: number | undefined;
}

const jsonValue: z.ZodType<JsonValue> = z.json() as unknown as z.ZodType<JsonValue>;
const providerOptions = z.record(z.string(), z.record(z.string(), jsonValue)).optional();
const textPart = z.object({ type: z.literal('text'), text: z.string(), providerOptions });
const reasoningPart = z.object({ type: z.literal('reasoning'), text: z.string(), providerOptions });
const imagePart = z.object({
  type: z.literal('image'),
  image: z.string(),
  mediaType: z.string().optional(),
  providerOptions,
});
const filePart = z.object({
  type: z.literal('file'),
  data: z.string(),
  mediaType: z.string(),
  filename: z.string().optional(),
  providerOptions,
});
const toolCallPart = z.object({
  type: z.literal('tool-call'),
  toolCallId: z.string(),
  toolName: z.string(),
  input: jsonValue,
  providerOptions,
});
const toolOutput: z.ZodType<ToolOutput> = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['text', 'error-text']), value: z.string() }),
  z.object({ type: z.enum(['json', 'error-json']), value: jsonValue }),
  z.object({
    type: z.literal('content'),
    value: z.array(z.discriminatedUnion('type', [textPart, imagePart, filePart])),
  }),
]);
const toolResultPart = z.object({
  type: z.literal('tool-result'),
  toolCallId: z.string(),
  toolName: z.string(),
  output: toolOutput,
  providerOptions,
});

/** Runtime check of {@link Message}, used where messages cross a border. Unknown fields are allowed and kept. */
export const messageSchema: z.ZodType<Message> = z.discriminatedUnion('role', [
  z.object({ role: z.literal('system'), content: z.string() }),
  z.object({
    role: z.literal('user'),
    content: z.union([z.string(), z.array(z.discriminatedUnion('type', [textPart, imagePart, filePart]))]),
  }),
  z.object({
    role: z.literal('assistant'),
    content: z.union([
      z.string(),
      z.array(z.discriminatedUnion('type', [textPart, reasoningPart, toolCallPart, filePart])),
    ]),
    stop: z.enum(['stop', 'length', 'tool-calls', 'content-filter', 'error', 'aborted', 'other']).optional(),
  }),
  z.object({ role: z.literal('tool'), content: z.array(toolResultPart) }),
]);

/** Runtime check of {@link Provenance}. */
export const provenanceSchema: z.ZodType<Provenance> = z.object({
  kind: z.enum(['user', 'system-event', 'subagent', 'inter-session', 'model', 'tool', 'plugin']),
  channel: z.string().optional(),
  senderId: z.string().optional(),
  sessionKey: z.string().optional(),
  tool: z.string().optional(),
  completionId: z.string().optional(),
  jobId: z.string().optional(),
});

/** Provenance of a message whose host named none: by its role. */
export function defaultProvenance(message: Message): Provenance {
  if (message.role === 'assistant') return { kind: 'model' };
  if (message.role === 'tool') return { kind: 'tool' };
  return { kind: message.role === 'system' ? 'system-event' : 'user' };
}

/** The parts of a message; a plain string is one text part, and an empty string none. */
export function partsOfMessage(message: Message): readonly MessagePart[] {
  if (typeof message.content !== 'string') return message.content;
  return message.content === '' ? [] : [{ type: 'text', text: message.content }];
}

/** The tool calls of a message, in order; none unless it is the assistant's. */
export function toolCallsOfMessage(message: Message): readonly ToolCallPart[] {
  if (message.role !== 'assistant' || typeof message.content === 'string') return [];
  return message.content.filter((part) => part.type === 'tool-call');
}
