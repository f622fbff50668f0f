import { assistantBlocks, userMessages } from './read-claude-code.mjs';
import { newestPath } from './read-pi.mjs';

const types = ['user', 'assistant', 'tool_use', 'tool_result'];
const closing = ['user', 'tool_result', 'compaction'];
const idFields = ['tool_use_id', 'toolUseId', 'tool_call_id', 'toolCallId', 'call_id', 'callId'];

/** True for an entry of a tree whose type says what it is. */
export function isTypedLine({ id, parentId, type }) {
  return typeof id === 'string' && (typeof parentId === 'string' || parentId === null) && types.includes(type);
}

/**
 * One conversation out of the path to the newest entry. Calls that follow what the model said, or open an answer, are
 * one message with it, and one call of the model.
 *
 * @returns {import('./read-source.mjs').SourceItem}
 */
export function typedLinesItem(lines) {
  const messages = [];
  const calls = [];
  /** Calls that no result has answered, with the id of their line. */
  let waiting = [];
  let open = null;
  const speak = (line, blocks) => {
    open = { where: `line:${line}`, role: 'assistant', blocks };
    calls.push(messages.length);
    messages.push(open);
  };
  for (const { line, value } of newestPath(lines)) {
    const where = `line:${line}`;
    const content = contentOf(value);
    if (closing.includes(value.type)) open = null;
    if (value.type === 'user') messages.push(...userMessages({ message: { content } }, where));
    if (value.type === 'assistant') speak(line, assistantBlocks(content) ?? []);
    if (value.type === 'tool_use') {
      if (open === null) speak(line, []);
      const call = callOf(value);
      waiting.push({ call, lineId: value.id });
      open.blocks.push(call);
    }
    if (value.type === 'tool_result') {
      const named = idOf(value);
      const asked =
        named === undefined ? waiting[0] : waiting.find(({ call, lineId }) => [call.id, lineId].includes(named));
      waiting = waiting.filter((one) => one !== asked);
      messages.push({ where, role: 'tool', blocks: [resultOf(value, asked?.call.id ?? named ?? 'unknown')] });
    }
  }
  return { messages, calls };
}

function contentOf({ message, content, text }) {
  const from = typeof message === 'object' && message !== null ? message : { content, text };
  return from.content ?? from.text;
}

function idOf(value) {
  return idFields.map((field) => value[field]).find((id) => typeof id === 'string');
}

function callOf(value) {
  const name = value.name ?? value.toolName ?? value.tool;
  return { type: 'call', id: idOf(value) ?? value.id, name, input: value.input ?? value.arguments ?? value.args ?? {} };
}

function resultOf(value, id) {
  const output = value.output ?? value.content ?? value.result ?? '';
  const isError = value.is_error === true || value.isError === true || typeof value.error === 'string';
  const content = typeof output === 'string' || Array.isArray(output) ? output : JSON.stringify(output);
  const [message] = userMessages({ message: { content: [{ type: 'tool_result', tool_use_id: id, content }] } }, '');
  return { ...message.blocks[0], failed: isError };
}
