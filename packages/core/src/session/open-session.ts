import type { Clock } from '../clock.ts';
import type { Entry, NewEntry } from '../journal/entry.ts';
import { readableJournal } from '../journal/readable-journal.ts';
import type { SessionRecord } from '../journal/session-record.ts';
import type { Journal, JournalHeader, Store } from '../journal/store.ts';
import type { ModelRegistry } from '../model-registry.ts';
import type { ContextEngine } from '../plugins/engine.ts';
import type { EventBase, EventBus } from '../plugins/events.ts';
import { createHealthRecord } from '../plugins/health.ts';
import type { Hooks } from '../plugins/hooks.ts';
import { createSessionEvents } from '../plugins/session-events.ts';
import type { RegisteredTool } from '../plugins/tool-registry.ts';
import { tokensOfEntry } from '../tokens/model-counter.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import type { Ulid } from '../units.ts';
import { rememberRuntime } from './ask/runtime-of-session.ts';
import { disposeEngine } from './close-session.ts';
import { createRunningCompactions } from './compact/running-compactions.ts';
import { createDetachedWork } from './detached-work.ts';
import { createEntryFeed } from './follow/entry-feed.ts';
import { refuseTorn } from './fork/fork-origin.ts';
import { newHeader } from './new-header.ts';
import { openReadOnlyJournal } from './read-only/read-only-journal.ts';
import { readOnlySession } from './read-only/read-only-session.ts';
import { keepSessionRecord, type SessionNames, type SessionRecordKeeper } from './record/session-record-keeper.ts';
import { createSession, type Session } from './session.ts';
import { createSessionActivity } from './session-activity.ts';
import { openSessionJournal } from './session-journal.ts';
import type { SessionRuntime } from './session-runtime.ts';
import { tellUnreadable } from './tell-unreadable.ts';
import { createBackgroundCompaction } from './turn/background-compaction.ts';
import { createSessionTurns } from './turn/session-turns.ts';
import { createTurnLease, noLease } from './turn/turn-lease.ts';

/** What a host gives to each session that it opens. */
export interface OpenSessionOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly counter: TokenCounter;
  readonly budget: SessionRuntime['budget'];
  readonly models: ModelRegistry | null;
  readonly events: EventBus;
  readonly hooks: Hooks;
  readonly tools: readonly RegisteredTool[];
  readonly optionsHash: string;
  readonly mintId: () => Ulid;
  /** `null` for the reference path. */
  readonly engine: ContextEngine | null;
  readonly names: SessionNames;
  readonly previousSessionId: string | undefined;
  /** What a journal without entries begins with. */
  readonly beginning: readonly NewEntry[];
  /** Whether its journal was begun for this, with what it holds already. @default when it holds nothing */
  readonly isBegun?: boolean | undefined;
  /** Looks at the session and appends nothing. */
  readonly readOnly: boolean;
  /** Called with what a close is waiting for, as soon as it is asked for. */
  onClose(closing: Promise<void>): void;
}

/**
 * Opens the journal of a session, begins it when there is none, and makes the session around it. When that fails, the
 * journal is closed and the engine disposed of: nothing of the session is left open.
 */
export async function openSession(sessionId: string, options: OpenSessionOptions): Promise<Session> {
  const { clock, events, engine, names } = options;
  let journal: Journal | null = null;
  try {
    journal = await openJournal(sessionId, options);
    return await openAround(journal, options);
  } catch (error) {
    const told = createSessionEvents(events, () => eventBaseOf({ sessionId }, names));
    // Why the session could not be opened says more than what else fails on the way out.
    await Promise.allSettled([journal?.close(), disposeEngine({ engine, clock, events: told })]);
    throw error;
  }
}

