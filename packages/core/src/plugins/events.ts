import { EventEmitter } from 'eventemitter3';
import type { CompactOutcome } from '../compaction/compaction.ts';
import type { DraftDiff } from '../draft/draft.ts';
import { messageOfError, VarveError } from '../errors.ts';
import type { CompactTrigger, Edit, Entry, HeadEntry, TurnKind } from '../journal/entry.ts';
import type { JsonValue } from '../json-value.ts';
import type { Usage } from '../message.ts';
import type { Prompt } from '../prompt/prompt.ts';
import type { Milliseconds, Seq, Tokens, Ulid } from '../units.ts';
import type { DeliveryDecision } from './delivery.ts';
import type { HookName } from './hooks.ts';

/** What every event of a session says: which session it is, and what is known of it; `null` for what is not. */
export interface EventBase {
  readonly sessionId: string;
  /** The host's own name for the conversation. */
  readonly sessionKey: string | null;
  readonly agentId: string | null;
  /** Key of the session that began this one. */
  readonly parentSessionKey: string | null;
  readonly label: string | null;
  readonly displayName: string | null;
}

/** What every event says that stands for an entry. Together, `seq` and the event's name are unique in a session. */
export interface JournalEventBase extends EventBase {
  readonly seq: Seq;
}

/** What every event about code of a plugin says: whose it is, and where it hangs. */
export interface TapEvent extends EventBase {
  readonly plugin: string;
  readonly hook: HookName;
  readonly tap: string;
}

/** The base of an event that may concern the host as a whole: `sessionId` is `null` then. */
export interface HostEventBase extends Omit<EventBase, 'sessionId'> {
  readonly sessionId: string | null;
}

/**
 * Events that are derived from entries of the journal and from nothing else: once for each entry, in the order of the
 * entries, after they are durable. `session.follow` gives those of the past too.
 */
export interface JournalEvents {
  /** An entry is in the journal, of whatever type. What it implies follows at once. */
  'entry-appended': JournalEventBase & { readonly entry: Entry };
  /** A compaction is in the journal; `reason` is what triggered it. */
  'compaction-committed': JournalEventBase & { readonly reason: CompactTrigger; readonly outcome: CompactOutcome };
  /** Sticky edits of one plugin are in the journal. */
  'edit-recorded': JournalEventBase & { readonly by: string; readonly edits: readonly Edit[] };
  /** A setting has a new value. */
  'setting-changed': JournalEventBase & { readonly name: string; readonly value: JsonValue };
  /** A state slot has a new text; `null` when it was cleared. */
  'state-changed': JournalEventBase & { readonly slot: string; readonly text: string | null };
  /** What follows continues from an earlier entry. */
  'head-moved': JournalEventBase & {
    readonly reason: HeadEntry['reason'];
    readonly targetId: Ulid;
    readonly targetSeq: Seq;
  };
  /** A compaction, edit or state entry was taken back. */
  'entry-revoked': JournalEventBase & { readonly targetId: Ulid };
}

/**
 * Events of this process alone: what it does, and how that went. Packages that emit events of their own add them by
 * declaration merging: `declare module '@varve/core' { interface LiveEvents { 'session-archived': EventBase } }`.
 */
