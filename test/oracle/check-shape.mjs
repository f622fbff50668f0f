import { isVisible } from './body-stream.mjs';

const acceptedId = /^[a-zA-Z0-9_-]+$/;
const acceptedName = /^[a-zA-Z0-9_-]{1,128}$/;
const mostMarks = 4;

/**
 * What no provider would take, whatever the conversation was: empty content, roles that do not alternate, calls and
 * results that do not pair.
 *
 * @returns {{ kind: string, what: string }[]}
 */
export function checkShape(body) {
  const messages = body?.messages;
  if (!Array.isArray(messages) || messages.length === 0) return [{ kind: 'empty', what: 'the body has no messages' }];
  const malformed = messages.findIndex(({ content }) => !Array.isArray(content) || content.length === 0);
  if (malformed !== -1) return [{ kind: 'empty', what: `message ${malformed + 1} has no content` }];
  return [
    ...emptyTexts(body),
    ...alternation(messages),
    ...messages.flatMap((_, index) => pairs(messages, index)),
    ...ids(messages),
    ...marks(body),
  ];
}

function emptyTexts({ system = [], messages }) {
  const blocks = [...system, ...messages.flatMap((message) => message.content)];
  const nested = blocks.flatMap((block) => (Array.isArray(block.content) ? block.content : []));
  const empty = [...blocks, ...nested].filter((block) => block.type === 'text' && !isVisible(block.text ?? ''));
  return empty.map(() => ({ kind: 'empty', what: 'a text block has nothing in it' }));
}

function alternation(messages) {
  const found = [];
  if (messages[0].role !== 'user') found.push({ kind: 'alternation', what: `begins with ${messages[0].role}` });
  messages.forEach(({ role }, index) => {
    const before = messages[index - 1]?.role;
    if (role === before)
      found.push({ kind: 'alternation', what: `messages ${index} and ${index + 1} are both ${role}` });
  });
  return found;
}

/** Calls of one message against the results that stand first in the next. */
function pairs(messages, index) {
  const { role, content } = messages[index];
  const found = [];
  const add = (what) => found.push({ kind: 'pairing', what: `message ${index + 1}: ${what}` });
  const calls = content.filter((block) => block.type === 'tool_use').map((block) => block.id);
  const results = content.filter((block) => block.type === 'tool_result').map((block) => block.tool_use_id);
  if (role === 'user' && calls.length > 0) add('the user calls a tool');
  if (role === 'assistant' && results.length > 0) add('the assistant answers a call');
  const firstOther = content.findIndex((block) => block.type !== 'tool_result');
  if (firstOther !== -1 && content.slice(firstOther).some((block) => block.type === 'tool_result')) {
    add('a result stands behind other content');
  }
  const asked = (messages[index - 1]?.content ?? []).filter((block) => block.type === 'tool_use');
  const askedIds = new Set(messages[index - 1]?.role === 'assistant' ? asked.map((block) => block.id) : []);
  for (const id of results) if (!askedIds.has(id)) add(`the result ${id} has no call right before it`);
  for (const id of askedIds) {
    const answers = results.filter((result) => result === id).length;
    if (answers !== 1) add(`the call ${id} has ${answers} results`);
  }
  if (index === messages.length - 1 && calls.length > 0) add('calls without results end the body');
  return found;
}

function ids(messages) {
  const calls = messages.flatMap((message) => message.content.filter((block) => block.type === 'tool_use'));
  const seen = new Set();
  return calls.flatMap(({ id, name, input }) => {
    const found = [];
    if (seen.has(id)) found.push({ kind: 'pairing', what: `two calls have the id ${id}` });
    seen.add(id);
    if (!acceptedId.test(id ?? '')) found.push({ kind: 'shape', what: `the id "${id}" has characters not accepted` });
    if (!acceptedName.test(name ?? '')) found.push({ kind: 'shape', what: `the tool name "${name}" is not accepted` });
    if (typeof input !== 'object' || input === null || Array.isArray(input)) {
      found.push({ kind: 'shape', what: `the input of ${id} is no object` });
    }
    return found;
  });
}

function marks({ system = [], messages }) {
  const blocks = [...system, ...messages.flatMap((message) => message.content)];
  const marked = blocks.filter((block) => block.cache_control !== undefined);
  if (marked.length > mostMarks)
    return [{ kind: 'shape', what: `${marked.length} cache marks; ${mostMarks} are taken` }];
  const onThinking = marked.some((block) => block.type === 'thinking' || block.type === 'redacted_thinking');
  return onThinking ? [{ kind: 'shape', what: 'a cache mark on reasoning' }] : [];
}
