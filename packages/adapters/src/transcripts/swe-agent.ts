import type { JsonValue } from '@varve/core';
import { type ConversationFormat, listWith } from './conversation-format.ts';
import { arrayAt, filledStringAt, isObject, type JsonObject, stringAt, valueAt } from './json-guards.ts';
import { isMessage } from './message-dialect.ts';
import { asObservations, hasAnswer } from './observation.ts';
import { type MessageSource, openAiMessageReader, sourceOf } from './openai-messages.ts';
import type { TranscriptRecord } from './transcript-record.ts';

/** A message in the form of OpenAI, made from one of SWE-agent's. */
interface Turn extends Omit<MessageSource, 'line'> {
  readonly position: number;
  /** Part of the example that the model is shown: nobody said it in this conversation. */
  readonly isDemo: boolean;
}

/**
 * Trajectories of SWE-agent: `history` is the conversation; where it is missing, it is put together from the steps of
 * `trajectory`. Rows of published data sets have the messages themselves in `trajectory`, with `text` for content.
 *
 * Nobody speaks after the task: behind the first answer, what stands in the user's place is an observation.
 */
export const sweAgent: ConversationFormat = {
  id: 'swe-agent',
  recognises: (conversation) => turnsOf(conversation).length > 0,
  records(conversation, { line }) {
    const read = openAiMessageReader({ model: filledStringAt(conversation, 'model_name') });
    let hasActed = false;
    return turnsOf(conversation).flatMap(({ value, key, position, isDemo }) => {
      const records = read({ value, key, line: line ?? position });
      if (isDemo) return asDemonstration(records);
      const acted = hasActed;
      hasActed ||= hasAnswer(records);
      return acted ? asObservations(records) : records;
    });
  },
};

function turnsOf(conversation: JsonObject): readonly Turn[] {
  const history = listWith(conversation, 'history', isMessage);
  if (history.length > 0) return history.map((value, index) => turnOf(withCallId(value), index));
  const rows = listWith(conversation, 'trajectory', isRow);
  if (rows.length > 0) return rows.map((value, index) => turnOf(rowMessage(value), index));
  return turnsOfSteps(listWith(conversation, 'trajectory', isStep));
}

function turnOf(value: JsonValue, index: number): Turn {
  const { line, ...source } = sourceOf(value, { index });
  return { ...source, position: line, isDemo: isObject(value) && valueAt(value, 'is_demo') === true };
}

/** A result names its call in a list, of which there is never more than one. */
function withCallId(value: JsonValue): JsonValue {
  if (!isObject(value) || stringAt(value, 'role') !== 'tool') return value;
  const [id] = arrayAt(value, 'tool_call_ids');
  return typeof id === 'string' ? ({ tool_call_id: id, ...value } as JsonValue) : value;
}

function isRow(value: JsonObject): boolean {
  return rowMessage(value as JsonValue) !== value;
}

function rowMessage(value: JsonValue): JsonValue {
  const role = isObject(value) ? stringAt(value, 'role') : undefined;
  if (!isObject(value) || role === undefined || !['system', 'user', 'ai'].includes(role)) return value;
  const content = stringAt(value, 'text') ?? stringAt(value, 'system_prompt');
  return content === undefined ? value : { role: role === 'ai' ? 'assistant' : role, content };
}

function isStep(value: JsonObject): boolean {
  return stringAt(value, 'response') !== undefined && 'observation' in value;
}

/** What the first step was asked with, then the answer and the observation of each: `message:3` and `message:3.2`. */
function turnsOfSteps(steps: readonly JsonValue[]): readonly Turn[] {
  const [first] = steps.filter((step) => isObject(step));
  if (first === undefined) return [];
  const asked = [...arrayAt(first, 'query'), ...arrayAt(first, 'messages')];
  const answer = asked.findIndex((value) => isObject(value) && stringAt(value, 'role') === 'assistant');
  const task = asked.slice(0, answer === -1 ? asked.length : answer).map((value, index): Turn => {
    return { ...turnOf(value, index), key: `query:${index + 1}` };
  });
  const acts = steps.flatMap((step, index): Turn[] => {
    if (!isObject(step) || !isStep(step)) return [turnOf(step, index)];
    const spoken = turnOf({ role: 'assistant', content: stringAt(step, 'response') ?? '' }, index);
    const observation = stringAt(step, 'observation');
    const observed = turnOf({ role: 'user', content: observation ?? '' }, index);
    return observation === undefined ? [spoken] : [spoken, { ...observed, key: `${observed.key}.2` }];
  });
  return [...task, ...acts];
}

function asDemonstration(records: readonly TranscriptRecord[]): readonly TranscriptRecord[] {
  return records.map((record) => {
    if (record.kind !== 'message' || record.message.role === 'tool') return record;
    const { call: _shown, ...rest } = record;
    return { ...rest, provenance: { kind: 'system-event' } };
  });
}
