import { type Clock, type Milliseconds, type Session, VarveError } from '@varve/core';
import { emitEvent, messageOfError, workOfSession } from '@varve/core/host';
import { type GenerationNames, type GenerationParts, wakeGeneration } from '../generation/begin-generation.ts';
import { eventBaseOf } from '../generation/session-events.ts';
import { heldBytes } from './held-bytes.ts';
import { createLiveKey, type LiveKey } from './live-key.ts';
import { createResting, isClean, type Resting } from './resting.ts';

/** How many conversations are awake at once, and for how long. */
export interface LiveOptions {
  /** Those that somebody works with stay awake beyond it. @default 500 */
  readonly maxSessions?: number | undefined;
  /** About how much memory they hold together, as `heldBytes` of {@link LiveState} says. @default 268 435 456 */
  readonly maxBytes?: number | undefined;
  /** How long one stays awake after its last use. @default 1 800 000, half an hour */
  readonly idleMs?: Milliseconds | undefined;
}

/** A conversation that is awake. */
export interface LiveState {
  readonly keyText: string;
  readonly sessionId: string;
  /** `active` while somebody works with it. */
  readonly state: 'active' | 'idle' | 'compacting';
  readonly awakeSince: Milliseconds;
  readonly lastUsedAt: Milliseconds;
  /** About how much memory it holds: its messages, two bytes a character, and a fixed amount for it and for each. */
  readonly heldBytes: number;
}

/** What somebody may do who changes the generations of a key. */
export interface Hands {
  /** The current generation, awake; `null` where there is none: none is begun. */
  current(): Promise<Session | null>;
  /** Closes the one that is awake. */
  sleep(): Promise<void>;
  /** Says which open session is the current generation from now on. It stays awake. */
  keep(session: Session): void;
}

/** What live sessions work with. */
export interface LiveParts extends GenerationParts {
  readonly clock: Clock;
  readonly live?: LiveOptions | undefined;
}

/** The conversations of one host that are awake, by their keys. */
export class AwakeSessions {
  readonly #parts: LiveParts;
  readonly #keys = new Map<string, LiveKey>();
  readonly #resting: Resting;
  /** Changes of generations that are under way. */
  readonly #changes = new Set<Promise<unknown>>();
  #awake = 0;
  #bytes = 0;
  #closing: Promise<void> | null = null;

  constructor(parts: LiveParts) {
    this.#parts = parts;
    const { maxSessions, maxBytes, idleMs } = withDefaults(parts.live);
    const hibernate = (live: LiveKey, reason: string): Promise<void> => this.#sleep(live, reason);
    this.#resting = createResting({ clock: parts.clock, maxSessions, maxBytes, idleMs, hibernate });
  }

  async use<Result>(
    keyText: string,
    work: (session: Session) => Promise<Result>,
    { names, joins }: { readonly names: GenerationNames; readonly joins: boolean },
  ): Promise<Result> {
    const live = this.#keyOf(keyText);
    const working = async (): Promise<Result> => {
      this.#assertOpen();
      return work(await this.#wake(live, names));
    };
    try {
      return await (joins ? live.lock.join(working) : live.lock.share(working));
    } finally {
      this.#settle(live);
    }
  }

  async change<Result>(
    keyText: string,
    work: (hands: Hands) => Promise<Result>,
    { abort }: { readonly abort?: string | undefined },
  ): Promise<Result> {
    const live = this.#keyOf(keyText);
    const stopAborting = abort === undefined ? (): void => undefined : this.#abortTurns(live, abort);
    const working = async (): Promise<Result> => {
      stopAborting();
      await live.closing;
      this.#assertOpen();
      return this.#track(work(this.#handsOf(live)));
    };
    try {
      return await live.lock.alone(working);
    } finally {
      stopAborting();
      this.#settle(live);
    }
  }

  awake(keyText: string): Session | null {
    return this.#keys.get(keyText)?.session ?? null;
  }

  states(): readonly LiveState[] {
    return [...this.#keys.values()].flatMap((live) => (live.session === null ? [] : [stateOf(live, live.session)]));
  }

  async hibernate(keyText: string): Promise<boolean> {
    const live = this.#keys.get(keyText);
    if (live === undefined || !isClean(live)) return false;
    await this.#sleep(live, 'asked');
    return true;
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  #keyOf(keyText: string): LiveKey {
    this.#assertOpen();
    const known = this.#keys.get(keyText) ?? createLiveKey(keyText);
    this.#keys.set(keyText, known);
    this.#resting.remove(known);
    return known;
  }

  /** The current generation, awake. Whether it still is the current one is looked up by the first of those who come. */
  async #wake(live: LiveKey, names: GenerationNames): Promise<Session> {
    if (live.session === null || !live.isCurrent) {
      live.waking ??= this.#open(live, names).finally(() => {
        live.waking = null;
      });
      await live.waking;
    }
    const { session } = live;
    if (session === null) throw closedError();
    const { identity, chatType } = names;
    // Core narrows who takes part where the session is open already: also in one that has just been woken.
    if (identity !== undefined || chatType !== undefined) {
      await this.#parts.host.open(session.sessionId, { key: live.keyText, identity, chatType });
    }
    if (!live.isActive) emitEvent(this.#parts.host, 'session-activated', eventBaseOf(session.info()));
    live.isActive = true;
    return session;
  }

