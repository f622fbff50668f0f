import type { OpenOptions } from '@varve/core';

/** A session: how it is opened, and what kind of conversation a reader would say that it is. */
export interface Room {
  readonly name: string;
  readonly key: string | null;
  readonly options: OpenOptions;
  readonly is: 'direct' | 'group' | 'subagent';
}

/** Conversations of every kind, also such as are not what they are said to be. */
export const rooms: readonly Room[] = [
  { name: 'main', key: 'agent:main:main', options: { identity: 'ada' }, is: 'direct' },
  { name: 'telegram', key: 'agent:main:telegram:direct:user_123', options: { identity: 'ada' }, is: 'direct' },
  { name: 'discord', key: 'agent:main:discord:work:direct:42', options: { identity: 'ada' }, is: 'direct' },
  { name: 'bob', key: 'agent:main:direct:bob', options: { identity: 'bob', chatType: 'direct' }, is: 'direct' },
  { name: 'nobody', key: 'agent:main:telegram:direct:x', options: {}, is: 'direct' },
  { name: 'person', key: 'agent:main:direct:~ada', options: { identity: 'ada' }, is: 'direct' },
  { name: 'free key', key: 'ada-on-the-phone', options: { identity: 'ada', chatType: 'direct' }, is: 'direct' },
  { name: 'group', key: 'agent:main:discord:group:team_456', options: { identity: 'ada' }, is: 'group' },
  { name: 'thread', key: 'agent:main:thread:discord:77', options: { identity: 'ada' }, is: 'group' },
  // The host and the key disagree: then it is a group.
  { name: 'said group', key: 'agent:main:direct:ada', options: { identity: 'ada', chatType: 'group' }, is: 'group' },
  { name: 'said direct', key: 'agent:main:irc:group:x', options: { identity: 'ada', chatType: 'direct' }, is: 'group' },
  { name: 'global', key: 'global', options: { identity: 'ada' }, is: 'group' },
  { name: 'said global', key: 'global', options: { identity: 'ada', chatType: 'direct' }, is: 'group' },
  // A peer may be called anything.
  { name: 'peer', key: 'agent:main:irc:group:direct', options: { identity: 'ada' }, is: 'group' },
  { name: 'peer 2', key: 'agent:main:irc:direct:group', options: { identity: 'ada' }, is: 'direct' },
  { name: 'channel', key: 'agent:main:irc:channel:x:topic:7', options: { identity: 'ada' }, is: 'group' },
  { name: 'cron', key: 'agent:main:cron:nightly', options: { identity: 'ada' }, is: 'group' },
  { name: 'said hook', key: 'agent:main:hook:mail', options: { identity: 'ada', chatType: 'direct' }, is: 'group' },
  { name: 'unknown', key: 'main:discord:42', options: { identity: 'ada' }, is: 'group' },
  { name: 'no key', key: null, options: { identity: 'ada' }, is: 'group' },
  { name: 'child', key: 'agent:main:subagent:1', options: { identity: 'ada', chatType: 'direct' }, is: 'subagent' },
  {
    name: 'child by its parent',
    key: 'task-7',
    options: { identity: 'ada', chatType: 'direct', parentSessionKey: 'agent:main:main' },
    is: 'subagent',
  },
];
