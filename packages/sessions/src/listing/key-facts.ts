import {
  describeKey,
  formatKey,
  looksLikeSessionId,
  parseKey,
  type SessionKey,
  type SessionRecord,
  VarveError,
} from '@varve/core';

/** What kind of conversation a session belongs to; `other` is one without a key, or with a key of the host's own. */
export type ConversationKind = SessionKey['kind'] | 'other';

/** All kinds, in the order in which a tree shows them. */
export const conversationKinds: readonly ConversationKind[] = [
  ...(['global', 'main', 'person', 'direct', 'group', 'channel', 'cron', 'hook', 'subagent', 'other'] as const),
];

/** What a key says of its conversation. */
export interface KeyFacts {
  readonly kind: ConversationKind;
  /** Whom or what it is with: peer, person, job, hook or sub-agent; `null` where the kind says all. */
  readonly peer: string | null;
  /** In words, for people. */
  readonly words: string;
  /** The same where agent and kind are known already: `telegram 123`, `topic 7`. */
  readonly name: string;
  /** Key of the conversation that it is a part of: the job of a run, the room of a thread; `null` for none. */
  readonly above: string | null;
}

/** Reads the key of a record. A text that is no key of ours is no error: a host may name sessions as it likes. */
export function factsOfKey({ key, sessionId }: Pick<SessionRecord, 'key' | 'sessionId'>): KeyFacts {
  const parsed = key === null ? null : tryParse(key);
  if (parsed === null)
    return { kind: 'other', peer: null, words: key ?? sessionId, name: key ?? sessionId, above: null };
  return {
    kind: parsed.kind,
    peer: peerOf(parsed),
    words: describeKey(parsed),
    name: nameOf(parsed),
    above: aboveOf(parsed),
  };
}

function tryParse(text: string): SessionKey | null {
  try {
    return parseKey(text);
  } catch (error) {
    if (VarveError.is(error, 'VARVE_KEY_INVALID')) return null;
    throw error;
  }
}

function nameOf(key: SessionKey): string {
  switch (key.kind) {
    case 'person':
      return key.person;
    case 'direct':
      return [key.channel, key.account, key.peer].filter((part) => part !== undefined).join(' ');
    case 'group':
    case 'channel':
      return key.thread === undefined ? `${key.channel} ${key.peer}` : `${key.thread.kind} ${shortId(key.thread.id)}`;
    case 'cron':
      return key.run === undefined ? key.job : `run ${shortId(key.run)}`;
    case 'hook':
      return shortId(key.id);
    case 'subagent':
      return `sub-agent ${shortId(key.id)}`;
    case 'main':
      return 'main conversation';
    case 'global':
      return 'everybody';
  }
}

/** The beginning of a UUID tells it from those beside it. */
function shortId(id: string): string {
  return looksLikeSessionId(id) ? id.slice(0, 8) : id;
}

function aboveOf(key: SessionKey): string | null {
  if (key.kind === 'cron' && key.run !== undefined) return formatKey({ ...key, run: undefined });
  const isThread = (key.kind === 'group' || key.kind === 'channel') && key.thread !== undefined;
  return isThread ? formatKey({ ...key, thread: undefined }) : null;
}

function peerOf(key: SessionKey): string | null {
  switch (key.kind) {
    case 'person':
      return key.person;
    case 'direct':
    case 'group':
    case 'channel':
      return key.peer;
    case 'cron':
      return key.job;
    case 'hook':
    case 'subagent':
      return key.id;
    case 'main':
    case 'global':
      return null;
  }
}
