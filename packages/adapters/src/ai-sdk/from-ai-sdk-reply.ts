import type { AssistantMessage, ModelReply, ProviderOptions, StopReason, Usage } from '@varve/core';
import { readAnswer } from '../border.ts';
import { readArguments } from '../call-input.ts';
import { jsonOf } from '../json-of.ts';
import { tokenCount } from '../token-count.ts';
import { type Fields, fieldsOf } from './kept-data.ts';
import type { AiSdkPart } from './messages.ts';
import { type Spoken, spokenPart } from './parts.ts';
import type { AiSdkReply, AiSdkUsage } from './reply.ts';

const stopReasons: Readonly<Record<string, StopReason>> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content-filter',
  'tool-calls': 'tool-calls',
  error: 'error',
};

/**
 * Reads a whole answer of a language model of the AI SDK. Metadata of providers, such as signatures of reasoning, become
 * options of the parts; sources are left out, as the AI SDK itself leaves them out of the next prompt.
 *
 * @throws VARVE_MODEL_FAILED  for what is no answer.
 */
export function fromAiSdkReply(reply: AiSdkReply): ModelReply {
  return readAnswer('a language model of the AI SDK', () => {
    const message: AssistantMessage = {
      role: 'assistant',
      content: reply.content.flatMap(partsOf),
      stop: stopReasons[reply.finishReason?.unified ?? ''] ?? 'other',
    };
    return { message, usage: usageOf(reply.usage) };
  });
}

function partsOf(given: AiSdkPart, index: number): readonly Spoken[] {
  const path = `content.${index}`;
  const { providerMetadata, ...part } = given as AiSdkPart & Fields;
  const { type, text } = part;
  if (type === 'source' || (type === 'text' && text === '')) return [];
  const sent = { ...part, ...(providerMetadata === undefined ? {} : { providerOptions: providerMetadata }) };
  if (type === 'tool-call') return [callOf(sent, path)];
  return [spokenPart(type === 'tool-result' ? resultSent(sent) : sent, path)];
}

/** The arguments of a call come as text; what is no JSON is kept, and marked. */
function callOf(part: AiSdkPart & Fields, path: string): Spoken {
  const { input: text } = part;
  const { input, providerOptions } = typeof text === 'string' ? readArguments(text) : { input: text ?? {} };
  const call = spokenPart({ ...part, input } as AiSdkPart, path);
  const options: ProviderOptions = { ...call.providerOptions, ...providerOptions };
  return Object.keys(options).length === 0 ? call : { ...call, providerOptions: options };
}

/** A result of a tool that the provider has run, as the next prompt has it. */
function resultSent({ result, isError, ...part }: AiSdkPart & Fields): AiSdkPart {
  const value = jsonOf(result ?? null, 'result');
  const kind = typeof value === 'string' ? 'text' : 'json';
  return { ...part, output: { type: isError === true ? `error-${kind}` : kind, value } } as AiSdkPart;
}

function usageOf(usage: AiSdkUsage | undefined): Usage | null {
  const { total, noCache, cacheRead, cacheWrite } = fieldsOf(usage?.inputTokens);
  const [cacheReadTokens, cacheWriteTokens] = [tokenCount(cacheRead), tokenCount(cacheWrite)];
  const all = tokenCount(total);
  const fresh = all === undefined ? undefined : all - (cacheReadTokens ?? 0) - (cacheWriteTokens ?? 0);
  const inputTokens = tokenCount(noCache) ?? tokenCount(fresh);
  const { total: said } = fieldsOf(usage?.outputTokens);
  const outputTokens = tokenCount(said);
  if (inputTokens === undefined || outputTokens === undefined) return null;
  return {
    inputTokens,
    outputTokens,
    ...(cacheReadTokens === undefined ? {} : { cacheReadTokens }),
    ...(cacheWriteTokens === undefined ? {} : { cacheWriteTokens }),
  };
}
