import type { StopReason, Usage } from '@varve/core';
import { countAt, type JsonObject, objectAt, stringAt } from './json-guards.ts';
import type { ModelCall } from './transcript-record.ts';

const stopReasons: ReadonlyMap<string, StopReason> = new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['tool_use', 'tool-calls'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'content-filter'],
  ['pause_turn', 'other'],
]);

/** Why a message of Anthropic's ended. */
export function stopReasonOf(message: JsonObject): StopReason | undefined {
  return stopReasons.get(stringAt(message, 'stop_reason') ?? '');
}

/** What Anthropic says that a call used; `undefined` when it does not say both sides. */
export function usageOf(usage: JsonObject): Usage | undefined {
  const inputTokens = countAt(usage, 'input_tokens');
  const outputTokens = countAt(usage, 'output_tokens');
  if (inputTokens === undefined || outputTokens === undefined) return undefined;
  const cacheReadTokens = countAt(usage, 'cache_read_input_tokens');
  const cacheWriteTokens = countAt(usage, 'cache_creation_input_tokens');
  return { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens };
}

/** How long what a call wrote to the cache is kept. The longer life counts when it wrote both kinds. */
export function cacheWriteTtl(usage: JsonObject): ModelCall['cacheWriteTtl'] {
  const written = objectAt(usage, 'cache_creation');
  if ((countAt(written, 'ephemeral_1h_input_tokens') ?? 0) > 0) return '1h';
  return (countAt(written, 'ephemeral_5m_input_tokens') ?? 0) > 0 ? '5m' : undefined;
}
