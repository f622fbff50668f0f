import type { JsonValue } from '@varve/core';
import { type ConversationFormat, listWith } from './conversation-format.ts';
import { arrayAt, filledStringAt, isObject, type JsonObject, numberAt, objectAt, stringAt } from './json-guards.ts';
import { isMessage } from './message-dialect.ts';
import { asObservations, hasAnswer } from './observation.ts';
import { openAiMessageReader, sourceOf } from './openai-messages.ts';
import type { TranscriptRecord } from './transcript-record.ts';

/** How an observation begins, in the files that have no name of a format in them. */
const observation = /^<returncode>-?\d+<\/returncode>/;

/**
 * Trajectories of mini-swe-agent: a list of messages, alone or beside `trajectory_format`. Nobody speaks after the
 * task: behind the first answer, what stands in the user's place is an observation.
 */
export const miniSweAgent: ConversationFormat = {
  id: 'mini-swe-agent',
  recognises(conversation) {
    const messages = listWith(conversation, 'messages', isMessage);
    if (messages.length === 0) return false;
    if (stringAt(conversation, 'trajectory_format')?.startsWith('mini-swe-agent') === true) return true;
    const first = messages.findIndex((value) => isObject(value) && stringAt(value, 'role') === 'assistant');
    return first !== -1 && messages.slice(first).some(isObservation);
  },
  records(conversation, { line }) {
    const config = objectAt(objectAt(conversation, 'info'), 'config');
    const read = openAiMessageReader({ model: filledStringAt(objectAt(config, 'model'), 'model_name') });
    let hasActed = false;
    return arrayAt(conversation, 'messages').flatMap((value, index) => {
      const records = timed(read(sourceOf(value, { index, line })), value);
      const acted = hasActed;
      hasActed ||= hasAnswer(records);
      return acted ? asObservations(records) : records;
    });
  },
};

function isObservation(value: JsonValue): boolean {
  return isObject(value) && stringAt(value, 'role') === 'user' && observation.test(stringAt(value, 'content') ?? '');
}

/** The time of a message stands beside it, in seconds. */
function timed(records: readonly TranscriptRecord[], value: JsonValue): readonly TranscriptRecord[] {
  const extra: JsonObject = isObject(value) ? objectAt(value, 'extra') : {};
  const seconds = numberAt(extra, 'timestamp');
  if (seconds === undefined) return records;
  return records.map((record) => (record.kind === 'message' ? { ...record, at: Math.round(seconds * 1000) } : record));
}
