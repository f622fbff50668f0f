import { createHost, type Host, type Inbound, type Session } from '@varve/core';
import { type ResetPolicyOptions, resetPolicy } from '@varve/plugin-reset-policy';

/** A host whose clock the test turns, with one open session. */
export interface Conversation extends AsyncDisposable {
  readonly session: Session;
  /** Sets the clock. */
  turnTo(at: number): void;
  say(text: string): Promise<void>;
}

/** Opens a session with the plugin. */
export async function conversation(options: {
  readonly policy?: ResetPolicyOptions;
  readonly now?: number;
  readonly key?: string;
  readonly channel?: string;
}): Promise<Conversation> {
  const { policy = {}, now = 0, key, channel } = options;
  let time = now;
  const host: Host = await createHost({
    clock: { now: () => time, after: () => () => undefined },
    plugins: [resetPolicy(policy)],
  });
  const session = await host.open('00000000-0000-4000-8000-000000000001', {
    ...(key === undefined ? {} : { key }),
    ...(channel === undefined ? {} : { channel }),
  });
  return {
    session,
    turnTo: (at) => {
      time = at;
    },
    say: async (text) => {
      await session.ingest({ role: 'user', content: text });
    },
    [Symbol.asyncDispose]: () => host.close(),
  };
}

/** A message of the owner in a direct chat, with some fields different. */
export function inboundWith(fields: Partial<Inbound> = {}): Inbound {
  return {
    channel: 'telegram',
    chatType: 'direct',
    peer: 'anna',
    messageId: 'm1',
    sender: { id: 'anna', role: 'owner' },
    addressed: 'any',
    text: 'Hello',
    ...fields,
  };
}
