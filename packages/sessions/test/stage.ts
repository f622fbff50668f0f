import {
  type AssistantMessage,
  createHost,
  type Entry,
  type Host,
  type HostOptions,
  type ModelPort,
  memoryStore,
  type SessionRecord,
  type Store,
} from '@varve/core';
import { createSessions, type Sessions, type SessionsOptions } from '@varve/sessions';
import { type ManualClock, manualClock } from '@varve/testkit';

/** Conversations over a store in memory, with a clock that stands still and ids that count up. */
export interface Stage extends AsyncDisposable {
  readonly store: Store;
  readonly clock: ManualClock;
  readonly host: Host;
  readonly sessions: Sessions;
  /** Names of the events so far that were asked for. */
  readonly told: readonly string[];
}

/** How a stage is set. */
export interface StageOptions {
  readonly store?: Store;
  readonly clock?: ManualClock;
  readonly host?: Omit<HostOptions, 'store' | 'clock'>;
  readonly sessions?: Omit<SessionsOptions, 'host'>;
}

/** The events of lifecycles, which {@link Stage.told} names. */
const lifecycleEvents = [
  'session-created',
  'session-woken',
  'session-activated',
  'session-rested',
  'session-hibernated',
  'session-reset',
  'session-restored',
  'session-archived',
  'session-forked',
  'warning',
] as const;

/** Sets a stage. */
export async function setStage(options: StageOptions = {}): Promise<Stage> {
  const { store = memoryStore(), clock = manualClock() } = options;
  const host = await createHost({ ...options.host, store, clock });
  const told: string[] = [];
  for (const name of lifecycleEvents) {
    host.events.on(name, (event) => {
      const { reason = 'text' in event ? event.text : '' } = event as { readonly reason?: string };
      told.push(reason === '' ? name : `${name}: ${reason}`);
    });
  }
  const sessions = createSessions({ ...options.sessions, host });
  return {
    store,
    clock,
    host,
    sessions,
    told,
    [Symbol.asyncDispose]: async () => {
      await sessions.close();
      await host.close();
    },
  };
}

/** Says something in a conversation, and gives the session in which it stands. */
export async function say(sessions: Sessions, keyText: string, text: string): Promise<string> {
  return sessions.use(keyText, async (session) => {
    await session.ingest({ role: 'user', content: text });
    return session.sessionId;
  });
}

/** What the messages of a journal say, as the store holds them. */
export async function textsOf(store: Store, sessionId: string): Promise<string[]> {
  const texts: string[] = [];
  for (const entry of await entriesOf(store, sessionId)) {
    if (entry.type === 'message') texts.push(JSON.stringify(entry.message.content).slice(1, -1));
  }
  return texts;
}

/** The entries of a journal, as the store holds them. */
export async function entriesOf(store: Store, sessionId: string): Promise<Entry[]> {
  const journal = await store.open(sessionId, { readOnly: true });
  try {
    const entries: Entry[] = [];
    for await (const entry of journal.read()) entries.push(entry);
    return entries;
  } finally {
    await journal.close();
  }
}

/** All records of a store. */
export async function recordsOf(store: Store): Promise<readonly SessionRecord[]> {
  return store.sessions.list({ limit: 1_000 });
}

/** A model that gives one answer after the other. */
export function scriptedPort(answers: readonly Exclude<AssistantMessage['content'], string>[]): ModelPort {
  let asked = 0;
  return {
    ref: { provider: 'test', model: 'scripted' },
    generate: async () => {
      asked += 1;
      return { message: { role: 'assistant', content: answers[asked - 1] ?? [] }, usage: null };
    },
  };
}

/** A model that answers when it is told to, or when it is aborted. */
export function heldModel(): { readonly port: ModelPort; readonly asked: Promise<void>; answer(): void } {
  let answer = (): void => undefined;
  let ask = (): void => undefined;
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const asked = new Promise<void>((resolve) => {
    ask = resolve;
  });
  const port: ModelPort = {
    ref: { provider: 'test', model: 'held' },
    generate: async (_request, { signal } = {}) => {
      ask();
      await Promise.race([
        answered,
        new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
      ]);
      return { message: { role: 'assistant', content: 'Done.', stop: 'stop' }, usage: null };
    },
  };
  return { port, asked, answer };
}

/** Lets what is under way go on until nothing does that needs no time. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 50; round += 1) await new Promise((resolve) => setImmediate(resolve));
}
