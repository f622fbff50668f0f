import type { EventBase, EventName, Host, HostEvents } from '@varve/core';
import { publicText } from '../problem/public-text.ts';

/** Something that goes on in this process, as callers are told of it. */
interface LiveEvent {
  readonly name: EventName;
  readonly sessionId: string;
  readonly sessionKey: string | null;
  readonly [fact: string]: unknown;
}

/** Tells of what goes on in this process, however many listen. */
export interface LiveFeed {
  /** Gives what ends it. */
  listen(listener: (event: LiveEvent) => void): () => void;
  /** Listens no longer. */
  close(): void;
}

type Facts = Readonly<Record<string, unknown>>;

/** Events that are told, and what of them. */
const told: { readonly [Name in EventName]?: (event: HostEvents[Name]) => Facts } = {
  'turn-started': ({ turnId, kind }) => ({ turnId, kind }),
  'turn-ended': ({ turnId, status, steps, usage, error }) => ({
    turnId,
    status,
    steps,
    usage,
    error: error === null ? null : publicText(error),
  }),
  'prompt-assembled': ({ prompt, dryRun }) => ({ request: prompt.manifest.request, tokens: prompt.tokens, dryRun }),
  'compaction-started': ({ reason }) => ({ reason }),
  'compaction-refused': ({ reason, outcome }) => ({ reason, status: outcome.status, why: outcome.why }),
  'tool-finished': ({ tool, toolCallId, ms }) => ({ tool, toolCallId, ms }),
  'plugin-failed': ({ plugin, hook, tap, error }) => ({ plugin, hook, tap, error: publicText(error) }),
  'engine-degraded': ({ engine, method, error }) => ({ engine, method, error: publicText(error) }),
  'delivery-decided': ({ decision: { allow, reason } }) => ({ allow, reason }),
  'session-woken': () => ({}),
  'session-hibernated': ({ reason }) => ({ reason }),
  'session-reset': ({ previousSessionId, reason }) => ({ previousSessionId, reason }),
};

/** Subscribes once. */
export function createLiveFeed(host: Host): LiveFeed {
  const listeners = new Set<(event: LiveEvent) => void>();
  const subscribe = <Name extends EventName>(name: Name): (() => void) =>
    host.events.on(name, (event) => {
      if (listeners.size === 0) return;
      const { sessionId, sessionKey } = event as EventBase;
      const factsOf = told[name] as ((event: HostEvents[Name]) => Facts) | undefined;
      const live = { name, sessionId, sessionKey, ...factsOf?.(event) };
      for (const listener of listeners) listener(live);
    });
  const subscriptions = (Object.keys(told) as EventName[]).map((name) => subscribe(name));
  return {
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => {
      listeners.clear();
      for (const unsubscribe of subscriptions) unsubscribe();
    },
  };
}
