import type { SpawnedRecord } from '../child-journal/child-records.ts';
import { createDeferred, type Deferred } from './deferred.ts';
import type { ChildEnd } from './spawn-options.ts';

/** A sub-agent whose end is not with its parent yet, as this process knows it. */
export interface Child {
  readonly record: SpawnedRecord;
  readonly agentId: string;
  /** `null` until it has begun. */
  sessionId: string | null;
  /** Ends its turns. */
  readonly controller: AbortController;
  /** Who ended it, when somebody did; the first counts. */
  endedBy: 'stopped' | 'timeout' | null;
  /** Whether a parent that is idle answers its end. */
  isAnnounced: boolean;
  /** It has begun; rejects with why it did not. */
  readonly begun: Deferred<void>;
  /** Its end is durable. */
  readonly ended: Deferred<ChildEnd>;
  hasEnded: boolean;
  /** Whether it works on, or only has an end to be told. */
  goesOn: boolean;
  isDelivered: boolean;
  /** Its end is with its parent, or waits for one that is archived. */
  readonly delivered: Deferred<'delivered' | 'waiting'>;
  /** Its delivery was tried: it is done, or is tried again later. */
  readonly tried: Deferred<void>;
  /** All that is done for it in this process. Never rejects. */
  work: Promise<void>;
}

/** Makes one that has not begun. */
export function createChild(record: SpawnedRecord, agentId: string): Child {
  return {
    record,
    agentId,
    sessionId: null,
    controller: new AbortController(),
    endedBy: null,
    isAnnounced: true,
    begun: createDeferred(),
    ended: createDeferred(),
    hasEnded: false,
    goesOn: true,
    isDelivered: false,
    delivered: createDeferred(),
    tried: createDeferred(),
    work: Promise.resolve(),
  };
}
