import { createHost, type Host, type Inbound, type ModelReply, type ModelRequest, type Plugin } from '@varve/core';
import {
  createSessions,
  type Outgoing,
  type Received,
  type ReceiveOptions,
  type RoutingOptions,
  type Sessions,
} from '@varve/sessions';
import { jsonlStore } from '@varve/stores/jsonl';
import { type ManualClock, manualClock } from '@varve/testkit';

/** Conversations on a disk, as one process has them: what left them, and what the model was asked. */
export interface PolicyHost extends AsyncDisposable {
  readonly host: Host;
  readonly sessions: Sessions;
  readonly clock: ManualClock;
  readonly sent: readonly Outgoing[];
  readonly asked: readonly ModelRequest[];
  /** Lets a message of the owner arrive in a direct chat, with some fields different. */
  say(text: string, fields?: Partial<Inbound>, options?: ReceiveOptions): Promise<Received>;
}

/** How a process begins. */
export interface PolicyHostOptions {
  readonly root: string;
  readonly plugins: readonly Plugin[];
  readonly clock?: ManualClock;
  readonly routing?: RoutingOptions;
  readonly answer?: (request: ModelRequest) => ModelReply;
}

let delivered = 0;

/** Begins one. Two after each other on one root are a restart. */
export async function beginProcess(options: PolicyHostOptions): Promise<PolicyHost> {
  const { root, plugins, clock = manualClock(), routing = {}, answer = () => replyOf('Yes.') } = options;
  const store = jsonlStore({ root, durability: 'os' });
  const host = await createHost({ store, clock, plugins });
  const sent: Outgoing[] = [];
  const asked: ModelRequest[] = [];
  const sessions = createSessions({
    host,
    routing,
    send: (outgoing) => void sent.push(outgoing),
    models: {
      defaultModel: 'test/one',
      port: ({ model }) => ({
        ref: { provider: 'test', model: model.slice(model.indexOf('/') + 1) },
        generate: async (request) => {
          asked.push(request);
          return answer(request);
        },
      }),
    },
  });
  return {
    host,
    sessions,
    clock,
    sent,
    asked,
    say: (text, fields = {}, receiving) => {
      delivered += 1;
      const sender = { id: 'user_123', role: 'owner' } as const;
      const inbound = { channel: 'telegram', chatType: 'direct', peer: 'user_123', addressed: 'any' } as const;
      return sessions.receive({ ...inbound, sender, messageId: `m${delivered}`, text, ...fields }, receiving);
    },
    [Symbol.asyncDispose]: async () => {
      await sessions.close();
      await host.close();
      await store[Symbol.asyncDispose]();
    },
  };
}

/** An answer of text. */
export function replyOf(text: string): ModelReply {
  return { message: { role: 'assistant', content: text, stop: 'stop' }, usage: null };
}
