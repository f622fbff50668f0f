/** Who speaks in a message. */
export const roles = ['system', 'developer', 'user', 'assistant', 'tool', 'function'];

/**
 * One conversation out of messages in the form of OpenAI. `observed` marks what a tool said in the user's place, `meta`
 * a demonstration, for which no model was called.
 *
 * @param {{ where: string, value: object, observed?: boolean, meta?: boolean }[]} sources
 * @returns {import('./read-source.mjs').SourceItem}
 */
export function openAiItem(sources) {
  const messages = [];
  const calls = [];
  const idByName = new Map();
  for (const { where, value, ...marks } of sources) {
    if (!roles.includes(value?.role)) continue;
    const message = value.role === 'assistant' ? spoken(value, where) : heard(value, idByName);
    if (message === null) continue;
    for (const block of message.blocks) if (block.type === 'call') idByName.set(block.name, block.id);
    if (message.role === 'assistant' && marks.meta !== true) calls.push(messages.length);
    messages.push({ where, ...message, ...marks });
  }
  return { messages, calls };
}

function heard({ role, content, tool_call_id, name }, idByName) {
  const blocks = partsOf(content);
  if (blocks === null) return null;
  if (role === 'user') return { role, blocks };
  const texts = blocks.filter((block) => block.type === 'text').map((block) => block.text);
  if (role === 'system' || role === 'developer') {
    return { role: 'system', blocks: [{ type: 'text', text: texts.join('\n') }] };
  }
  const id = tool_call_id || idByName.get(name) || 'unknown';
  return { role: 'tool', blocks: [{ type: 'result', id, texts, media: blocks.length - texts.length, failed: false }] };
}

function spoken(value, where) {
  const reasoning = value.reasoning_content || value.reasoning;
  const visible = (partsOf(value.content) ?? []).filter((block) => block.type === 'text');
  const calls = (value.tool_calls ?? []).flatMap((call, index) => callBlock(call, `${where}:${index + 1}`));
  const legacy = value.function_call ? callBlock({ function: value.function_call }, where) : [];
  const blocks = [
    ...(reasoning ? [{ type: 'thinking', text: reasoning, required: false }] : []),
    ...visible,
    ...(value.refusal ? [{ type: 'text', text: value.refusal }] : []),
    ...calls,
    ...legacy,
  ];
  return { role: 'assistant', blocks };
}

function partsOf(content) {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.flatMap(partOf) : null;
}

function partOf(part) {
  const text = part?.text ?? part?.refusal;
  if (typeof text === 'string') return [{ type: 'text', text }];
  return ['image_url', 'input_audio', 'file'].includes(part?.type) ? [{ type: 'media' }] : [];
}

function callBlock(call, fallbackId) {
  const target = call?.function ?? call?.custom;
  if (typeof target?.name !== 'string') return [];
  const input = call.function ? argumentsOf(target.arguments) : (target.input ?? '');
  return [{ type: 'call', id: call.id || fallbackId, name: target.name, input }];
}

/** Arguments are JSON in a string; what the model wrote wrongly stays a string. */
function argumentsOf(value) {
  if (typeof value !== 'string') return value ?? {};
  if (value.trim() === '') return {};
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
