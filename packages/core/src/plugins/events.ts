import { EventEmitter } from 'eventemitter3';
import type { CompactOutcome } from '../compaction/compaction.ts';
import type { DraftDiff } from '../draft/draft.ts';
import { messageOfError } from '../errors.ts';
import type { Edit, Entry } from '../journal/entry.ts';
import type { Prompt } from '../prompt/prompt.ts';
import type { Milliseconds, Seq, Tokens } from '../units.ts';
import type { HookName } from './hooks.ts';

/** What every event says. */
export interface EventBase {
  readonly sessionId: string;
}

/** What every event about a tap says: whose it is, and where it hangs. */
export interface TapEvent extends EventBase {
  readonly plugin: string;
  readonly hook: HookName;
  readonly tap: string;
}

/** Every event with what it carries. Events report what has happened; nothing waits for their listeners. */
export interface HostEvents {
  /** A session was opened whose journal did not exist. */
  'session-created': EventBase;
  /** An entry is in the journal. */
  'entry-appended': EventBase & { readonly seq: Seq; readonly entry: Entry };
  'prompt-assembled': EventBase & { readonly prompt: Prompt; readonly dryRun: boolean };
  'compaction-committed': EventBase & { readonly seq: Seq; readonly outcome: CompactOutcome };
  'compaction-refused': EventBase & { readonly outcome: CompactOutcome };
  'edit-recorded': EventBase & { readonly by: string; readonly edits: readonly Edit[] };
  'setting-changed': EventBase & { readonly name: string };
  'tap-finished': TapEvent & {
    readonly ms: Milliseconds;
    /** For hooks that work on the draft: its tokens before and after the tap. */
    readonly tokensBefore?: Tokens | undefined;
    readonly tokensAfter?: Tokens | undefined;
    /** For the same hooks: the entries whose verdict the tap changed. */
    readonly changes?: DraftDiff['changes'] | undefined;
  };
  'plugin-failed': TapEvent & { readonly error: string };
  /** An engine's method failed and the reference path was taken instead. */
  'engine-degraded': EventBase & { readonly engine: string; readonly method: string; readonly error: string };
  /** Something is not as it should be, but nothing failed. */
  warning: EventBase & { readonly text: string };
}

/** Name of an event. */
export type EventName = keyof HostEvents;

/** Ends a subscription; calling it twice does nothing. */
export interface Unsubscribe extends Disposable {
  (): void;
}

/** Where listeners subscribe. */
export interface Events {
  /**
   * Calls `listener` for every later event of that name. A listener that throws or rejects becomes a `warning`.
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
  hasListeners(name: EventName): boolean;
}

/** Makes a bus without listeners. */
export function createEventBus(): EventBus {
  const emitter = new EventEmitter();
  const queue: { readonly name: EventName; readonly event: EventBase }[] = [];
  let isDraining = false;

  const drain = (): void => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) emitter.emit(next.name, next.event);
    isDraining = false;
  };
  const emit: EventBus['emit'] = (name, event) => {
    if (emitter.listenerCount(name) === 0) return;
    queue.push({ name, event: Object.freeze<EventBase>({ ...event }) });
    if (isDraining) return;
    isDraining = true;
    queueMicrotask(drain);
  };
  const warn = (name: EventName, event: EventBase, error: unknown): void => {
    if (name === 'warning') return;
    const text = `A listener of "${name}" failed: ${messageOfError(error)}`;
    emit('warning', { sessionId: event.sessionId, text });
  };
  return {
    emit,
    hasListeners: (name) => emitter.listenerCount(name) > 0,
    on: (name, listener, { signal } = {}) => {
      const isolated = (event: EventBase): void => {
        try {
          void Promise.resolve(listener(event as never)).catch((error: unknown) => warn(name, event, error));
        } catch (error) {
          warn(name, event, error);
        }
      };
      const off = (): void => {
        emitter.off(name, isolated);
        signal?.removeEventListener('abort', off);
      };
      if (signal?.aborted !== true) {
        emitter.on(name, isolated);
        signal?.addEventListener('abort', off, { once: true });
      }
      return Object.assign(off, { [Symbol.dispose]: off });
    },
  };
}
