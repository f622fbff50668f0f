import { type SessionRecord, VarveError } from '@varve/core';
import { emitEvent } from '@varve/core/host';
import { lastCurrentOf } from '../generation/generations.ts';
import { eventBaseOf } from '../generation/session-events.ts';
import { securitySettings } from '../settings/carry-over.ts';
import type { ListingParts } from './listing-parts.ts';
import type { OpenChildren } from './open-children.ts';
import type { PlannedStorage } from './plan-storage.ts';

/** What archived sessions are packed and deleted with. */
export interface StoreAwayParts extends Pick<ListingParts, 'host' | 'generations' | 'live'> {
  /** Sub-agents that were open when the plan was made. */
  readonly children: OpenChildren;
}

/** Why an archived session stays as it is, as far as records and journals say; `null` when nothing keeps it. */
export async function whyKept(
  { host, generations, children }: StoreAwayParts,
  { record: planned, rule }: PlannedStorage,
): Promise<string | null> {
  const { sessionId, key } = planned;
  const record = await host.sessions.get(sessionId);
  if (record === null) return 'there is no such session any more';
  // Restored, perhaps: then the archive may be all that there is of a conversation that goes on.
  if (record.state !== 'archived' || record.rev !== planned.rev) return 'it was used meanwhile';
  if (rule === 'retention' && host.remove === undefined) return 'the store deletes no sessions';
  if (rule === 'compress' || key === null) return null;
  const [child] = children.get(key) ?? [];
  if (child !== undefined) return `a sub-agent of its conversation is open: ${child.key ?? child.sessionId}`;
  const last = lastCurrentOf(await generations.all(key));
  return last?.sessionId === sessionId ? whatItForbids(host, record) : null;
}

/**
 * Packs the journal of an archived session, or deletes the session, when nobody works with it. Gives the reason why
 * it was left as it is, else `null`.
 *
 * @throws VARVE_STORE_IO, VARVE_STORE_CONFLICT
 */
export async function storeAway(parts: StoreAwayParts, planned: PlannedStorage): Promise<string | null> {
  const { key } = planned.record;
  const work = (): Promise<string | null> => whileIdle(() => change(parts, planned));
  // No generation of the conversation begins or comes back meanwhile, here; elsewhere, its record says so.
  return key === null || planned.rule === 'compress' ? work() : parts.live.change(key, work);
}

async function change(parts: StoreAwayParts, planned: PlannedStorage): Promise<string | null> {
  const { host } = parts;
  const { record, rule } = planned;
  const why = await whyKept(parts, planned);
  if (why !== null) return why;
  if (rule === 'compress') await host.archives?.pack(record.sessionId);
  else {
    await host.remove?.(record.sessionId, { expectedRev: record.rev });
    emitEvent(host, 'session-deleted', { ...eventBaseOf(record), reason: `maintenance: ${rule}` });
  }
  return null;
}

async function whileIdle(work: () => Promise<string | null>): Promise<string | null> {
  try {
    return await work();
  } catch (error) {
    if (VarveError.is(error, 'VARVE_STORE_LOCKED')) return `somebody works with it: ${error.message}`;
    if (VarveError.is(error, 'VARVE_STORE_MISSING')) return 'it has no journal';
    throw error;
  }
}

/**
 * The next generation of a conversation takes over what the last one said of security: where nothing goes on, that would
 * be forgotten with it.
 */
async function whatItForbids(host: StoreAwayParts['host'], { sessionId }: SessionRecord): Promise<string | null> {
  try {
    await using session = await host.open(sessionId, { readOnly: true });
    const { settings } = session.view;
    const said = securitySettings.filter((name) => (settings[name] ?? null) !== null);
    return said.length === 0
      ? null
      : `the next session of its conversation takes over what it says of: ${said.join(', ')}`;
  } catch (error) {
    if (VarveError.is(error, 'VARVE_STORE_MISSING')) return null;
    return 'it cannot be read, and may say what is forbidden in its conversation';
  }
}
