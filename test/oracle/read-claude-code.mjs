/** What Claude Code itself says in the model's place; no model was called for it. */
const syntheticModel = '<synthetic>';

/**
 * One conversation out of the lines of a session. Lines of one message id, as long as no other message of the
 * assistant comes between, are one message; what stood between them comes after it. Lines of side chains belong to
 * another conversation, unless every line does.
 *
 * @returns {import('./read-source.mjs').SourceItem}
 */
export function claudeCodeItem(lines) {
  const spoken = lines.filter(({ value }) => value.type === 'user' || value.type === 'assistant');
  const isSideChain = spoken.every(({ value }) => value.isSidechain === true);
  const own = spoken.filter(({ value }) => isSideChain || value.isSidechain !== true);
  const messages = [];
  const calls = [];
  const seen = new Set();
  let open = null;
  for (const { line, value } of own) {
    if (value.type === 'user') {
      if (value.isCompactSummary !== true) messages.push(...userMessages(value, `line:${line}`));
      continue;
    }
    const blocks = assistantBlocks(value.message?.content);
    if (blocks === null) continue;
    const { id, model } = value.message;
    if (open !== null && id && open.id === id) {
      open.message.blocks.push(...blocks);
      continue;
    }
    open = { id, message: { where: `line:${line}`, role: 'assistant', blocks } };
    if (model !== syntheticModel && !(id && seen.has(id))) calls.push(messages.length);
    if (id) seen.add(id);
    messages.push(open.message);
  }
  return { messages, calls };
}

/** The results, then what was said: one line may hold both. */
export function userMessages({ message, isMeta }, where) {
  const content = message?.content;
  const list = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  if (!Array.isArray(list)) return [];
  const results = list.filter((block) => block?.type === 'tool_result').map(resultBlock);
  const said = list.flatMap(visibleBlock);
  const found = [
    ...(results.length > 0 ? [{ role: 'tool', blocks: results }] : []),
    ...(said.length > 0 ? [{ role: 'user', blocks: said, ...(isMeta === true ? { meta: true } : {}) }] : []),
  ];
  return found.map((one, index) => ({ where: index === 0 ? where : `${where}.${index + 1}`, ...one }));
}

function visibleBlock(block) {
  if (block?.type === 'text' && typeof block.text === 'string') return [{ type: 'text', text: block.text }];
  if (block?.type === 'document' && block.source?.type === 'text') return [{ type: 'text', text: block.source.data }];
  const hasData = Boolean(block?.source?.data || block?.source?.url);
  return (block?.type === 'image' || block?.type === 'document') && hasData ? [{ type: 'media' }] : [];
}

function resultBlock({ tool_use_id, content, is_error }) {
  const blocks = Array.isArray(content) ? content.flatMap(visibleBlock) : [];
  const texts = blocks.filter((block) => block.type === 'text').map((block) => block.text);
  return {
    type: 'result',
    id: tool_use_id,
    texts: typeof content === 'string' ? [content] : texts,
    media: blocks.length - texts.length,
    failed: is_error === true,
  };
}

/** What the model said; `null` for what is no content. */
export function assistantBlocks(content) {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.flatMap(assistantBlock) : null;
}

function assistantBlock(block) {
  if (block?.type === 'text') return [{ type: 'text', text: block.text }];
  if (block?.type === 'tool_use') return [{ type: 'call', id: block.id, name: block.name, input: block.input ?? {} }];
  if (block?.type === 'thinking') {
    return [{ type: 'thinking', text: block.thinking, required: Boolean(block.signature && block.thinking) }];
  }
  return block?.type === 'redacted_thinking' ? [{ type: 'thinking', text: block.data, required: false }] : [];
}
