import type { JsonValue } from '@varve/core';
import { arrayAt, filledStringAt, isArray, isObject, type JsonObject, stringAt, valueAt } from './json-guards.ts';

const roles: ReadonlySet<string> = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);

const openAiRoles: ReadonlySet<string> = new Set(['developer', 'tool', 'function']);
const openAiBlocks: ReadonlySet<string> = new Set(['image_url', 'input_audio', 'input_text', 'output_text', 'refusal']);

const anthropicBlocks: ReadonlySet<string> = new Set([
  'tool_use',
  'tool_result',
  'thinking',
  'redacted_thinking',
  'server_tool_use',
]);
/** Kinds that both know, told apart by the field that holds them. */
const sourceBlocks: ReadonlySet<string> = new Set(['image', 'document']);

/** True for one message with a role and a content, in the form of OpenAI or Anthropic. */
export function isMessage(value: JsonValue | undefined): boolean {
  if (!isObject(value) || (stringAt(value, 'type') ?? 'message') !== 'message') return false;
  const hasContent = ['content', 'tool_calls'].some((key) => valueAt(value, key) !== undefined);
  return hasContent && roles.has(stringAt(value, 'role') ?? '');
}

/** Whose form a list of messages has: the first message that only one of them writes decides. `null` when none does. */
export function dialectOf(messages: readonly JsonValue[]): 'openai' | 'anthropic' | null {
  for (const message of messages) {
    const dialect = isObject(message) && isMessage(message) ? dialectOfMessage(message) : null;
    if (dialect !== null) return dialect;
  }
  return null;
}

function dialectOfMessage(message: JsonObject): 'openai' | 'anthropic' | null {
  const hasCalls = arrayAt(message, 'tool_calls').length > 0 || isObject(valueAt(message, 'function_call'));
  if (hasCalls || openAiRoles.has(stringAt(message, 'role') ?? '')) return 'openai';
  const content = valueAt(message, 'content');
  const blocks = isArray(content) ? content.filter((block) => isObject(block)) : [];
  if (blocks.some((block) => openAiBlocks.has(stringAt(block, 'type') ?? ''))) return 'openai';
  if (blocks.some(isAnthropicBlock)) return 'anthropic';
  const isResponse = filledStringAt(message, 'stop_reason') !== undefined && stringAt(message, 'type') === 'message';
  return isResponse ? 'anthropic' : null;
}

function isAnthropicBlock(block: JsonObject): boolean {
  const type = stringAt(block, 'type') ?? '';
  return anthropicBlocks.has(type) || (sourceBlocks.has(type) && isObject(valueAt(block, 'source')));
}
