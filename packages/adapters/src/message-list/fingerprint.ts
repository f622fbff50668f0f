import {
  type FilePart,
  type ImagePart,
  type Message,
  type MessagePart,
  partsOfMessage,
  type ToolOutput,
} from '@varve/core';
import { sortedJson } from '../sorted-json.ts';
import { textHash } from '../text-hash.ts';

/**
 * A short name of what a message says: the same for every form in which a host may hand it over. Left out is what
 * hosts change without anybody having said anything else: provider options, reasoning, and how a text is put into parts.
 */
export function fingerprintOf(message: Message): string {
  const parts = partsOfMessage(message);
  const said = parts.flatMap(saidBy);
  const text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  const whole = sortedJson([message.role, text, said]);
  return `${textHash(whole)}${whole.length.toString(36)}`;
}

/** What a part says beside text. */
function saidBy(part: MessagePart): readonly unknown[] {
  switch (part.type) {
    case 'image':
    case 'file':
      return [['media', dataOf(part)]];
    case 'tool-call':
      return [['call', part.toolCallId, part.toolName, part.input]];
    case 'tool-result':
      return [['result', part.toolCallId, part.output.type.startsWith('error'), ...saidByOutput(part.output)]];
    default:
      return [];
  }
}

/** A text is the same whether it comes alone or as the one part of a list. */
function saidByOutput({ type, value }: ToolOutput): readonly unknown[] {
  if (type !== 'content') return [value];
  const text = value.map((part) => (part.type === 'text' ? part.text : '')).join('');
  return [text, ...value.flatMap((part) => (part.type === 'text' ? [] : [dataOf(part)]))];
}

function dataOf(part: ImagePart | FilePart): string {
  return part.type === 'image' ? part.image : part.data;
}
