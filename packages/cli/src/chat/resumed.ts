import { type MessageEntry, type Session, VarveError } from '@varve/core';
import { printableText } from '../terminal/printable-text.ts';
import type { ChatNote } from './chat-view.ts';
import type { OpenTalk } from './open-talk.ts';
import { previewText } from './preview-text.ts';
import type { Talk } from './talk-of-key.ts';

/** Says whether the conversation is new, or where it stands. Changes nothing, and makes nothing. */
export async function resumedNote({ sessions, host, keyText }: OpenTalk): Promise<ChatNote> {
  const record = await sessions.current(keyText);
  if (record === null) return { type: 'new', text: `A new conversation: ${keyText}`, key: keyText };
  const { sessionId } = record;
  const { last, messages } = (await looking(host, sessionId, lastOf)) ?? { last: undefined, messages: 0 };
  const said = last === undefined ? '' : `, the last: ${last.message.role} “${previewText(last.message)}”`;
  const text = `Resumed ${keyText}: ${messages} message${messages === 1 ? '' : 's'}${said}`;
  return { type: 'resumed', text, key: keyText, sessionId, messages };
}

/** Lines that the up arrow brings back. */
const mostSpoken = 50;

/** What people wrote in the conversation, newest first, as far as it is visible. */
export async function spokenBefore({ sessions, host, keyText }: OpenTalk): Promise<readonly string[]> {
  const record = await sessions.current(keyText);
  if (record === null) return [];
  const entries = (await looking(host, record.sessionId, (session) => session.view.messages())) ?? [];
  const texts = entries.flatMap(({ provenance, message: { content } }) =>
    provenance.kind === 'user' && typeof content === 'string' ? [content.replaceAll(/\s*\n\s*/g, ' ')] : [],
  );
  return texts.slice(-mostSpoken).map(printableText).toReversed();
}

/** The record may have been written before the last messages were: the journal knows them all. */
async function lastOf(
  session: Session,
): Promise<{ readonly last: MessageEntry | undefined; readonly messages: number }> {
  return { last: session.view.messages().at(-1), messages: session.info().counters.messages };
}

/** A message of the terminal that was stored and never answered, as when everything stopped in between. */
export interface UnansweredMessage {
  readonly seq: number;
  readonly text: string;
  readonly messageId: string;
}

/** The last message of the conversation, when it came from here and has no answer. */
export async function unansweredMessage(
  { sessions, host, keyText }: OpenTalk,
  { place }: Talk,
): Promise<UnansweredMessage | null> {
  const record = await sessions.current(keyText);
  if (record === null) return null;
  const last = await looking(host, record.sessionId, (session) => session.view.messages().at(-1) ?? null);
  if (last?.message.role !== 'user' || typeof last.message.content !== 'string') return null;
  const messageId = messageIdOf(last, place);
  return messageId === null ? null : { seq: last.seq, text: last.message.content, messageId };
}

/** The channel's id of the message, as `@varve/sessions` writes it into the entry's key; `null` for one of somebody else. */
function messageIdOf({ key = '' }: MessageEntry, place: Talk['place']): string | null {
  const prefix = 'inbound:';
  if (!key.startsWith(`${prefix}[`)) return null;
  const [channel, account, chatType, peer, messageId] = JSON.parse(key.slice(prefix.length)) as unknown[];
  const isHere = channel === place.channel && account === (place.account ?? null) && peer === place.peer;
  return isHere && chatType === place.chatType && typeof messageId === 'string' ? messageId : null;
}

async function looking<Result>(
  host: OpenTalk['host'],
  sessionId: string,
  look: (session: Session) => Result | Promise<Result>,
): Promise<Result | null> {
  try {
    await using session = await host.open(sessionId, { readOnly: true });
    return await look(session);
  } catch (error) {
    if (VarveError.is(error, 'VARVE_STORE_MISSING')) return null;
    throw error;
  }
}
