import { type Message, partsOfMessage, type ToolResultPart, textOfOutput, VarveError } from '@varve/core';
import { fingerprintOf } from './fingerprint.ts';
import type { ListedMessage } from './listed-message.ts';

/** What a message, or one result of a message of results, is compared by. */
export interface Said {
  readonly role: Message['role'];
  /** The call that a result answers; `null` for anything else. */
  readonly resultOf: string | null;
  /** Ids of the calls that an answer makes. */
  readonly callIds: readonly string[];
  /** Length of what a result says, in UTF-16 code units; 0 for anything else. */
  readonly resultChars: number;
}

/** A message of a list; one of results has become one unit a result, since hosts put them into messages as they like. */
export interface ListUnit extends Said {
  readonly message: Message;
  readonly fingerprint: string;
  readonly given: ListedMessage;
}

/** A list in the parts that are compared with a journal. */
interface ListParts {
  /** The system messages at its front. */
  readonly system: readonly string[];
  readonly units: readonly ListUnit[];
}

/** Takes a list apart. Messages without content are left out. @throws VARVE_MESSAGE_INVALID  for what is no list of messages. */
export function unitsOfList(messages: readonly ListedMessage[]): ListParts {
  if (!Array.isArray(messages)) throw invalid('(root)', 'it is no list');
  messages.forEach(checkListed);
  const first = messages.findIndex(({ message }) => message.role !== 'system');
  const front = first === -1 ? messages.length : first;
  return {
    system: messages.slice(0, front).map(({ message }) => String(message.content)),
    units: messages.slice(front).flatMap((given, index) => unitsOf(given, `${front + index}.message`)),
  };
}

/** The messages that one is stored as. */
export function splitResults(message: Message): readonly Message[] {
  if (message.role !== 'tool') return partsOfMessage(message).length === 0 ? [] : [message];
  return message.content.map((part): Message => ({ ...message, content: [part] }));
}

/** What a message that {@link splitResults} gave is compared by. */
export function saidIn(message: Message): Said {
  const parts = partsOfMessage(message);
  const result = parts.find((part): part is ToolResultPart => part.type === 'tool-result');
  return {
    role: message.role,
    resultOf: result?.toolCallId ?? null,
    callIds: parts.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : [])),
    resultChars: result === undefined ? 0 : textOfOutput(result.output).length,
  };
}

const keyPrefix = 'list:';

/** The key under which a unit is stored: what it says, and the how manieth one that says it. */
export function keyOfUnit(fingerprint: string, occurrence: number): string {
  return `${keyPrefix}${fingerprint}:${occurrence}`;
}

/** Reads a key of {@link keyOfUnit}; `null` for the key of somebody else. */
export function readKey(key: string | undefined): { readonly fingerprint: string; readonly occurrence: number } | null {
  if (key === undefined || !key.startsWith(keyPrefix)) return null;
  const [fingerprint = '', occurrence = ''] = key.slice(keyPrefix.length).split(':');
  return fingerprint === '' || !/^\d+$/.test(occurrence) ? null : { fingerprint, occurrence: Number(occurrence) };
}

function unitsOf(given: ListedMessage, path: string): readonly ListUnit[] {
  try {
    return splitResults(given.message).map((message) => ({
      ...saidIn(message),
      message,
      fingerprint: fingerprintOf(message),
      given,
    }));
  } catch (error) {
    throw invalid(path, 'a part of it is not what its type says', error);
  }
}

const roles: readonly unknown[] = ['system', 'user', 'assistant', 'tool'];

function checkListed(given: unknown, index: number): void {
  const { message } = fieldsOf(given);
  const { role, content } = fieldsOf(message);
  if (!roles.includes(role)) throw invalid(`${index}.message.role`, 'it is no role');
  const isText = typeof content === 'string' && role !== 'tool';
  const isParts = Array.isArray(content) && role !== 'system' && content.every((part) => fieldsOf(part) === part);
  if (!isText && !isParts) throw invalid(`${index}.message.content`, 'it is no content');
}

function fieldsOf(given: unknown): { readonly [field: string]: unknown } {
  return typeof given === 'object' && given !== null ? (given as { readonly [field: string]: unknown }) : {};
}

function invalid(path: string, why: string, cause?: unknown): VarveError {
  return new VarveError('VARVE_MESSAGE_INVALID', `The list of messages is not valid at ${path}: ${why}.`, {
    fix: 'Give { message: { role, content } } for each message, as the type ListedMessage describes it.',
    cause,
    details: { path },
  });
}
