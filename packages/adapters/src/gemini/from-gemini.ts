import type { AssistantMessage, ModelReply, StopReason, ToolDefinition, Usage } from '@varve/core';
import { readAnswer } from '../border.ts';
import { jsonOf } from '../json-of.ts';
import { textHash } from '../text-hash.ts';
import { tokenCount } from '../token-count.ts';
import { ownFunctionNames } from './function-name.ts';
import { type Fields, fieldsOf, keepData } from './kept-data.ts';
import type { GeminiReply } from './reply.ts';

/** Options of {@link fromGemini}. */
export interface FromGeminiOptions {
  /** The tools that were offered: calls get their own names back. @default none, names stay as they came */
  readonly tools?: readonly Pick<ToolDefinition, 'name'>[];
}

type Spoken = Exclude<AssistantMessage['content'], string>[number];

const stopReasons: Readonly<Record<string, StopReason>> = {
  STOP: 'stop',
  MAX_TOKENS: 'length',
  MALFORMED_FUNCTION_CALL: 'error',
  UNEXPECTED_TOOL_CALL: 'error',
  SAFETY: 'content-filter',
  RECITATION: 'content-filter',
  BLOCKLIST: 'content-filter',
  PROHIBITED_CONTENT: 'content-filter',
  SPII: 'content-filter',
  IMAGE_SAFETY: 'content-filter',
};

/**
 * Reads a whole answer: its first candidate. Signatures are kept with their parts, and parts of kinds that no part of
 * ours stands for go back as they came with `toGemini`. A call without an id gets one, which is not sent back.
 *
 * @throws VARVE_MODEL_FAILED  for what is no answer.
 */
export function fromGemini(reply: GeminiReply, { tools = [] }: FromGeminiOptions = {}): ModelReply {
  return readAnswer('generateContent', () => {
    const { candidates = [], promptFeedback, usageMetadata, responseId } = reply;
    const [candidate] = candidates;
    if (candidate === undefined && promptFeedback === undefined) throw new Error('it holds no candidate');
    const parts = candidate?.content?.parts ?? [];
    const ownName = ownFunctionNames(tools);
    const prefix = responseId ?? textHash(JSON.stringify(parts));
    const content = parts.map((part, index) =>
      partOf(fieldsOf(jsonOf(part, 'parts')), { ownName, id: `${prefix}-${index}` }),
    );
    const hasCalls = content.some(({ type }) => type === 'tool-call');
    const stop = candidate === undefined ? 'content-filter' : stopOf(candidate.finishReason, hasCalls);
    return { message: { role: 'assistant', content, stop }, usage: usageOf(usageMetadata) };
  });
}

function stopOf(reason: string | undefined, hasCalls: boolean): StopReason {
  const stop = stopReasons[reason ?? ''] ?? 'other';
  return stop === 'stop' && hasCalls ? 'tool-calls' : stop;
}

function partOf(
  part: Fields,
  { ownName, id: madeUp }: { readonly ownName: (wire: string) => string; readonly id: string },
): Spoken {
  const { text, thought, thoughtSignature, functionCall, inlineData, ...others } = part;
  const signature = typeof thoughtSignature === 'string' ? { thoughtSignature } : {};
  const isAlone = Object.keys(others).length === 0;
  if (typeof text === 'string' && isAlone)
    return { type: thought === true ? 'reasoning' : 'text', text, ...keepData(signature) };
  const { id, name, args } = fieldsOf(functionCall);
  if (typeof name === 'string') {
    const hasId = typeof id === 'string' && id !== '';
    const kept = hasId ? { ...signature, hasOwnId: true as const } : signature;
    return {
      type: 'tool-call',
      toolCallId: hasId ? id : madeUp,
      toolName: ownName(name),
      input: args ?? {},
      ...keepData(kept),
    };
  }
  const { mimeType, data } = fieldsOf(inlineData);
  if (typeof mimeType === 'string' && typeof data === 'string')
    return { type: 'file', data, mediaType: mimeType, ...keepData(signature) };
  return { type: 'text', text: '', ...keepData({ part }) };
}

function usageOf(metadata: GeminiReply['usageMetadata']): Usage | null {
  const { promptTokenCount, cachedContentTokenCount, candidatesTokenCount, thoughtsTokenCount } = metadata ?? {};
  const all = tokenCount(promptTokenCount);
  if (all === undefined) return null;
  const cacheReadTokens = tokenCount(cachedContentTokenCount);
  const outputTokens = (tokenCount(candidatesTokenCount) ?? 0) + (tokenCount(thoughtsTokenCount) ?? 0);
  return {
    inputTokens: Math.max(0, all - (cacheReadTokens ?? 0)),
    outputTokens,
    ...(cacheReadTokens === undefined ? {} : { cacheReadTokens }),
  };
}
