import { setTimeout } from 'node:timers/promises';
import type { CompactionEntry, CompactOutcome, Entry, PartsHealth, Plan, Refusal } from '@varve/core';
import { VarveError } from '@varve/core';
import type { ResetResult, SessionListQuery, SessionPage } from '@varve/sessions';
import { figuresOfCompaction } from '../store/session-state.ts';
import type { ShownSession } from '../store/show-session.ts';
import { type RemoteGateway, sessionPath } from './remote-gateway.ts';

/** A page of the sessions of a gateway. */
export async function remotePage(gateway: RemoteGateway, query: SessionListQuery): Promise<SessionPage> {
  const { after, ...rest } = query;
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(rest)) if (value !== undefined) search.set(name, String(value));
  if (after !== undefined) search.set('after', `${after.value}:${after.sessionId}`);
  const page = await gateway.ask<{ readonly sessions: SessionPage['sessions']; readonly next: string | null }>(
    `/v1/sessions?${search}`,
  );
  const { sessions, next } = page;
  const colon = next?.indexOf(':') ?? -1;
  return {
    sessions,
    next: next === null ? null : { value: Number(next.slice(0, colon)), sessionId: next.slice(colon + 1) },
  };
}

/** What is read of a session that a gateway shows. */
interface RemoteSession extends Pick<ShownSession, 'record' | 'generation' | 'generations' | 'settings'> {
  readonly compaction: CompactionEntry | null;
  readonly health: PartsHealth & Partial<Pick<ShownSession['health'], 'compaction'>>;
}

/** All that a gateway knows of a session. */
export async function remoteSession(gateway: RemoteGateway, name: string): Promise<ShownSession> {
  const { record, generation, generations, settings, ...rest } = await readSession(gateway, name);
  const { ok, compaction = null } = rest.health;
  return {
    ...{ record, generation, generations, settings },
    entries: record.counters.countedSeq,
    isPacked: false,
    lastCompaction: rest.compaction === null ? null : figuresOfCompaction(rest.compaction),
    health: { ok, compaction, malformed: 0 },
  };
}

function readSession(gateway: RemoteGateway, name: string): Promise<RemoteSession> {
  return gateway.ask(sessionPath(name));
}

/** What a compaction would do. */
export async function remotePlan(
  gateway: RemoteGateway,
  name: string,
  focus: string | undefined,
): Promise<Plan | Refusal> {
  const body = focus === undefined ? {} : { instructions: focus };
  const path = `${sessionPath(name)}/plan`;
  const { plan, refusal } = await gateway.ask<{ readonly plan: Plan | null; readonly refusal: Refusal | null }>(
    path,
    body,
  );
  return plan ?? refusal ?? { refused: 'nothing-to-do', why: 'The gateway says no more.' };
}

/** Compacts a session, with the plugins and the models of the gateway. */
export function remoteCompact(
  gateway: RemoteGateway,
  name: string,
  focus: string | undefined,
): Promise<CompactOutcome> {
  return gateway.ask(`${sessionPath(name)}/compact`, focus === undefined ? {} : { instructions: focus });
}

/** Begins a conversation anew. */
export function remoteReset(gateway: RemoteGateway, name: string, reason: string): Promise<ResetResult> {
  return gateway.ask(`${sessionPath(name)}/reset`, { reason });
}

/**
 * Takes an entry back: the one of that seq or id, or the newest compaction.
 *
 * @throws VARVE_COMPACTION_UNKNOWN, VARVE_ENTRY_UNKNOWN
 */
export async function remoteUndo(
  gateway: RemoteGateway,
  name: string,
  entry: string | undefined,
): Promise<{ readonly sessionId: string; readonly undone: Pick<Entry, 'seq' | 'id' | 'type'> }> {
  const { record, compaction } = await readSession(gateway, name);
  const { sessionId } = record;
  const found = entry === undefined ? compaction : await findRemote(gateway, sessionId, entry);
  if (found === null) {
    const code = entry === undefined ? 'VARVE_COMPACTION_UNKNOWN' : 'VARVE_ENTRY_UNKNOWN';
    const what = entry === undefined ? 'compaction in force' : `entry "${entry}"`;
    throw new VarveError(code, `Session "${sessionId}" has no ${what}.`, {
      fix: 'Name an entry by its number, as varve sessions tail shows it.',
    });
  }
  await gateway.ask(`${sessionPath(sessionId)}/undo`, { entryId: found.id });
  return { sessionId, undone: found };
}