  /** Opens the current generation, or finds that it is the one that is open. With `null`, none is begun. */
  async #open(live: LiveKey, names: GenerationNames | null): Promise<void> {
    const { host } = this.#parts;
    await live.closing;
    const known = live.session;
    if (known === null) {
      this.#awake += 1;
      await this.#resting.makeRoom({ sessions: this.#awake, bytes: this.#bytes });
    }
    let woken: Awaited<ReturnType<typeof wakeGeneration>> = null;
    try {
      woken = await wakeGeneration(this.#parts, { keyText: live.keyText, names });
    } finally {
      if (known === null) this.#awake -= 1;
    }
    // Somebody else, in another process, may have changed which one is the current one, or closed it.
    if (woken?.session === known) live.isCurrent = woken !== null;
    else {
      await this.#sleep(live, null);
      if (woken === null) return;
      this.#keep(live, woken.session);
      if (!woken.isNew) emitEvent(host, 'session-woken', eventBaseOf(woken.session.info()));
    }
  }

  #keep(live: LiveKey, session: Session): void {
    const now = this.#parts.clock.now();
    Object.assign(live, { session, isCurrent: true, awakeSince: now, lastUsedAt: now });
    this.#awake += 1;
  }

  /** Closes a session, which can then be opened anew. @param reason  For those who listen; `null` where it is no sleep. */
  #sleep(live: LiveKey, reason: string | null): Promise<void> {
    const { session } = live;
    if (session === null) return live.closing ?? Promise.resolve();
    const { host } = this.#parts;
    const base = eventBaseOf(session.info());
    this.#awake -= 1;
    this.#bytes -= live.bytes;
    Object.assign(live, { session: null, isCurrent: false, isActive: false, bytes: 0 });
    this.#resting.remove(live);
    live.closing = session
      .close()
      .catch((error: unknown) => {
        const text = `A session could not be closed: ${messageOfError(error)}`;
        emitEvent(host, 'warning', { ...base, text });
      })
      .then(() => {
        live.closing = null;
        if (reason !== null) emitEvent(host, 'session-hibernated', { ...base, reason });
        this.#forget(live);
      });
    return live.closing;
  }

  /** Called when somebody has ended working with a key. */
  #settle(live: LiveKey): void {
    if (live.lock.isUsed()) return;
    live.isCurrent = false;
    const { session } = live;
    if (session === null || this.#closing !== null) {
      this.#forget(live);
      return;
    }
    const { host, clock } = this.#parts;
    const bytes = heldBytes(session);
    this.#bytes += bytes - live.bytes;
    live.bytes = bytes;
    live.lastUsedAt = clock.now();
    if (live.isActive) emitEvent(host, 'session-rested', eventBaseOf(session.info()));
    live.isActive = false;
    this.#resting.add(live);
    void this.#resting.makeRoom({ sessions: this.#awake, bytes: this.#bytes });
  }

  /** Nothing is kept of a key that is asleep, however many there are. */
  #forget(live: LiveKey): void {
    if (live.lock.isUsed() || live.session !== null || live.closing !== null) return;
    if (this.#keys.get(live.keyText) === live) this.#keys.delete(live.keyText);
  }

  #handsOf(live: LiveKey): Hands {
    return {
      current: async () => {
        await this.#open(live, null);
        return live.session;
      },
      sleep: () => this.#sleep(live, null),
      keep: (session) => this.#keep(live, session),
    };
  }

  /** Aborts the turns that run, and those that begin until nobody works with the key any more. */
  #abortTurns(live: LiveKey, reason: string): () => void {
    const abort = (): unknown => live.session?.abort(reason);
    abort();
    return this.#parts.host.events.on('turn-started', ({ sessionId }) => {
      if (sessionId === live.session?.sessionId) abort();
    });
  }

  async #track<Result>(changing: Promise<Result>): Promise<Result> {
    this.#changes.add(changing);
    try {
      return await changing;
    } finally {
      this.#changes.delete(changing);
    }
  }

  async #end(): Promise<void> {
    this.#resting.close();
    const lives = [...this.#keys.values()];
    await Promise.allSettled([...this.#changes, ...lives.map(({ waking }) => waking)]);
    const closed = await Promise.allSettled(lives.map(async ({ session, closing }) => session?.close() ?? closing));
    this.#keys.clear();
    const failed = closed.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
    if (failed.length > 0) throw new AggregateError(failed, 'Some conversations could not be closed.');
  }

  #assertOpen(): void {
    if (this.#closing !== null) throw closedError();
  }
}

function stateOf({ keyText, lock, awakeSince, lastUsedAt }: LiveKey, session: Session): LiveState {
  const { isCompacting } = workOfSession(session);
  const { sessionId } = session;
  const state = isCompacting ? 'compacting' : lock.isUsed() ? 'active' : 'idle';
  return { keyText, sessionId, state, awakeSince, lastUsedAt, heldBytes: heldBytes(session) };
}

function withDefaults({ maxSessions = 500, maxBytes = 268_435_456, idleMs = 1_800_000 }: LiveOptions = {}): {
  readonly maxSessions: number;
  readonly maxBytes: number;
  readonly idleMs: Milliseconds;
} {
  return { maxSessions, maxBytes, idleMs };
}

function closedError(): VarveError {
  return new VarveError('VARVE_SESSION_CLOSED', 'The conversations have been closed.', {
    fix: 'Make new ones with createSessions.',
  });
}