async function openAround(stored: Journal, options: OpenSessionOptions): Promise<Session> {
  const { store, clock, events, names, readOnly } = options;
  let record: SessionRecordKeeper | null = null;
  const told = createSessionEvents(events, () => eventBaseOf(stored.header, record?.current() ?? names));
  const warn = (text: string): void => told.emit('warning', { text });
  const health = createHealthRecord();
  const journal = readableJournal(stored, tellUnreadable({ health, clock, warn }));
  // Read beside the journal's tail, as both wait for a disk or a network.
  const found = (async () => store.sessions.get(journal.header.sessionId))();
  // Whoever waits for it is told; nobody does when the journal cannot be read.
  found.catch(() => undefined);
  const reader = readOnly ? await openReadOnlyJournal(journal, { warn }) : null;
  const begun: Entry[] = [];
  let onAppend = (entry: Entry): void => void begun.push(entry);
  const beforeClose = async (): Promise<void> => record?.finish();
  const writing = { clock, mintId: options.mintId, warn, onAppend: (entry: Entry) => onAppend(entry), beforeClose };
  const opened = reader ?? (await openSessionJournal(journal, writing));
  refuseTorn(journal.header, opened.state().seq);
  const isNew = opened.state().seq === 0;
  // Before there is a record by which others could find it.
  if (isNew && !readOnly && options.beginning.length > 0) await opened.begin(options.beginning);
  const { lastSeq, held, messages } = opened.folded();
  // Counted by another counter: once, now, and not in the middle of a turn.
  for (const entry of [...held, ...messages]) tokensOfEntry(entry, options.counter);
  const feed = createEntryFeed(lastSeq);
  const keeping = { found, names, lastSeq, readOnly, warn, now: () => clock.now() };
  record = await keepSessionRecord(journal, { index: store.sessions, ...keeping });
  if ((isNew || options.isBegun === true) && !readOnly) told.emit('session-created', {});
  for (const entry of begun) told.stored(entry);
  onAppend = (entry) => {
    feed.stored(entry);
    record?.count(entry);
    told.stored(entry);
  };
  const isShared = store.supports.multiProcess === 'full' && !readOnly;
  const leasing = { journal: opened, record, clock, warn };
  const lease = isShared ? createTurnLease({ ...leasing, owner: options.mintId() }) : noLease;
  const runtime = { ...runtimeOf(options, journal), health, events: told, journal: opened, record, feed, lease };
  const session = createSession(runtime);
  const refresh = async (): Promise<void> => {
    await reader?.refresh();
    feed.reached(opened.folded().lastSeq);
    await runtime.record.catchUp();
  };
  const own = reader === null ? session : readOnlySession(session, refresh);
  const stopWatching = store.watch?.(journal.header.sessionId, (seq) => feed.reached(seq));
  const close = (): Promise<void> => {
    stopWatching?.();
    const closing = session.close();
    options.onClose(closing);
    return closing;
  };
  const whole = { ...own, close, [Symbol.asyncDispose]: close };
  rememberRuntime(whole, runtime);
  return whole;
}

async function openJournal(sessionId: string, options: OpenSessionOptions): Promise<Journal> {
  const { store, clock, readOnly } = options;
  if (readOnly) return store.open(sessionId, { readOnly });
  return store.open(sessionId, { create: newHeader(sessionId, { ...options, now: clock.now() }) });
}

type OwnRuntime = Omit<SessionRuntime, 'events' | 'health' | 'journal' | 'record' | 'feed' | 'lease'>;

/** What the operations of the session share and need no journal for. */
function runtimeOf(options: OpenSessionOptions, { header }: Journal): OwnRuntime {
  const { clock, mintId, counter, hooks, tools, engine, budget, models, optionsHash, names, readOnly } = options;
  return {
    sessionId: header.sessionId,
    key: header.key ?? names.key ?? null,
    isReadOnly: readOnly,
    clock,
    mintId,
    counter,
    hooks,
    tools,
    activity: createSessionActivity(),
    turns: createSessionTurns(clock),
    compactions: createRunningCompactions(clock),
    background: createBackgroundCompaction(clock),
    detached: createDetachedWork(clock),
    engine,
    budget,
    models,
    optionsHash,
    lastPrompt: null,
    collectedLayers: null,
  };
}

/** What every event of the session says. */
function eventBaseOf(header: Omit<JournalHeader, 'v' | 'createdAt'>, known: SessionNames | SessionRecord): EventBase {
  return {
    sessionId: header.sessionId,
    sessionKey: header.key ?? known.key ?? null,
    agentId: header.agentId ?? known.agentId ?? null,
    parentSessionKey: known.parentSessionKey ?? null,
    label: known.label ?? null,
    displayName: known.displayName ?? null,
  };
}
