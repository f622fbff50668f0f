import { anthropicItem, isAnthropic } from './read-anthropic.mjs';
import { openAiItem, roles } from './read-openai.mjs';

/** How mini-swe-agent begins what a command gave. */
const returnCode = /^<returncode>-?\d+<\/returncode>/;

/** How actions that are written as text are answered. */
const textResult = /^(OBSERVATION:|EXECUTION RESULT of \[)/;

/** Roles of rows that hold a run of SWE-agent. */
const rowRoles = { system: 'system', user: 'user', ai: 'assistant' };

/**
 * The conversations of a JSON document: a list of messages, an object with one, or a list of such objects, each of
 * which is one item. The format is that of the first conversation.
 *
 * @returns {{ format: string, items: import('./read-source.mjs').SourceItem[] } | null} `null` for no conversation.
 */
export function readDocument(document) {
  if (typeof document !== 'object' || document === null) return null;
  const isOne = !Array.isArray(document) || document.some(isMessage);
  const read = (isOne ? [document] : document).map(readConversation);
  const format = read.find((one) => one.format !== null)?.format;
  return format === undefined ? null : { format, items: read.map(({ item }) => item) };
}

/** The messages of a conversation, wherever it has them; `null` for none. */
export function messagesOf(conversation) {
  if (Array.isArray(conversation)) return conversation;
  const { traj, history, trajectory, messages } = conversation ?? {};
  return [traj, history, trajectory, messages].find(Array.isArray) ?? null;
}

function readConversation(conversation) {
  const { traj, history, trajectory, messages: own } = conversation ?? {};
  if (hasMessages(traj)) return { format: 'tau-bench', item: openAiItem(traj.map(withPosition)) };
  if (hasMessages(history)) return { format: 'swe-agent', item: openAiItem(withObservations(history.map(withAgent))) };
  if (Array.isArray(trajectory)) return { format: 'swe-agent', item: openAiItem(trajectoryOf(conversation)) };
  const messages = Array.isArray(conversation) ? conversation : own;
  if (!hasMessages(messages)) return { format: null, item: { messages: [], calls: [] } };
  const placed = messages.map(withPosition);
  if (isMini(conversation, messages)) return { format: 'mini-swe-agent', item: openAiItem(withObservations(placed)) };
  const answersText = messages.map((_, index) => isTextAction(messages[index - 1]));
  if (messages.some((one, index) => answersText[index] && one?.role === 'user' && textResult.test(one.content))) {
    const sources = placed.map((one, index) => (answersText[index] ? { ...one, observed: true } : one));
    return { format: 'text-actions', item: openAiItem(sources) };
  }
  const { system } = conversation;
  if (isAnthropic(messages, system)) return { format: 'anthropic-messages', item: anthropicItem(placed, system) };
  return { format: 'openai-messages', item: openAiItem(placed) };
}

function isMessage(value) {
  if (!roles.includes(value?.role)) return false;
  return Object.hasOwn(value, 'content') || Object.hasOwn(value, 'tool_calls');
}

function hasMessages(list) {
  return Array.isArray(list) && list.some(isMessage);
}

function withPosition(value, index) {
  return { where: `message:${index + 1}`, value };
}

/** Marks what the user's side says once the model has spoken: it is what came of its actions. */
function withObservations(sources) {
  const first = sources.findIndex(({ value, meta }) => value?.role === 'assistant' && meta !== true);
  const isObservation = ({ value, meta }, index) => first !== -1 && index > first && value?.role === 'user' && !meta;
  return sources.map((one, index) => (isObservation(one, index) ? { ...one, observed: true } : one));
}

function withAgent(value, index) {
  const id = value?.tool_call_id ?? value?.tool_call_ids?.[0];
  const marks = value?.is_demo === true ? { meta: true } : {};
  return { ...withPosition(value?.role === 'tool' ? { ...value, tool_call_id: id } : value, index), ...marks };
}

/** Rows with roles of their own, or steps of which each has what the model said and what came of it. */
function trajectoryOf({ trajectory }) {
  const isRow = (row) => Object.hasOwn(rowRoles, row?.role ?? '');
  if (trajectory.some(isRow)) {
    const rows = trajectory.map((row) => ({ role: rowRoles[row?.role], content: row?.text ?? row?.system_prompt }));
    return withObservations(rows.map(withPosition));
  }
  const asked = trajectory[0]?.query ?? trajectory[0]?.messages ?? [];
  const end = asked.findIndex(({ role }) => role === 'assistant');
  const query = asked.slice(0, end === -1 ? asked.length : end);
  const steps = trajectory.flatMap(({ response, observation }, index) => [
    { where: `message:${index + 1}`, value: { role: 'assistant', content: response } },
    { where: `message:${index + 1}.2`, value: { role: 'user', content: observation }, observed: true },
  ]);
  return [...query.map((value, index) => ({ where: `query:${index + 1}`, value })), ...steps];
}

function isMini({ trajectory_format: format }, messages) {
  if (typeof format === 'string' && format.startsWith('mini-swe-agent')) return true;
  const first = messages.findIndex((one) => one?.role === 'assistant');
  const behind = first === -1 ? [] : messages.slice(first);
  return behind.some((one) => one?.role === 'user' && returnCode.test(one.content));
}

function isTextAction(message) {
  return message?.role === 'assistant' && typeof message.content === 'string' && message.content.includes('<function=');
}
