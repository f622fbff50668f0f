import { assistantBlocks, userMessages } from './read-claude-code.mjs';

const ownBlocks = ['tool_use', 'tool_result', 'thinking', 'redacted_thinking', 'server_tool_use'];
const otherRoles = ['tool', 'function', 'developer'];
const otherBlocks = ['image_url', 'input_audio', 'file', 'refusal'];

/** True when the first message that tells the forms apart is one of Anthropic; where none does, a system prompt says so. */
export function isAnthropic(messages, system) {
  const decisive = messages.map(formOf).find((form) => form !== null);
  return decisive === undefined ? textsOf(system).length > 0 : decisive === 'anthropic';
}

/** Whose form a message has: `anthropic`, `openai`, or `null` when it could be either's. */
export function formOf(message) {
  const { role, type, stop_reason: reason, tool_calls: calls, content } = message ?? {};
  if (type === 'message' && reason !== undefined) return 'anthropic';
  const blocks = Array.isArray(content) ? content : [];
  const hasSource = (block) => ['image', 'document'].includes(block?.type) && typeof block.source === 'object';
  if (blocks.some((block) => ownBlocks.includes(block?.type) || hasSource(block))) return 'anthropic';
  if (calls || otherRoles.includes(role)) return 'openai';
  return blocks.some((block) => otherBlocks.includes(block?.type)) ? 'openai' : null;
}

/**
 * One conversation out of messages in the form of Anthropic, with its system prompt in front.
 *
 * @returns {import('./read-source.mjs').SourceItem}
 */
export function anthropicItem(sources, system) {
  const said = textsOf(system);
  const prompt = { where: 'system', role: 'system', blocks: [{ type: 'text', text: said.join('\n') }] };
  const messages = said.length > 0 ? [prompt] : [];
  const calls = [];
  for (const { where, value } of sources) {
    if (value?.role === 'user') messages.push(...userMessages({ message: value }, where));
    if (value?.role === 'system') {
      messages.push({ where, role: 'system', blocks: [{ type: 'text', text: textsOf(value.content).join('\n') }] });
    }
    const blocks = value?.role === 'assistant' ? assistantBlocks(value.content) : null;
    if (blocks === null) continue;
    calls.push(messages.length);
    messages.push({ where, role: 'assistant', blocks });
  }
  return { messages, calls };
}

function textsOf(system) {
  if (typeof system === 'string') return system === '' ? [] : [system];
  if (!Array.isArray(system)) return [];
  return system.map((block) => block?.text).filter((text) => typeof text === 'string');
}
