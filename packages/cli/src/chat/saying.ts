import { randomUUID } from 'node:crypto';
import { type Inbound, VarveError } from '@varve/core';
import type { ChatView } from './chat-view.ts';
import { lockedError } from './lock-conversation.ts';
import type { OpenTalk } from './open-talk.ts';
import { statusNote } from './status-note.ts';
import { type Talk, terminal } from './talk-of-key.ts';

/** What messages are said with. */
export interface SayingParts {
  readonly talk: Talk;
  readonly open: OpenTalk;
  readonly view: ChatView;
  /** Ends everything. */
  readonly signal: AbortSignal | undefined;
  /**
   * Whether a message is given to the conversation as soon as it is there, so that it is stored while another one is
   * answered; else each waits for the answer before it, so that it gets one of its own.
   */
  readonly isAtOnce: boolean;
  /** Called when all that was said has been answered. */
  onIdle(): void;
  /** Called for what ends the chat, such as a conversation that another process has taken. */
  onError(): void;
}

/** Gives messages to the conversation, and shows what comes of them. */
export interface Saying {
  say(text: string, messageId?: string): void;
  /** Whether anything waits for an answer. */
  isBusy(): boolean;
  /** Stops the answers that are under way; what was said is stored. */
  stop(reason: string): void;
  /** Waits for all answers. Resolves to whether every message got one. */
  end(): Promise<boolean>;
}

/** Makes it. */
export function createSaying(parts: SayingParts): Saying {
  const { open, view, isAtOnce, onIdle, onError } = parts;
  const running = new Set<AbortController>();
  let waiting = 0;
  let isWell = true;
  let last: Promise<unknown> = Promise.resolve();
  const failures: unknown[] = [];
  const say = async (text: string, messageId: string): Promise<void> => {
    if (failures.length > 0 || parts.signal?.aborted === true) return;
    const controller = new AbortController();
    running.add(controller);
    try {
      const received = await receive(parts, { text, messageId, own: controller.signal });
      isWell &&= received.status !== 'failed';
      await view.received(received);
      const status = await statusNote(open);
      if (status !== null) await view.note(status);
    } finally {
      running.delete(controller);
    }
  };
  return {
    say: (text, messageId = randomUUID()) => {
      waiting += 1;
      const done = (isAtOnce ? say(text, messageId) : last.then(() => say(text, messageId)))
        .catch((error: unknown) => {
          failures.push(error);
          onError();
        })
        .finally(() => {
          waiting -= 1;
          if (waiting === 0) onIdle();
        });
      last = Promise.all([last, done]);
    },
    isBusy: () => waiting > 0,
    stop: (reason) => {
      for (const controller of running) controller.abort(reason);
    },
    end: async () => {
      await last;
      if (failures.length > 0) throw failures[0];
      return isWell;
    },
  };
}

function receive(
  { open, talk, view, signal }: SayingParts,
  { text, messageId, own }: { readonly text: string; readonly messageId: string; readonly own: AbortSignal },
): ReturnType<OpenTalk['sessions']['receive']> {
  const inbound: Inbound = {
    ...talk.place,
    messageId,
    sender: { id: terminal, role: 'owner' },
    addressed: 'mention',
    text,
  };
  const linked = signal === undefined ? own : AbortSignal.any([own, signal]);
  return open.sessions.receive(inbound, { signal: linked, onDelta: view.delta }).catch((error: unknown) => {
    // What was stopped before it was stored was said all the same: the next chat answers it.
    const isToStore = VarveError.is(error, 'VARVE_ABORTED') && !/^\s*\/\w/.test(text);
    if (isToStore) return open.sessions.receive(inbound, { answer: false });
    throw lockedError(error, open.keyText);
  });
}