async function findRemote(gateway: RemoteGateway, sessionId: string, entry: string): Promise<Entry | null> {
  const types = 'compaction,edit,state,message,setting,head,revoke,request';
  let after: number | null = /^#?\d+$/.test(entry) ? Number(entry.replace('#', '')) - 1 : 0;
  while (after !== null) {
    const path = `${sessionPath(sessionId)}/entries?types=${types}&limit=1000&after=${after}`;
    const page: EntryPage = await gateway.ask(path);
    const found = page.entries.find(({ seq, id }) => id === entry || `${seq}` === entry.replace('#', ''));
    if (found !== undefined) return found;
    after = page.next;
  }
  return null;
}

interface EntryPage {
  readonly sessionId: string;
  readonly entries: readonly Entry[];
  readonly next: number | null;
}

/** What the end of a journal is asked for. */
export interface RemoteTail {
  readonly name: string;
  readonly lines: number;
  readonly messages: boolean;
}

/** The last entries of a session, the oldest first. */
export async function remoteTail(
  gateway: RemoteGateway,
  { name, lines, messages }: RemoteTail,
): Promise<{ readonly sessionId: string; readonly entries: readonly Entry[] }> {
  const found: Entry[] = [];
  let sessionId = '';
  let after: number | null = null;
  do {
    const limit = Math.min(1_000, lines - found.length);
    const search: string = `order=desc&limit=${limit}${messages ? '&types=message' : ''}${after === null ? '' : `&after=${after}`}`;
    const page: EntryPage = await gateway.ask(`${sessionPath(name)}/entries?${search}`);
    found.push(...page.entries);
    ({ sessionId, next: after } = page);
  } while (after !== null && found.length < lines);
  return { sessionId, entries: found.reverse() };
}

/** An entry that was stored, or the session that the conversation goes on in. */
export type RemoteEvent =
  | { readonly kind: 'entry'; readonly entry: Entry }
  | { readonly kind: 'generation'; readonly sessionId: string };

const lookAgainMs = 1_000;

/** What is stored behind an entry, until the signal is aborted: also when the gateway was gone meanwhile. */
export async function* remoteFollow(
  gateway: RemoteGateway,
  { name, place }: { readonly name: string; readonly place: string },
  signal: AbortSignal | undefined,
): AsyncGenerator<RemoteEvent, void, undefined> {
  let lastId = place;
  while (signal?.aborted !== true) {
    try {
      const response = await gateway.stream(`${sessionPath(name)}/events`, lastId);
      for await (const { event, id, data } of eventsIn(response)) {
        lastId = id ?? lastId;
        if (event === 'entry') yield { kind: 'entry', entry: data as Entry };
        if (event === 'generation') yield { kind: 'generation', ...(data as { readonly sessionId: string }) };
      }
    } catch (error) {
      if (VarveError.is(error) && !VarveError.is(error, 'VARVE_USAGE') && !VarveError.is(error, 'VARVE_ABORTED'))
        throw error;
    }
    await setTimeout(lookAgainMs, undefined, { ...(signal && { signal }) }).catch(() => undefined);
  }
}

interface StreamedEvent {
  readonly event: string;
  readonly id: string | null;
  readonly data: unknown;
}

async function* eventsIn({ body }: Response): AsyncGenerator<StreamedEvent, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body ?? []) {
    rest += decoder.decode(chunk, { stream: true });
    const blocks = rest.split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const event = /^event: (.*)$/m.exec(block)?.[1];
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (event === undefined || data === undefined) continue;
      yield { event, id: /^id: (.*)$/m.exec(block)?.[1] ?? null, data: JSON.parse(data) };
    }
  }
}
