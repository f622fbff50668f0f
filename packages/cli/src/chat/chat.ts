import { randomUUID } from 'node:crypto';
import { type Inbound, VarveError } from '@varve/core';
import type { Received } from '@varve/sessions';
import { type CliIo, writeTo } from '../terminal/cli-io.ts';
import { type ExitCode, exitCodes } from '../terminal/exit-code.ts';
import type { ChatView } from './chat-view.ts';
import type { OpenTalk } from './open-talk.ts';
import type { LineReader } from './read-lines.ts';
import { resumedNote, unansweredMessage } from './resumed.ts';
import { statusNote } from './status-note.ts';
import { type Talk, terminal } from './talk-of-key.ts';

/** What a chat is held with. */
export interface ChatParts {
  readonly io: CliIo;
  readonly talk: Talk;
  readonly open: OpenTalk;
  readonly view: ChatView;
  readonly lines: LineReader;
  /** Whether somebody sits there: what runs is aborted when they leave. */
  readonly isTerminal: boolean;
}

/** Holds the conversation until its end. Messages that come while one is answered wait for their turn. */
export async function chat(parts: ChatParts): Promise<ExitCode> {
  const { lines, view, io, isTerminal } = parts;
  const state = { running: null as AbortController | null, waiting: 0, hasFailed: false, isLeaving: false };
  const say = async (text: string, messageId: string): Promise<void> => {
    if (state.isLeaving || io.signal?.aborted === true) return;
    const controller = new AbortController();
    state.running = controller;
    const signal = io.signal === undefined ? controller.signal : AbortSignal.any([controller.signal, io.signal]);
    const received = await receive(parts, { text, messageId, signal });
    state.running = null;
    state.hasFailed ||= received.status === 'failed';
    await view.received(received);
    await view.note(await statusNote(parts.open));
  };
  let queue: Promise<void> = Promise.resolve();
  const enqueue = (text: string, messageId: string = randomUUID()): void => {
    state.waiting += 1;
    queue = queue
      .then(() => say(text, messageId))
      .finally(() => {
        state.waiting -= 1;
        if (state.waiting === 0 && !state.isLeaving) lines.prompt();
      });
    // What went wrong is thrown when the queue is awaited, and until then nobody else hears of it.
    queue.catch(() => lines[Symbol.dispose]());
  };
  await begin(parts, enqueue);
  if (state.waiting === 0) lines.prompt();
  const stop = (): void => lines[Symbol.dispose]();
  io.signal?.addEventListener('abort', stop, { once: true });
  let asked = false;
  for await (const event of lines) {
    if (event.kind === 'end') break;
    if (event.kind === 'interrupt') {
      if (state.running !== null) state.running.abort('Ctrl-C');
      else if (asked) break;
      else await view.note({ type: 'hint', text: '(Ctrl-C again, Ctrl-D or /quit leaves)' });
      asked = state.running === null;
      lines.prompt();
      continue;
    }
    asked = false;
    if (/^\s*\/(?:quit|exit)\s*$/i.test(event.text)) break;
    if (event.text.trim() === '') lines.prompt();
    else enqueue(event.text);
  }
  io.signal?.removeEventListener('abort', stop);
  if (isTerminal) {
    state.isLeaving = true;
    state.running?.abort('The chat was left.');
  }
  await queue;
  if (isTerminal) await writeTo(io.stdout, '\n');
  if (io.signal?.aborted === true) return exitCodes.interrupted;
  return state.hasFailed ? exitCodes.failures : exitCodes.done;
}

/** Says where the conversation stands, and lets what has no answer yet be answered. */
async function begin(
  { open, view, talk }: ChatParts,
  enqueue: (text: string, messageId: string) => void,
): Promise<void> {
  await view.note(await resumedNote(open));
  const left = await unansweredMessage(open, talk);
  if (left === null) return;
  await view.note({ type: 'unanswered', text: 'Your last message has no answer yet; here it is:', seq: left.seq });
  enqueue(left.text, left.messageId);
}

function receive(
  { open, talk, view }: ChatParts,
  { text, messageId, signal }: { readonly text: string; readonly messageId: string; readonly signal: AbortSignal },
): Promise<Received> {
  const inbound: Inbound = {
    ...talk.place,
    messageId,
    sender: { id: terminal, role: 'owner' },
    addressed: 'mention',
    text,
  };
  return open.sessions.receive(inbound, { signal, onDelta: view.delta }).catch((error: unknown) => {
    if (!VarveError.is(error, 'VARVE_STORE_LOCKED')) throw error;
    throw new VarveError('VARVE_STORE_LOCKED', error.message, {
      fix: `${error.fix} Or watch it: varve sessions tail '${open.keyText}' --follow.`,
      cause: error,
    });
  });
}
