import type { Host, SessionRecord } from '@varve/core';
import { emitEvent } from '@varve/core/host';
import { eventBaseOf } from './session-events.ts';

/** How and under which conditions a generation is archived. */
export interface ArchiveConditions {
  /** Why, for the event: a word for programs, or more. */
  readonly reason: string;
  /** It was never the current one of its key, whatever its record says so far. @default false */
  readonly wasNever?: boolean | undefined;
  /** Asked right before, with the record as it is then: why not, else `null`. May throw. @default nothing is against it */
  readonly refuse?: ((record: SessionRecord) => Promise<string | null>) | undefined;
}

/**
 * Archives a generation, and tells so when that is durable. The one place that does; whoever calls it sees to it that
 * nobody begins anything in the generation meanwhile. Gives the reason why it was left as it is, else `null`.
 *
 * @throws what the store and `refuse` throw; the generation is as it was then.
 */
export async function archiveGeneration(
  { host }: { readonly host: Host },
  record: SessionRecord,
  { reason, wasNever = false, refuse }: ArchiveConditions,
): Promise<string | null> {
  if (record.state === 'archived') return 'it is archived already';
  const why = (await refuse?.(record)) ?? null;
  if (why !== null) return why;
  const patch = { state: 'archived', ...(wasNever ? { currentSince: null } : {}) } as const;
  const archived = await host.sessions.patch(record.sessionId, patch);
  emitEvent(host, 'session-archived', { ...eventBaseOf(archived), reason });
  return null;
}