export interface LiveEvents {
  /** A session was opened whose journal did not exist. */
  'session-created': EventBase;
  /** A prompt was made; with `dryRun`, nothing was stored for it. */
  'prompt-assembled': EventBase & { readonly prompt: Prompt; readonly dryRun: boolean };
  /** A turn of `session.turn` begins: those before it have ended. */
  'turn-started': EventBase & { readonly turnId: string; readonly kind: TurnKind };
  /** A turn ended. `failed` says that `session.turn` threw `error`; `steps` counts the calls of the model that answered. */
  'turn-ended': EventBase & {
    readonly turnId: string;
    readonly status: 'answered' | 'aborted' | 'step-limit' | 'failed';
    readonly steps: number;
    readonly usage: Usage;
    readonly error: string | null;
  };
  /** `session.compact` begins to look for a plan; `compaction-committed` or `compaction-refused` follows. */
  'compaction-started': EventBase & { readonly reason: CompactTrigger };
  /** `session.compact` began, and ended without a compaction; `outcome` says why. */
  'compaction-refused': EventBase & { readonly reason: CompactTrigger; readonly outcome: CompactOutcome };
  /** A tap returned in time. */
  'tap-finished': TapEvent & {
    readonly ms: Milliseconds;
    /** For hooks that work on the draft: its tokens before and after the tap. */
    readonly tokensBefore?: Tokens | undefined;
    readonly tokensAfter?: Tokens | undefined;
    /** For the same hooks: the entries whose verdict the tap changed. */
    readonly changes?: DraftDiff['changes'] | undefined;
  };
  /** A tool gave an answer in time; `plugin` is `host` for a tool that the host gave to a turn. */
  'tool-finished': EventBase & {
    readonly plugin: string;
    readonly tool: string;
    readonly toolCallId: string;
    readonly ms: Milliseconds;
  };
  /** A tap or a tool threw, was late, or returned something of the wrong shape. `tap` is the tool's name for a tool. */
  'plugin-failed': EventBase & {
    readonly plugin: string;
    readonly hook: HookName | 'tool';
    readonly tap: string;
    readonly error: string;
  };
  /** An engine's method failed and the reference path was taken instead. */
  'engine-degraded': EventBase & { readonly engine: string; readonly method: string; readonly error: string };
  /** Messages were made to say nothing: what was derived from the journal before may still quote them. */
  'entries-forgotten': EventBase & { readonly seqs: readonly Seq[]; readonly reason: string };
  /** Something was about to leave the session, and this was decided. */
  'delivery-decided': EventBase & { readonly decision: DeliveryDecision };
  /** Something is not as it should be, but nothing failed. `sessionId` is `null` when it concerns no session. */
  warning: HostEventBase & { readonly text: string };
}

/** Every event with what it carries. Events report what has happened; nothing waits for their listeners. */
export interface HostEvents extends JournalEvents, LiveEvents {}

/** Name of an event. */
export type EventName = keyof HostEvents;

/** An event of the journal with its name. */
export type JournalEvent = {
  readonly [Name in keyof JournalEvents]: { readonly name: Name; readonly event: JournalEvents[Name] };
}[keyof JournalEvents];

/** Ends a subscription; calling it twice does nothing. */
export interface Unsubscribe extends Disposable {
  (): void;
}

/** Where listeners subscribe. */
export interface Events {
  /**
   * Calls `listener` for every later event of that name, in the order of emission. A listener that throws or rejects
   * becomes a `warning`, and so does a number of listeners of one event that looks like a leak: more than 100.
   *
   * *Contract:* the listener is not awaited and gets frozen data.
   */
  on<Name extends EventName>(
    name: Name,
    listener: (event: HostEvents[Name]) => unknown,
    options?: { readonly signal?: AbortSignal },
  ): Unsubscribe;
}

/** The bus: core emits, everybody listens. */
export interface EventBus extends Events {
  /** Queues an event. It is delivered after the code that emits it has given way, in the order of emission. */
  emit<Name extends EventName>(name: Name, event: HostEvents[Name]): void;
  /** Whether an event would reach anybody, for what is only worked out to be told. */
  readonly hasListeners: (name: EventName) => boolean;
}

/** More listeners of one event than this are a leak, as far as anybody can tell. */
const manyListeners = 100;

/** What an event says that concerns no session. */
export const noSession: HostEventBase = Object.freeze({
  sessionId: null,
  sessionKey: null,
  agentId: null,
  parentSessionKey: null,
  label: null,
  displayName: null,
});

interface Queued {
  readonly name: EventName;
  readonly event: HostEventBase;
  readonly number: number;
}

