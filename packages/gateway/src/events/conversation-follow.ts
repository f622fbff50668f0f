import type { Entry, Seq, SessionRecord } from '@varve/core';
import type { Sessions } from '@varve/sessions';
import type { EntryHub } from './entry-hub.ts';

/** A place in the journals of a conversation: the last entry that is known, of the generation that it is in. */
export interface EntryPlace {
  readonly sessionId: string;
  readonly seq: Seq;
}

/** What is told of a conversation: an entry, or that it goes on in another generation. */
export type ConversationEvent =
  | { readonly kind: 'entry'; readonly sessionId: string; readonly entry: Entry }
  | { readonly kind: 'generation'; readonly sessionId: string; readonly previousSessionId: string };

/** What is followed. */
export interface ConversationFollow {
  /** Key of the conversation, to go on with its next generations; `null` for one session alone. */
  readonly key: string | null;
  readonly from: EntryPlace;
  readonly signal: AbortSignal;
}

/** The id of an event: where the client is when it has it. */
export function placeText({ sessionId, seq }: EntryPlace): string {
  return `${encodeURIComponent(sessionId)}:${seq}`;
}

/** Reads what `placeText` gave; `null` for anything else. */
export function placeOf(text: string): EntryPlace | null {
  const match = /^([\w.~%!'()*-]{1,1000}):(\d{1,15})$/.exec(text);
  if (match === null) return null;
  try {
    return { sessionId: decodeURIComponent(match[1] ?? ''), seq: Number(match[2]) };
  } catch {
    return null;
  }
}

/** The entries of a conversation from a place on, one generation after the other, as long as the signal lets it. */
export async function* followConversation(
  { hub, sessions }: { readonly hub: EntryHub; readonly sessions: Pick<Sessions, 'generations'> },
  { key, from, signal }: ConversationFollow,
): AsyncGenerator<ConversationEvent, void, undefined> {
  let { sessionId, seq: afterSeq } = from;
  while (!signal.aborted) {
    let next: string | null = null;
    const isOver = async (): Promise<boolean> => {
      if (key !== null) next = nextGeneration(await sessions.generations(key), sessionId);
      return next !== null;
    };
    for await (const entry of hub.follow({ sessionId, afterSeq, signal, isOver })) {
      yield { kind: 'entry', sessionId, entry };
    }
    if (next === null) return;
    yield { kind: 'generation', sessionId: next, previousSessionId: sessionId };
    sessionId = next;
    afterSeq = 0;
  }
}

/** The generation that became the current one behind another; `null` while there is none. */
function nextGeneration(lastFirst: readonly SessionRecord[], sessionId: string): string | null {
  const known = lastFirst.filter(({ currentSince }) => currentSince !== null);
  const index = known.findIndex((record) => record.sessionId === sessionId);
  return index > 0 ? (known[index - 1]?.sessionId ?? null) : null;
}
