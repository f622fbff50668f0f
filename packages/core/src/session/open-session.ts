import type { BudgetOptions } from '../budget.ts';
import type { Clock } from '../clock.ts';
import type { Store } from '../journal/store.ts';
import type { ContextEngine } from '../plugins/engine.ts';
import type { EventBus } from '../plugins/events.ts';
import { createHealthRecord } from '../plugins/health.ts';
import type { Hooks } from '../plugins/hooks.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import type { Ulid } from '../units.ts';
import { createSession, type Session } from './session.ts';
import { openSessionJournal } from './session-journal.ts';

/** What a host gives to each session that it opens. */
export interface OpenSessionOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly counter: TokenCounter;
  readonly budget: BudgetOptions;
  readonly events: EventBus;
  readonly hooks: Hooks;
  readonly optionsHash: string;
  readonly mintId: () => Ulid;
  /** `null` for the reference path. */
  readonly engine: ContextEngine | null;
  readonly key: string | undefined;
  readonly agentId: string | undefined;
  /** Called when the session has been closed. */
  forget(): void;
}

/** Opens the journal of a session, begins it when there is none, and makes the session around it. */
export async function openSession(sessionId: string, options: OpenSessionOptions): Promise<Session> {
  const { store, clock, events, mintId, key, agentId } = options;
  const header = {
    v: 1,
    sessionId,
    createdAt: clock.now(),
    ...(agentId === undefined ? {} : { agentId }),
    ...(key === undefined ? {} : { key }),
  } as const;
  const journal = await store.open(sessionId, { create: header });
  const opened = await openSessionJournal(journal, {
    clock,
    mintId,
    onAppend: (entry) => events.emit('entry-appended', { sessionId, seq: entry.seq, entry }),
  });
  if (opened.folded().lastSeq === 0) events.emit('session-created', { sessionId });
  const { counter, hooks, engine, budget, optionsHash } = options;
  const session = createSession({
    sessionId,
    key: journal.header.key ?? key ?? null,
    clock,
    counter,
    events,
    hooks,
    health: createHealthRecord(),
    journal: opened,
    engine,
    budget,
    optionsHash,
    lastPrompt: null,
  });
  const close = async (): Promise<void> => {
    try {
      await session.close();
    } finally {
      options.forget();
    }
  };
  return { ...session, close, [Symbol.asyncDispose]: close };
}
