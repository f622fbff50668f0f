import type { Left, ReturnAddress } from '../egress/outgoing.ts';

/** The answer that left a conversation last, and where it went. */
interface GivenAnswer {
  readonly sessionId: string;
  /** Seq of the last entry when it left: it can have answered no later message. */
  readonly atSeq: number;
  readonly text: string;
  readonly left: Left;
  readonly to: readonly ReturnAddress[];
}

/** Remembers it while messages wait that it may have answered, too. */
export interface LatestAnswer {
  is(given: GivenAnswer): void;
  /** The one that can have answered a message of a generation; `null` for none. */
  of(message: { readonly sessionId: string; readonly seq: number }): GivenAnswer | null;
}

/** What goes on in one conversation, so that messages are taken in the order in which they come. */
export interface ConversationQueue {
  /** Takes one message after the other: stores it, or carries a command out. No model is asked meanwhile. */
  take<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Answers one after the other, and sends each answer before the next is made. */
  answer<Result>(work: () => Promise<Result>): Promise<Result>;
  /**
   * Does what takes long beside all else, as a compaction that was asked for.
   *
   * @param key  The key of the message that asks for it.
   */
  beside<Result>(key: string, work: () => Promise<Result>): Promise<Result>;
  /** Whether what a message asks for goes on beside all else. */
  isBeside(key: string): boolean;
  /** Whether anything is answered, waits for it, or goes on beside. */
  isBusy(): boolean;
  /** Aborts all of that. `true` when there was something. */
  abort(reason: string): boolean;
  readonly latest: LatestAnswer;
  /** A signal for one message: aborted by its caller, and by `abort`. `end` lets go of it. */
  signalFor(own: AbortSignal | undefined): { readonly signal: AbortSignal; end(): void };
}

/** The queues of all conversations in which something goes on. */
export interface ConversationQueues {
  /** Works with the queue of a conversation; it is forgotten when nobody does. */
  with<Result>(keyText: string, work: (queue: ConversationQueue) => Promise<Result>): Promise<Result>;
  /** Aborts what is being answered in a conversation. */
  abort(keyText: string, reason: string): boolean;
}

/** Makes them, with nothing going on. */
export function createConversationQueues(): ConversationQueues {
  const all = new Map<string, { readonly queue: ConversationQueue; users: number }>();
  return {
    with: async (keyText, work) => {
      const used = all.get(keyText) ?? { queue: createQueue(), users: 0 };
      all.set(keyText, used);
      used.users += 1;
      try {
        return await work(used.queue);
      } finally {
        used.users -= 1;
        if (used.users === 0) all.delete(keyText);
      }
    },
    abort: (keyText, reason) => all.get(keyText)?.queue.abort(reason) ?? false,
  };
}

function createQueue(): ConversationQueue {
  const take = inOrder();
  const answer = inOrder();
  const ending = new Set<AbortController>();
  const beside = new Set<string>();
  let busy = 0;
  const counted = async <Result>(working: () => Promise<Result>): Promise<Result> => {
    busy += 1;
    try {
      return await working();
    } finally {
      busy -= 1;
    }
  };
  let given: GivenAnswer | null = null;
  return {
    latest: {
      is: (answer) => {
        given = answer;
      },
      of: ({ sessionId, seq }) => (given?.sessionId === sessionId && seq <= given.atSeq ? given : null),
    },
    take,
    answer: (work) => counted(() => answer(work)),
    beside: (key, work) => {
      beside.add(key);
      return counted(work).finally(() => beside.delete(key));
    },
    isBeside: (key) => beside.has(key),
    isBusy: () => busy > 0,
    abort: (reason) => {
      const wasBusy = busy > 0;
      for (const controller of ending) controller.abort(reason);
      return wasBusy;
    },
    signalFor: (own) => {
      const controller = new AbortController();
      const pass = (): void => controller.abort(own?.reason);
      if (own?.aborted === true) pass();
      own?.addEventListener('abort', pass, { once: true });
      ending.add(controller);
      return {
        signal: controller.signal,
        end: () => {
          ending.delete(controller);
          own?.removeEventListener('abort', pass);
        },
      };
    },
  };
}

/** Runs work in the order in which it comes, one after the other, however each ends. */
function inOrder(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work);
    last = next.catch(() => undefined);
    return next;
  };
}
