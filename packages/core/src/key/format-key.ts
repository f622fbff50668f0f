import { escapeName, escapePart, escapePeer, personMark } from './key-part.ts';
import type { DirectKey, RoomKey, SessionKey } from './session-key.ts';

/** The name of the conversation that everybody shares. */
export const globalKeyText = 'global';

/**
 * The name of a conversation: `agent:main:telegram:direct:123`. Two keys have the same name only if they are the same,
 * whatever their parts hold: colons, percent signs and control characters are escaped as `%3A`, and so is the first letter of a channel or account that
 * is named like a kind.
 *
 * @throws VARVE_KEY_INVALID  for a part that is empty, or an account without a channel.
 */
export function formatKey(key: SessionKey): string {
  if (key.kind === 'global') return globalKeyText;
  return ['agent', escapePart(key.agentId, 'agent'), ...restOf(key)].join(':');
}

function restOf(key: Exclude<SessionKey, { kind: 'global' }>): readonly string[] {
  switch (key.kind) {
    case 'main':
      return ['main'];
    case 'person':
      return ['direct', `${personMark}${escapePart(key.person, 'person')}`];
    case 'direct':
      return directOf(key);
    case 'group':
    case 'channel':
      return roomOf(key);
    case 'cron': {
      const run = key.run === undefined ? [] : ['run', escapePart(key.run, 'run')];
      return ['cron', escapePart(key.job, 'job'), ...run];
    }
    case 'hook':
    case 'subagent':
      return [key.kind, escapePart(key.id, 'id')];
  }
}

function directOf({ peer, channel, account }: DirectKey): readonly string[] {
  const own = ['direct', escapePeer(peer)];
  if (channel === undefined && account === undefined) return own;
  const of = account === undefined ? [] : [escapeName(account, 'account')];
  return [escapeName(channel ?? '', 'channel'), ...of, ...own];
}

function roomOf({ kind, channel, peer, thread }: RoomKey): readonly string[] {
  const suffix = thread === undefined ? [] : [thread.kind, escapePart(thread.id, 'thread')];
  return [escapeName(channel, 'channel'), kind, escapePeer(peer), ...suffix];
}
