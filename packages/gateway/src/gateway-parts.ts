import type { Host, Milliseconds, Store } from '@varve/core';
import type { Sessions } from '@varve/sessions';
import type { OpenApiDocument } from './document/open-api-document.ts';
import type { EntryHub } from './events/entry-hub.ts';
import type { LiveFeed } from './events/live-events.ts';
import type { RecordFeed } from './events/record-feed.ts';
import type { GatewayLimits } from './limits/gateway-limits.ts';
import type { HeldCounter } from './limits/held-counter.ts';
import type { GatewayMetrics } from './metrics/gateway-metrics.ts';
import type { PluginFailures } from './metrics/plugin-failures.ts';
import type { PlanShelf } from './session/plan-shelf.ts';
import type { RequestIndex } from './session/request-index.ts';
import type { TurnDesk } from './turn/turn-desk.ts';

/** What the routes of one gateway work with. */
export interface GatewayParts {
  readonly host: Host;
  readonly sessions: Sessions;
  readonly store: Store;
  readonly limits: GatewayLimits;
  readonly hub: EntryHub;
  readonly feed: RecordFeed;
  readonly live: LiveFeed;
  readonly plans: PlanShelf;
  readonly requests: RequestIndex;
  readonly desk: TurnDesk;
  readonly metrics: GatewayMetrics;
  readonly failures: PluginFailures;
  /** Streams of events, by token. */
  readonly streams: HeldCounter;
  readonly startedAt: Milliseconds;
  /** Aborted when the gateway closes: streams end. */
  readonly closing: AbortSignal;
  /** Version of the program that runs, for `/health`. */
  readonly version: string;
  /** Whether a token still holds: streams outlast the request that opened them. */
  holds(tokenId: string): Promise<boolean>;
  /** The OpenAPI document. */
  document(): OpenApiDocument;
}
