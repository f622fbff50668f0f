import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AssistantMessage } from '@varve/core';

/** What was acknowledged in a session, in order. */
export interface Acknowledgement {
  readonly system: string;
  readonly users: readonly string[];
  readonly answers: readonly AssistantMessage[];
  /** What tools gave. A call whose answer was cut off is not run, and has a result that says so. */
  readonly results: readonly { readonly toolCallId: string; readonly text: string }[];
}

/** A part of a stored message, as far as it is looked at. */
interface StoredPart {
  readonly type?: string;
  readonly text?: string;
  readonly toolCallId?: string;
  readonly output?: { readonly value?: unknown };
}

interface StoredMessage {
  readonly role: string;
  readonly content: string | readonly StoredPart[];
}

/**
 * Holds the file of a session against what was acknowledged: each message once, in its order, and whole. Reads the file
 * as text and uses nothing of the product.
 *
 * @returns What is wrong; nothing when all is well.
 */
export function judgeJournal(root: string, said: Acknowledgement): readonly string[] {
  const messages = storedMessages(join(root, 'agents', 'main', 'sessions', 's.jsonl'));
  const ofRole = (role: string): readonly StoredMessage[] => messages.filter((message) => message.role === role);
  const given = new Map(said.results.map(({ toolCallId, text }) => [toolCallId, text]));
  const called = said.answers
    .flatMap(partsOf)
    .flatMap(({ type, toolCallId = '' }) => (type === 'tool-call' ? [toolCallId] : []));
  return [
    ...differences('system', [said.system], ofRole('system').map(textOf)),
    ...differences('user', said.users, ofRole('user').map(textOf)),
    ...differences('assistant', said.answers.map(textOf), ofRole('assistant').map(textOf)),
    ...differences(
      'tool',
      called.map((id) => `${id} ${given.get(id) ?? notRun}`).sort(),
      ofRole('tool')
        .flatMap(partsOf)
        .map(({ toolCallId = '', output }) => {
          const value = String(output?.value);
          return `${toolCallId} ${!given.has(toolCallId) && value.startsWith(notRun) ? notRun : value}`;
        })
        .sort(),
    ),
  ];
}

/** How the result of a call begins that was not run. */
const notRun = 'Not run: ';

function partsOf({ content }: StoredMessage | AssistantMessage): readonly StoredPart[] {
  return typeof content === 'string' ? [] : content;
}

function storedMessages(path: string): readonly StoredMessage[] {
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  return lines.flatMap((line) => {
    const { type, message } = JSON.parse(line) as { readonly type?: string; readonly message?: StoredMessage };
    return type === 'message' && message !== undefined ? [message] : [];
  });
}

/** Texts and the ids of calls, in order. */
function textOf({ content }: StoredMessage | AssistantMessage): string {
  if (typeof content === 'string') return content;
  const parts: readonly StoredPart[] = content;
  return parts.map(({ type, text, toolCallId }) => `${type}:${text ?? toolCallId ?? ''}`).join('\n');
}

function differences(role: string, expected: readonly string[], stored: readonly string[]): readonly string[] {
  if (expected.length !== stored.length) return [`${role}: ${expected.length} acknowledged, ${stored.length} stored`];
  const wrong = expected.findIndex((text, index) => text !== stored[index]);
  return wrong === -1 ? [] : [`${role}: the message ${wrong} is stored as ${stored[wrong]?.slice(0, 80)}`];
}
