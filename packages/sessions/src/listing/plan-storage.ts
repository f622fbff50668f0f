import type { Host, Milliseconds, SessionRecord } from '@varve/core';
import type { ResolvedPolicy } from './maintenance-policy.ts';
import { spanText } from './span-text.ts';
import { walkRecords } from './walk-records.ts';

/** Why maintenance does something with a session that is archived already. */
export type StorageRule = 'compress' | 'retention';

/** An archived session that a policy does something with. */
export interface PlannedStorage {
  readonly record: SessionRecord;
  readonly rule: StorageRule;
  /** In words, with the figures. */
  readonly why: string;
}

/** What a policy comes to for archived sessions. */
export interface StoragePlan {
  /** Archived sessions that were looked at. */
  readonly looked: number;
  /** The one that was updated longest ago first. */
  readonly changes: readonly PlannedStorage[];
}

/** Says which archived sessions a policy packs or deletes, and changes nothing. What a store cannot pack is not asked for. */
export async function planStorage(
  { host, now }: { readonly host: Host; readonly now: Milliseconds },
  policy: ResolvedPolicy,
): Promise<StoragePlan> {
  const { compressArchivedAfterMs: compressAfter, deleteArchivedAfterMs: deleteAfter, keep } = policy;
  const packs = compressAfter !== false && host.archives !== undefined;
  const changes: PlannedStorage[] = [];
  let looked = 0;
  if (!packs && deleteAfter === false) return { looked, changes };
  let packed: ReadonlySet<string> | null = null;
  for await (const record of walkRecords(host.sessions, { state: 'archived' })) {
    looked += 1;
    const age = now - record.updatedAt;
    if (keep(record)) continue;
    const why = `archived ${spanText(age)} ago`;
    if (deleteAfter !== false && age >= deleteAfter) changes.push({ record, rule: 'retention', why });
    else if (packs && age >= compressAfter) {
      packed ??= new Set(await host.archives?.list());
      if (!packed.has(record.sessionId)) changes.push({ record, rule: 'compress', why });
    }
  }
  return { looked, changes: changes.reverse() };
}
