/** One value, or several of which any will do. */
export type OneOrMore<Value> = Value | readonly Value[];

/** Kind of chat in a rule: `dm` is `direct`; `thread` is any thread or topic, whatever it is a thread of. */
export type ChatKind = 'direct' | 'dm' | 'group' | 'channel' | 'thread';

/** What a rule is about. Everything that is given must hold; nothing given is every delivery. */
export interface SendMatchSettings {
  readonly channel?: OneOrMore<string> | undefined;
  readonly chatType?: OneOrMore<ChatKind> | undefined;
  /** Beginning of the session's key, with or without `agent:<id>:`. */
  readonly keyPrefix?: OneOrMore<string> | undefined;
  /** Beginning of the session's whole key. */
  readonly rawKeyPrefix?: OneOrMore<string> | undefined;
  /** Who gets it, by the channel's own name, letter by letter. */
  readonly recipient?: OneOrMore<string> | undefined;
  /** Where what it answers came from; `none` for what answers nothing. */
  readonly provenance?:
    | OneOrMore<'user' | 'system-event' | 'subagent' | 'inter-session' | 'model' | 'tool' | 'plugin' | 'none'>
    | undefined;
  /** What leaves. */
  readonly kind?:
    | OneOrMore<'reply' | 'typing' | 'reaction' | 'cross-session' | 'announcement' | 'greeting'>
    | undefined;
  /** How the agent was spoken to. */
  readonly addressed?: OneOrMore<'mention' | 'reply' | 'any' | 'none'> | undefined;
  /** Times at which the rule holds: `{ days: ['sat', 'sun'], from: '22:00', to: '07:00', timeZone }`. */
  readonly during?:
    | {
        readonly days?: OneOrMore<'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun'> | undefined;
        readonly from?: string | undefined;
        readonly to?: string | undefined;
        readonly timeZone?: string | undefined;
      }
    | undefined;
}

/** One rule. Their order means nothing: where one denies, nothing leaves. */
export interface SendRuleSettings {
  readonly action: 'allow' | 'deny';
  /** @default every delivery */
  readonly match?: SendMatchSettings | undefined;
  /** Why, in words for people: at most 500 characters. @default the rule's name */
  readonly reason?: string | undefined;
  /** What decisions call the rule: at most 100 characters. @default where it stands in the configuration */
  readonly name?: string | undefined;
}

/** What may leave the sessions of an agent or a channel. Rules of all layers hold; where one denies, nothing leaves. */
export interface SendRules {
  readonly rules?: readonly SendRuleSettings[] | undefined;
  /** The short form: kinds of chat in which nothing leaves. */
  readonly block?: { readonly types: readonly ChatKind[]; readonly reason?: string | undefined } | undefined;
}

/** What may leave any session. */
export interface SendSettings extends SendRules {
  /** What holds where no rule matches. @default 'allow' */
  readonly default?: 'allow' | 'deny' | undefined;
  /** Zone of time windows that name none. @default null, the machine's own */
  readonly timeZone?: string | null | undefined;
}
