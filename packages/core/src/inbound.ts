/** Who wrote a message, as the channel knows them. */
export interface InboundSender {
  /** The channel's own name, letter by letter. */
  readonly id: string;
  /** `owner`: the person whom the agent works for. Who is not known may do the least. */
  readonly role: 'owner' | 'member' | 'unknown';
}

/** A message as it arrives from a channel. */
export interface Inbound {
  /** The agent that it is for, where the channel knows. @default what the routing says */
  readonly agentId?: string | undefined;
  /** Name of the channel, such as `telegram`. The case of its letters says nothing: it goes on in lower case. */
  readonly channel: string;
  /** Which of the agent's accounts got it. @default none */
  readonly account?: string | undefined;
  readonly chatType: 'direct' | 'group' | 'channel';
  /** The person, in a direct chat; else the room. */
  readonly peer: string;
  readonly thread?: { readonly kind: 'thread' | 'topic'; readonly id: string } | undefined;
  /** The channel's id of the message: one that is delivered twice is taken once. */
  readonly messageId: string;
  readonly sender: InboundSender;
  /** How the agent was spoken to: by name, by an answer to its message, or not in particular. */
  readonly addressed: 'mention' | 'reply' | 'any';
  readonly text: string;
}
