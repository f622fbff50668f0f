import { type CliIo, writeTo } from '../terminal/cli-io.ts';
import { type ExitCode, exitCodes } from '../terminal/exit-code.ts';
import type { ChatView } from './chat-view.ts';
import type { OpenTalk } from './open-talk.ts';
import type { LineReader } from './read-lines.ts';
import { resumedNote, unansweredMessage } from './resumed.ts';
import { createSaying, type Saying } from './saying.ts';
import type { Talk } from './talk-of-key.ts';

/** What a chat is held with. */
export interface ChatParts {
  readonly io: CliIo;
  readonly talk: Talk;
  readonly open: OpenTalk;
  readonly view: ChatView;
  readonly lines: LineReader;
  /** Whether somebody sits there: what is said is stored at once then, and what runs is aborted when they leave. */
  readonly isTerminal: boolean;
}

/** Holds the conversation until its end. */
export async function chat(parts: ChatParts): Promise<ExitCode> {
  const { lines, view, io, isTerminal, talk, open } = parts;
  let isLeaving = false;
  const saying = createSaying({
    talk,
    open,
    view,
    signal: io.signal,
    isAtOnce: isTerminal,
    onIdle: () => {
      if (!isLeaving) lines.prompt();
    },
    onError: () => lines[Symbol.dispose](),
  });
  await begin(parts, saying);
  if (!saying.isBusy()) lines.prompt();
  const close = (): void => lines[Symbol.dispose]();
  io.signal?.addEventListener('abort', close, { once: true });
  await readMessages(parts, saying);
  io.signal?.removeEventListener('abort', close);
  isLeaving = true;
  if (isTerminal) saying.stop('The chat was left.');
  const isWell = await saying.end();
  if (isTerminal) await writeTo(io.stdout, '\n');
  if (io.signal?.aborted === true) return exitCodes.interrupted;
  return isWell ? exitCodes.done : exitCodes.failures;
}

/** Says where the conversation stands, and lets what has no answer yet be answered. */
async function begin({ open, view, talk }: ChatParts, saying: Saying): Promise<void> {
  await view.note(await resumedNote(open));
  const left = await unansweredMessage(open, talk);
  if (left === null) return;
  await view.note({ type: 'unanswered', text: 'Your last message has no answer yet; here it is:', seq: left.seq });
  saying.say(left.text, left.messageId);
}

/** Says what is typed, until somebody leaves. */
async function readMessages({ lines, view }: ChatParts, saying: Saying): Promise<void> {
  let mayLeave = false;
  for await (const event of lines) {
    if (event.kind === 'end') return;
    if (event.kind === 'interrupt') {
      if (mayLeave) return;
      mayLeave = !saying.isBusy();
      if (mayLeave) await view.note({ type: 'hint', text: '(Ctrl-C again, Ctrl-D or /quit leaves)' });
      else saying.stop('Ctrl-C');
      lines.prompt();
      continue;
    }
    mayLeave = false;
    if (/^\s*\/(?:quit|exit)\s*$/i.test(event.text)) return;
    if (event.text.trim() === '') lines.prompt();
    else saying.say(event.text);
  }
}
