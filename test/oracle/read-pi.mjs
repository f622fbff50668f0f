/** Roles that stand for what an extension said to the model. */
const extensionRoles = ['custom', 'hookMessage'];

/** What OpenClaw itself says in the model's place. */
const mirrorModels = ['delivery-mirror', 'gateway-injected'];

/**
 * One conversation out of the lines of a session of pi. Every message of the assistant is one call of the model, also
 * one that failed before anything was said, but not one that OpenClaw wrote itself.
 *
 * @returns {import('./read-source.mjs').SourceItem}
 */
export function piItem(lines) {
  const header = lines.find(({ value }) => value.type === 'session')?.value;
  const isTree = header === undefined ? lines.some(({ value }) => 'parentId' in value) : header.version >= 2;
  const messages = [];
  const calls = [];
  for (const { line, value } of isTree ? newestPath(lines) : lines) {
    const message = messageOf(value);
    if (message === null) continue;
    const { provider, model } = value.message ?? {};
    const isMirror = provider === 'openclaw' && mirrorModels.includes(model);
    if (message.role === 'assistant' && !isMirror) calls.push(messages.length);
    messages.push({ where: `line:${line}`, ...message });
  }
  return { messages, calls };
}

/**
 * The lines of a tree from its root to the entry that was written last. A line without an id belongs to the entry
 * before it; an entry whose parent is not named, or not known, follows the one before it.
 */
export function newestPath(lines) {
  const entries = [];
  for (const one of lines) {
    const { type, id } = one.value;
    if (type === 'session') continue;
    if (typeof id === 'string') entries.push({ ...one.value, at: entries.length, lines: [one] });
    else entries.at(-1)?.lines.push(one);
  }
  const path = [];
  for (let entry = entries.at(-1); entry !== undefined; entry = parentOf(entry, entries)) path.unshift(...entry.lines);
  return path;
}

function parentOf({ id, parentId, at }, entries) {
  if (parentId === null) return undefined;
  const earlier = entries.slice(0, at);
  const named = parentId === id ? undefined : earlier.findLast((entry) => entry.id === parentId);
  return named ?? earlier.at(-1);
}

function messageOf({ type, content, message }) {
  if (type === 'custom_message') return said(content, { meta: true });
  if (type !== 'message') return null;
  const { role } = message ?? {};
  if (role === 'user') return said(message.content, isOwn(message) ? {} : { observed: true });
  if (extensionRoles.includes(role)) return said(message.content, { meta: true });
  if (role === 'toolResult') return result(message);
  if (role === 'bashExecution' && message.excludeFromContext !== true) return shellCommand(message);
  if (role !== 'assistant') return null;
  const blocks = listOf(message.content)?.flatMap(assistantBlock);
  return blocks === undefined ? null : { role, blocks };
}

/** OpenClaw marks what other sessions and the system say in the user's place. */
function isOwn({ provenance }) {
  return !['inter_session', 'internal_system'].includes(provenance?.kind);
}

function listOf(content) {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content : undefined;
}

function said(content, extra) {
  const blocks = listOf(content)?.flatMap(visibleBlock);
  return blocks === undefined ? null : { role: 'user', blocks, ...extra };
}

function visibleBlock(block) {
  if (block?.type === 'text' && typeof block.text === 'string') return [{ type: 'text', text: block.text }];
  return block?.type === 'image' ? [{ type: 'media' }] : [];
}

function result({ toolCallId, content, isError }) {
  const blocks = listOf(content)?.flatMap(visibleBlock);
  if (blocks === undefined) return null;
  const texts = blocks.filter((block) => block.type === 'text').map((block) => block.text);
  const media = blocks.length - texts.length;
  return { role: 'tool', blocks: [{ type: 'result', id: toolCallId, texts, media, failed: isError === true }] };
}

/** The user ran a command: the model is told the command and what came of it, in words of the reader's choice. */
function shellCommand({ command = '', output = '' }) {
  return {
    role: 'user',
    meta: true,
    blocks: [{ type: 'text', text: `${command}\n${output}`, all: [command, output] }],
  };
}

function assistantBlock(block) {
  if (block?.type === 'text') return [{ type: 'text', text: block.text }];
  if (block?.type === 'thinking') return [{ type: 'thinking', text: block.thinking, required: false }];
  if (block?.type !== 'toolCall') return [];
  return [{ type: 'call', id: block.id, name: block.name, input: block.arguments ?? {} }];
}
