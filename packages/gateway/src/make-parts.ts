import type { Host, Store } from '@varve/core';
import type { Sessions } from '@varve/sessions';
import type { OpenApiDocument } from './document/open-api-document.ts';
import { createEntryHub, type EntryHub } from './events/entry-hub.ts';
import { createLiveFeed } from './events/live-events.ts';
import { createRecordFeed } from './events/record-feed.ts';
import type { GatewayParts } from './gateway-parts.ts';
import { createHeldCounter } from './limits/held-counter.ts';
import { createGatewayMetrics } from './metrics/gateway-metrics.ts';
import { createPluginFailures } from './metrics/plugin-failures.ts';
import { openApiDocument } from './openapi.ts';
import { createPlanShelf } from './session/plan-shelf.ts';
import { createRequestIndex } from './session/request-index.ts';
import { isInForce, type TokenSource } from './tokens/token.ts';
import { createTurnDesk } from './turn/turn-desk.ts';

/** What is given to a gateway. */
export interface GivenParts {
  readonly host: Host;
  readonly sessions: Sessions;
  readonly store: Store;
  readonly tokens: TokenSource;
}

/** The parts of a gateway, and what ends their listening. */
export interface MadeParts {
  readonly parts: GatewayParts;
  /** Ends what listens to the host. */
  stop(): void;
}

/** Makes what the routes of one gateway work with. */
export function makeParts(
  { host, sessions, store, tokens }: GivenParts,
  { limits, version, closing }: Pick<GatewayParts, 'limits' | 'version' | 'closing'>,
): MadeParts {
  const { pollMs } = limits;
  const desk = createTurnDesk(sessions, limits.turnsPerToken);
  const streams = createHeldCounter(limits.streamsPerToken, 'streams');
  const metrics = createGatewayMetrics({
    host,
    awake: () => sessions.states().length,
    turns: () => desk.running(),
    streams: () => streams.total(),
  });
  const listening = {
    hub: createEntryHub({ host, store, pollMs }),
    feed: createRecordFeed({ host, pollMs }),
    live: createLiveFeed(host),
    failures: createPluginFailures(host),
    metrics,
  };
  let document: OpenApiDocument | null = null;
  const parts: GatewayParts = {
    ...listening,
    host,
    sessions,
    store,
    limits,
    desk,
    streams,
    version,
    closing,
    plans: createPlanShelf(host.clock),
    requests: createRequestIndex(store),
    startedAt: host.clock.now(),
    holds: async (tokenId) => {
      const records = await tokens.records();
      return records.some((record) => record.id === tokenId && isInForce(record, host.clock.now()));
    },
    document: () => {
      document ??= openApiDocument({ version });
      return document;
    },
  };
  const stopNudging = nudgeFollowers(host, listening.hub);
  const stop = (): void => {
    stopNudging();
    for (const one of Object.values(listening)) one.close();
  };
  return { parts, stop };
}

/** A conversation that was reset goes on elsewhere: whoever follows it looks for where. Gives what ends that. */
function nudgeFollowers(host: Host, hub: EntryHub): () => void {
  const names = ['session-reset', 'session-restored'] as const;
  const subscriptions = [
    ...names.map((name) =>
      host.events.on(name, ({ previousSessionId }) => {
        if (previousSessionId !== null) hub.nudge(previousSessionId);
      }),
    ),
    // One that was archived goes on with the next message.
    host.events.on('session-activated', async ({ sessionId }) => {
      const record = await host.sessions.get(sessionId);
      if (record?.previousSessionId != null) hub.nudge(record.previousSessionId);
    }),
  ];
  return () => {
    for (const unsubscribe of subscriptions) unsubscribe();
  };
}
