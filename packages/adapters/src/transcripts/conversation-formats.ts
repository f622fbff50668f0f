import type { JsonValue } from '@varve/core';
import { anthropicMessages } from './anthropic-messages.ts';
import type { ConversationFormat, ConversationPlace } from './conversation-format.ts';
import type { FormatReader } from './format-reader.ts';
import { filledStringAt, isArray, isObject, type JsonObject, typeNameOf } from './json-guards.ts';
import { isMessage } from './message-dialect.ts';
import { miniSweAgent } from './mini-swe-agent.ts';
import { openAiMessages } from './openai-messages.ts';
import { sweAgent } from './swe-agent.ts';
import { tauBench } from './tau-bench.ts';
import { textActions } from './text-actions.ts';
import type { TranscriptRecord } from './transcript-record.ts';

/** Every kind of conversations, in the order in which they are asked: the last takes what has messages at all. */
export const conversationFormats: readonly ConversationFormat[] = [
  tauBench,
  sweAgent,
  miniSweAgent,
  textActions,
  anthropicMessages,
  openAiMessages,
];

/** The kind of a conversation; `undefined` for a value that is none. */
export function conversationFormatOf(value: JsonValue | undefined): ConversationFormat | undefined {
  return isObject(value) ? conversationFormats.find((format) => format.recognises(value)) : undefined;
}

/**
 * Conversations that one JSON document holds: a list of messages is one, an object that has one is one, and in a list
 * of objects every element is. `null` when there is none.
 */
export function conversationsOf(document: JsonValue): readonly JsonValue[] | null {
  if (!isArray(document)) return conversationFormatOf(document) === undefined ? null : [document];
  if (document.some(isMessage)) return [{ messages: document }];
  return document.some((value) => conversationFormatOf(value) !== undefined) ? document : null;
}

/** The records of one conversation, from the one that begins it. What is no conversation is one unknown record. */
export function conversationRecords(
  value: JsonValue,
  { item, line }: ConversationPlace & { readonly item: number },
): readonly TranscriptRecord[] {
  const format = conversationFormatOf(value);
  const begin = { kind: 'item', line: line ?? 1, item } as const;
  if (format === undefined || !isObject(value)) {
    return [begin, { kind: 'unknown', line: line ?? 1, type: typeNameOf(value), data: value }];
  }
  return [{ ...begin, title: format.title?.(value) ?? titleOf(value) }, ...format.records(value, { line })];
}

/** Reads one conversation a line; what stands between them is unknown. */
export function conversationReader(): FormatReader {
  let item = 0;
  return {
    read({ line, value }) {
      if (conversationFormatOf(value) === undefined) {
        return [{ kind: 'unknown', line, type: typeNameOf(value), data: value }];
      }
      item += 1;
      return conversationRecords(value, { item, line });
    },
    end: () => [],
  };
}

function titleOf(conversation: JsonObject): string | undefined {
  const titles = ['title', 'id', 'instance_id'].map((key) => filledStringAt(conversation, key));
  return titles.find((title) => title !== undefined);
}
