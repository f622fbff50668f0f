/** Who is answered in which conversation. */
export interface RoutingOptions {
  /** The agent of what names none. @default 'main' */
  readonly defaultAgentId?: string | undefined;
  /** `global`: one conversation for everybody. @default 'per-sender' */
  readonly scope?: 'per-sender' | 'global' | undefined;
  /**
   * What direct chats have conversations of their own: none, each person, each person on each channel, or each on each
   * account of each channel. @default 'main'
   */
  readonly dmScope?: 'main' | 'per-peer' | 'per-channel-peer' | 'per-account-channel-peer' | undefined;
  /** Whether rooms have conversations of their own. @default 'per-group' */
  readonly groupScope?: 'per-group' | 'main' | undefined;
  /**
   * The names under which one person writes: `{ alice: ['telegram:123', 'discord:987'] }`. Without a channel, a name is
   * theirs on every channel. They have one conversation in every scope but `main`, and one memory in all. @default none
   */
  readonly identityLinks?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Which agent answers, the first that fits; before `defaultAgentId`. @default none */
  readonly bindings?: readonly Binding[] | undefined;
}

/** Gives what matches to an agent. Everything that is given must hold. */
export interface Binding {
  readonly agentId: string;
  /** Whatever the case of its letters. @default any */
  readonly channel?: string | undefined;
  readonly account?: string | undefined;
  readonly chatType?: 'direct' | 'group' | 'channel' | undefined;
  readonly peer?: string | undefined;
}

/** Routing with every default filled in, as `createRouting` checked it. */
export interface Routing {
  readonly defaultAgentId: string;
  readonly scope: 'per-sender' | 'global';
  readonly dmScope: 'main' | 'per-peer' | 'per-channel-peer' | 'per-account-channel-peer';
  readonly groupScope: 'per-group' | 'main';
  readonly bindings: readonly Binding[];
  /** The person behind a name of a channel; `null` for one that is linked to nobody. */
  personOf(channel: string, peer: string): string | null;
  /** What the options say and will have no effect, in words. */
  readonly warnings: readonly string[];
}
