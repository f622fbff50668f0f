import { type Host, type JsonValue, type SessionRecord, VarveError } from '@varve/core';
import { emitEvent } from '@varve/core/host';
import { z } from 'zod';
import { eventBaseOf } from '../generation/session-events.ts';
import { archiveSession } from './archive-session.ts';
import { type ChangeLine, failedLine } from './change-line.ts';
import { type ChangeOptions, checkChangeOptions } from './change-options.ts';
import { checkOptions } from './check-options.ts';
import { findRecords, generationOf } from './find-records.ts';
import type { ListingParts } from './listing-parts.ts';
import { type OpenChildren, openChildren } from './open-children.ts';
import { refuseForChildren, refuseForChildrenNow } from './refuse-for-children.ts';
import { checkFilter, type SessionFilter } from './session-list-query.ts';

/** What is done with each of many sessions. */
export type BulkAction =
  | { readonly do: 'archive' }
  /** Points their conversations back to them; only of conversations that have no current generation. */
  | { readonly do: 'restore' }
  /** Begins a new generation; only of current ones. */
  | { readonly do: 'reset'; readonly reason: string }
  | { readonly do: 'label'; readonly label: string | null }
  /** Sets a setting; only of current ones. */
  | { readonly do: 'set'; readonly name: string; readonly value: JsonValue };

/** What became of many sessions. */
export interface BulkReport {
  readonly isDryRun: boolean;
  /** One for each session that the filter found, last updated first. */
  readonly lines: readonly ChangeLine[];
  /** True when the signal was aborted before all had their turn; those that had none have no line. */
  readonly isCutShort: boolean;
}

const actionSchema = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('archive') }),
  z.strictObject({ do: z.literal('restore') }),
  z.strictObject({ do: z.literal('reset'), reason: z.string().min(1) }),
  z.strictObject({ do: z.literal('label'), label: z.string().nullable() }),
  z.strictObject({ do: z.literal('set'), name: z.string().min(1), value: z.json() }),
]);

/** What is known of a run while it goes on. */
interface Run {
  readonly parts: ListingParts;
  readonly action: BulkAction;
  readonly isDryRun: boolean;
  /** Conversations that were pointed back, or would be. */
  readonly restored: Set<string>;
  /** Sub-agents that were open when the run began, where they are asked about. */
  readonly children: OpenChildren;
}

/**
 * Changes all sessions that a filter finds, one after the other. Which those are is settled before the first is changed.
 * What goes wrong with one is on its line, and the next one follows. Waits for what goes on in a conversation; not to be
 * called from within one.
 *
 * @throws VARVE_OPTION_INVALID
 */
export async function changeSessions(
  parts: ListingParts,
  { filter, action }: { readonly filter: SessionFilter; readonly action: BulkAction },
  options: ChangeOptions = {},
): Promise<BulkReport> {
  checkFilter(filter, 'sessions.bulk');
  checkOptions(action, { schema: actionSchema, what: 'sessions.bulk' });
  checkChangeOptions(options, 'sessions.bulk');
  const { dryRun: isDryRun = false, signal } = options;
  const found: string[] = [];
  for await (const { sessionId } of findRecords(parts, filter)) found.push(sessionId);
  const children: OpenChildren = action.do === 'archive' ? await openChildren(parts.host.sessions) : new Map();
  const run: Run = { parts, action, isDryRun, restored: new Set(), children };
  const lines: ChangeLine[] = [];
  for (const sessionId of found) {
    if (signal?.aborted === true) break;
    lines.push(await changeOne(run, sessionId));
  }
  return { isDryRun, lines, isCutShort: lines.length < found.length };
}

async function changeOne(run: Run, sessionId: string): Promise<ChangeLine> {
  let key: string | null = null;
  try {
    const record = await run.parts.host.sessions.get(sessionId);
    if (record === null) return { sessionId, key, outcome: 'skipped', why: 'there is no such session any more' };
    key = record.key;
    const why = (await refuse(run, record)) ?? (run.isDryRun ? null : await change(run, record));
    if (why !== null) return { sessionId, key, outcome: 'skipped', why };
    return { sessionId, key, outcome: run.isDryRun ? 'planned' : 'done', why: null };
  } catch (error) {
    return failedLine({ sessionId, key }, error);
  }
}

/** Why a session is not changed, as far as its record says; `null` when nothing speaks against it. */
async function refuse({ parts, action, restored, children }: Run, record: SessionRecord): Promise<string | null> {
  const { generations } = parts;
  const { key, state, label } = record;
  switch (action.do) {
    case 'archive':
      return state === 'archived' ? 'it is archived already' : refuseForChildren(parts, record, children);
    case 'restore': {
      if (state === 'open') return 'it is not archived';
      if (key === null) return null;
      if (restored.has(key)) return 'a later generation of its conversation is restored';
      const current = await generations.current(key);
      if (current !== null) return `its conversation goes on in session ${current.sessionId}`;
      restored.add(key);
      return null;
    }
    case 'label':
      return label === action.label ? 'it has that label already' : null;
    case 'reset':
    case 'set':
      return (await generationOf(generations, record)) === 'current' ? null : 'it is no current generation';
  }
}

/** Changes a session. Gives the reason why it was left as it is after all, else `null`. */
async function change({ parts, action, children }: Run, record: SessionRecord): Promise<string | null> {
  const { host, changes, live } = parts;
  const { sessionId, key } = record;
  switch (action.do) {
    case 'archive':
      return archiveSession(parts, record, {
        reason: 'asked',
        refuse: (now) => refuseForChildrenNow(parts, now, children),
      });
    case 'restore':
      if (key !== null) await changes.restore(key, sessionId);
      else {
        await unpack(host, sessionId);
        const restored = await host.sessions.patch(sessionId, { state: 'open' });
        emitEvent(host, 'session-restored', { ...eventBaseOf(restored), previousSessionId: null });
      }
      return null;
    case 'reset':
      await changes.reset(key ?? '', { reason: action.reason });
      return null;
    case 'label':
      await host.sessions.patch(sessionId, { label: action.label });
      return null;
    case 'set':
      await live.use(key ?? '', (session) => session.set(action.name, action.value));
      return null;
  }
}

/** Makes a journal again what it was; a session may have a record and none. */
async function unpack({ archives }: Host, sessionId: string): Promise<void> {
  try {
    await archives?.unpack(sessionId);
  } catch (error) {
    if (!VarveError.is(error, 'VARVE_STORE_MISSING')) throw error;
  }
}