/** Makes a bus without listeners. */
export function createEventBus(): EventBus {
  const emitter = new EventEmitter();
  const queue: Queued[] = [];
  const suspected = new Set<EventName>();
  /** Events that somebody listens to: asked at each of them, where hardly any has a listener. */
  const heard: Partial<Record<EventName, boolean>> = {};
  let emitted = 0;

  const drain = (): void => {
    // What listeners emit meanwhile goes to the end of the queue, and is reached, too.
    for (const next of queue) emitter.emit(next.name, next);
    queue.length = 0;
  };
  const emit: EventBus['emit'] = (name, event) => {
    if (heard[name] !== true) return;
    emitted += 1;
    queue.push({ name, event: Object.freeze<HostEventBase>({ ...event }), number: emitted });
    if (queue.length === 1) queueMicrotask(drain);
  };
  const warn = ({ name, event }: Queued, error: unknown): void => {
    if (name === 'warning') return;
    emit('warning', { ...baseOf(event), text: `A listener of "${name}" failed: ${messageOfError(error)}` });
  };
  const suspectLeak = (name: EventName): void => {
    const count = emitter.listenerCount(name);
    if (count <= manyListeners || suspected.has(name)) return;
    suspected.add(name);
    emit('warning', {
      ...noSession,
      text: `"${name}" has ${count} listeners: somebody subscribes and does not end it.`,
    });
  };
  return {
    emit,
    hasListeners: (name) => heard[name] === true,
    on: (name, listener, options = {}) => {
      checkSubscription({ name, listener, options });
      const { signal } = options;
      const since = emitted;
      let isOn = signal?.aborted !== true;
      const deliver = (queued: Queued): void => {
        // The emitter calls whoever was there when a delivery began; and what was emitted before is not a later event.
        if (isOn && queued.number > since) tell(queued, { listener, warn });
      };
      const off = (): void => {
        isOn = false;
        emitter.off(name, deliver);
        heard[name] = emitter.listenerCount(name) > 0;
        signal?.removeEventListener('abort', off);
      };
      if (isOn) {
        emitter.on(name, deliver);
        heard[name] = true;
        signal?.addEventListener('abort', off, { once: true });
        suspectLeak(name);
      }
      return Object.assign(off, { [Symbol.dispose]: off });
    },
  };
}

/** Checks what a listener subscribes with, which may come from plain JavaScript. @throws VARVE_OPTION_INVALID */
function checkSubscription({ name, listener, options }: { readonly [given: string]: unknown }): void {
  const isName = typeof name === 'string' && name !== '';
  const wrong = isName ? (typeof listener === 'function' ? 'options' : 'listener') : 'name';
  const isObject = typeof options === 'object' && options !== null;
  if (wrong === 'options' && isObject && isSignal((options as { readonly signal?: unknown }).signal)) return;
  throw new VarveError('VARVE_OPTION_INVALID', `What listens to events has no valid ${wrong}.`, {
    fix: 'Call events.on with the name of an event, a function, and { signal } or nothing.',
    details: { path: wrong },
  });
}

function isSignal(signal: unknown): boolean {
  if (signal === undefined) return true;
  return typeof signal === 'object' && signal !== null && 'aborted' in signal && 'addEventListener' in signal;
}

function baseOf({
  sessionId,
  sessionKey,
  agentId,
  parentSessionKey,
  label,
  displayName,
}: HostEventBase): HostEventBase {
  return { sessionId, sessionKey, agentId, parentSessionKey, label, displayName };
}

/** Calls a listener whose failures, at once or later, go to `warn` and nowhere else. */
function tell(
  queued: Queued,
  { listener, warn }: { readonly listener: (event: never) => unknown; warn(queued: Queued, error: unknown): void },
): void {
  try {
    const result = listener(queued.event as never);
    // Most listeners return nothing, and nothing can fail later.
    if (result === undefined) return;
    void Promise.resolve(result).catch((error: unknown) => warn(queued, error));
  } catch (error) {
    warn(queued, error);
  }
}
