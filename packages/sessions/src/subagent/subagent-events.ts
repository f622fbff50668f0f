import type { EventBase } from '@varve/core';

/** What is told of sub-agents, by `host.events`. Each event is about the session of the sub-agent. */
export interface SubagentEvents {
  /** One has begun: its task is durable. */
  'subagent-spawned': EventBase & { readonly spawnId: string; readonly mode: 'isolated' | 'fork' };
  /** One has ended, and its end is durable. */
  'subagent-ended': EventBase & {
    readonly completionId: string;
    readonly status: 'done' | 'failed' | 'stopped' | 'timeout';
  };
  /** The end of one is with its parent: in the journal of the session `toSessionId`, once. */
  'subagent-delivered': EventBase & { readonly completionId: string; readonly toSessionId: string };
}

declare module '@varve/core' {
  interface LiveEvents extends SubagentEvents {}
}
