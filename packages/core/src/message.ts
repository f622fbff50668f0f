import { z } from 'zod';
import { VarveError } from './errors.ts';
import { firstIssue } from './first-issue.ts';
import type { JsonValue } from './json-value.ts';
import { mostReportedTokens } from './reported-tokens.ts';
import { requireJson, storableJson } from './storable-json.ts';

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

/** The parts of a message, with the check of the values inside it that are any JSON. */
function schemaWith(isJson: (value: unknown) => boolean): z.ZodType<Message> {
  const jsonValue = z.custom<JsonValue>(isJson, { error: 'it is not JSON' });
  const providerOptions = z
    .custom<ProviderOptions>((value) => isJson(value) && isRecordOfRecords(value), {
      error: 'it must hold an object of JSON for each provider',
    })
    .optional();
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
  const named = { toolCallId: z.string(), toolName: z.string(), providerOptions };
  const toolCallPart = z.object({ type: z.literal('tool-call'), input: jsonValue, ...named });
  const userPart = z.discriminatedUnion('type', [textPart, imagePart, filePart]);
  const toolOutput = z.discriminatedUnion('type', [
    z.object({ type: z.enum(['text', 'error-text']), value: z.string() }),
    z.object({ type: z.enum(['json', 'error-json']), value: jsonValue }),
    z.object({ type: z.literal('content'), value: z.array(userPart) }),
  ]);
  const toolResultPart = z.object({ type: z.literal('tool-result'), output: toolOutput, ...named });
  const assistantPart = z.discriminatedUnion('type', [textPart, reasoningPart, toolCallPart, filePart]);
  return z.discriminatedUnion('role', [
    z.object({ role: z.literal('system'), content: z.string() }),
    z.object({ role: z.literal('user'), content: z.union([z.string(), z.array(userPart)]) }),
    z.object({
      role: z.literal('assistant'),
      content: z.union([z.string(), z.array(assistantPart)]),
      stop: z.enum(['stop', 'length', 'tool-calls', 'content-filter', 'error', 'aborted', 'other']).optional(),
    }),
    z.object({ role: z.literal('tool'), content: z.array(toolResultPart) }),
  ]);
}

function isRecordOfRecords(value: unknown): boolean {
  const isRecord = (one: unknown): boolean => typeof one === 'object' && one !== null && !Array.isArray(one);
  return isRecord(value) && Object.values(value as object).every(isRecord);
}

/** Runtime check of {@link Message}, used where messages cross a border. Unknown fields are allowed and kept. */
export const messageSchema: z.ZodType<Message> = schemaWith((value) => storableJson(value).why === undefined);

const storedMessageSchema = schemaWith((value) => value !== undefined);

/** Whether a value out of JSON has the shape of a {@link Message}. */
export function isStoredMessage(value: unknown): value is Message {
  return storedMessageSchema.safeParse(value).success;
}

/**
 * The frozen copy of a message that can be stored, whatever the value does when it is read.
 *
 * @throws VARVE_MESSAGE_INVALID  with the path of what is wrong.
 */
export function requireMessage(given: unknown): Message {
  const fix = 'Give { role, content } as the type Message describes it.';
  return requireShape<Message>(given, { schema: storedMessageSchema, what: 'message', fix });
}

const provenanceSchema: z.ZodType<Provenance> = z.object({
  kind: z.enum(['user', 'system-event', 'subagent', 'inter-session', 'model', 'tool', 'plugin']),
  channel: z.string().optional(),
  senderId: z.string().optional(),
  sessionKey: z.string().optional(),
  tool: z.string().optional(),
  completionId: z.string().optional(),
  jobId: z.string().optional(),
});

const reported = z.number().nonnegative().max(mostReportedTokens);
const usageSchema: z.ZodType<Usage> = z.object({
  inputTokens: reported,
  outputTokens: reported,
  cacheReadTokens: reported.optional(),
  cacheWriteTokens: reported.optional(),
});

/** The frozen copy of a provenance. @throws VARVE_MESSAGE_INVALID  with the path of what is wrong. */
export function requireProvenance(given: unknown): Provenance {
  return requireShape<Provenance>(given, {
    schema: provenanceSchema,
    what: 'provenance',
    fix: 'Give { kind: "user" }, or another kind of the type Provenance.',
  });
}

/** The frozen copy of a usage. @throws VARVE_MESSAGE_INVALID  with the path of what is wrong. */
export function requireUsage(given: unknown): Usage {
  return requireShape<Usage>(given, {
    schema: usageSchema,
    what: 'usage',
    fix: 'Give { inputTokens, outputTokens } as the provider reported them, numbers from 0, or no usage.',
  });
}

function requireShape<Shape>(
  given: unknown,
  { schema, what, fix }: { readonly schema: z.ZodType; readonly what: string; readonly fix: string },
): Shape {
  const value = requireJson(given, { code: 'VARVE_MESSAGE_INVALID', what: `The ${what}`, fix });
  const result = schema.safeParse(value);
  if (result.success) return value as Shape;
  const { path, why } = firstIssue(result.error);
  throw new VarveError('VARVE_MESSAGE_INVALID', `The ${what} is not valid at ${path}: ${why}`, {
    fix,
    details: { path },
  });
}

/** Provenance of a message whose host named none: by its role. */
export function defaultProvenance(message: Message): Provenance {
  if (message.role === 'assistant') return { kind: 'model' };
  if (message.role === 'tool') return { kind: 'tool' };
  return { kind: message.role === 'system' ? 'system-event' : 'user' };
}

/** True for the user's own words: not a tool's, a plugin's, another session's, nor an event in the user's place. */
export function isOfUser({
  message,
  provenance,
}: {
  readonly message: Message;
  readonly provenance: Provenance;
}): boolean {
  return message.role === 'user' && provenance.kind === 'user';
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
