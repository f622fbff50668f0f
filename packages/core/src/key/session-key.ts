/** A thread of a room: Telegram calls its own topics. */
export interface ThreadPart {
  readonly kind: 'thread' | 'topic';
  readonly id: string;
}

/** The one conversation of an agent that takes in everything which has no other. */
export interface MainKey {
  readonly kind: 'main';
  readonly agentId: string;
}

/**
 * A talk with one person. `peer` is the channel's own name for them, letter by letter; without a channel, one
 * conversation for all channels; with an account, one for each account of the agent.
 */
export interface DirectKey {
  readonly kind: 'direct';
  readonly agentId: string;
  readonly peer: string;
  readonly channel?: string | undefined;
  /** Only beside a channel. */
  readonly account?: string | undefined;
}

/** A talk with one person who is known by a name of the agent's own, whichever channel is used. */
export interface PersonKey {
  readonly kind: 'person';
  readonly agentId: string;
  /** Name of an identity link. */
  readonly person: string;
}

/** A room, or a thread of it. */
export interface RoomKey {
  readonly kind: 'group' | 'channel';
  readonly agentId: string;
  readonly channel: string;
  readonly peer: string;
  readonly thread?: ThreadPart | undefined;
}

/** A scheduled job, or one run of it. */
export interface CronKey {
  readonly kind: 'cron';
  readonly agentId: string;
  readonly job: string;
  readonly run?: string | undefined;
}

/** What a hook of another system began. */
export interface HookKey {
  readonly kind: 'hook';
  readonly agentId: string;
  readonly id: string;
}

/** What another session gave a task to. */
export interface SubagentKey {
  readonly kind: 'subagent';
  readonly agentId: string;
  readonly id: string;
}

/** One conversation for all agents and everybody. */
export interface GlobalKey {
  readonly kind: 'global';
}

/** What a conversation is, as data; `formatKey` and `parseKey` turn it into its name and back. No part may be empty. */
export type SessionKey = MainKey | DirectKey | PersonKey | RoomKey | CronKey | HookKey | SubagentKey | GlobalKey;

/** Whether one person, a room of some, or a channel of many is spoken with; `null` for what has no people in it. */
export function chatTypeOf(key: SessionKey): 'direct' | 'group' | 'channel' | null {
  switch (key.kind) {
    case 'main':
    case 'direct':
    case 'person':
      return 'direct';
    case 'group':
    case 'channel':
      return key.kind;
    default:
      return null;
  }
}

/** The agent of a key; `null` for the global one. */
export function agentOf(key: SessionKey): string | null {
  return key.kind === 'global' ? null : key.agentId;
}
