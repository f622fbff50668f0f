import type { CommandReply, DeliveryDecision, ModelDelta } from '@varve/core';
import type { Received } from '@varve/sessions';
import pc from 'picocolors';
import { type CliIo, usesColours, writeTo } from '../terminal/cli-io.ts';
import { printableJson, printableLines } from '../terminal/printable-text.ts';
import { createPrintedStream, type PrintedStream } from './printed-stream.ts';

/** What the chat tells of itself, beside what was said. */
export interface ChatNote {
  /** For programs. */
  readonly type: string;
  /** For people. */
  readonly text: string;
  readonly [fact: string]: unknown;
}

/** Shows a conversation: to people as text, to programs as one JSON object a line. */
export interface ChatView {
  /** Something about the conversation: how it was resumed, how full the prompt is. */
  note(note: ChatNote): Promise<void>;
  /** A piece of an answer. */
  delta(delta: ModelDelta): void;
  /** What came of a message, behind the pieces of its answer. */
  received(received: Received): Promise<void>;
  /** Something that left without being asked for, such as the end of a sub-agent's work. */
  announced(text: string): Promise<void>;
}

/** Makes the view. `isPlain` prints answers alone: for what is piped. */
export function createChatView(
  io: CliIo,
  { json, isPlain }: { readonly json: boolean; readonly isPlain: boolean },
): ChatView {
  return json ? jsonView(io) : textView(io, isPlain);
}

function textView(io: CliIo, isPlain: boolean): ChatView {
  const { stdout } = io;
  const { dim, yellow, bold } = pc.createColors(usesColours(stdout, io.env));
  let printed: PrintedStream | null = null;
  /** Messages that were answered together have one answer. */
  let lastReply: Received['reply'] = null;
  const line = (text: string): Promise<void> => writeTo(stdout, `${text}\n`);
  const aside = (text: string): Promise<void> => (isPlain ? Promise.resolve() : line(dim(printableLines(text))));
  const endStream = async (): Promise<boolean> => {
    if (printed === null) return false;
    const rest = printed.end();
    printed = null;
    await line(rest);
    return true;
  };
  return {
    note: ({ text }) => aside(text),
    delta: (delta) => {
      if (delta.type !== 'text') return;
      printed ??= createPrintedStream();
      stdout.write(printed.next(delta.text));
    },
    received: async (received) => {
      const { reply, command, decision, notices, reset, status, failure, turn } = received;
      const wasStreamed = await endStream();
      for (const notice of notices) await aside(notice);
      // Of a new conversation is told when it begins.
      if (command !== null && reset === null && command.text !== '')
        await line(printableLines(withUndo(command, received)));
      const isShown = wasStreamed || (reply !== null && reply === lastReply);
      lastReply = reply;
      if (!isShown && reply?.text !== undefined && (command === null || reset !== null))
        await line(printableLines(reply.text));
      if (decision?.allow === false) await line(yellow(printableLines(notSent(decision))));
      if (status === 'aborted') await aside('— interrupted; what was stored stays —');
      if (status === 'stored') await aside('— stored, and not answered —');
      if (turn?.status === 'step-limit') await aside('— too many steps; say anything to go on —');
      if (failure !== null) {
        const text = `${bold('Failed')}: ${printableLines(failure.message)}\n${printableLines(failure.fix)} (${failure.code})`;
        await writeTo(io.stderr, `${text}\n`);
      }
    },
    announced: async (text) => {
      await endStream();
      await line(printableLines(text));
    },
  };
}

function notSent({ reason, rule = '' }: DeliveryDecision): string {
  const isSwitch = /off|session/i.test(`${reason} ${rule}`);
  const undo = isSwitch ? ' /send on lets answers out.' : '';
  return `Not sent: ${reason} It is kept in the conversation.${undo}`;
}

/** The reply of a command, with what somebody at a terminal can type to take back what it did. */
function withUndo({ text, data }: CommandReply, { route }: Received): string {
  const isCompaction = typeof data === 'object' && data !== null && 'compactionId' in data;
  if (!isCompaction) return text;
  return `${text}\nTo undo it: leave with /quit, and type: varve sessions undo '${route.keyText}'`;
}

function jsonView({ stdout }: CliIo): ChatView {
  const print = (value: unknown): Promise<void> => writeTo(stdout, `${printableJson(value)}\n`);
  return {
    note: (note) => print(note),
    // Who reads lines of JSON wants whole answers.
    delta: () => undefined,
    received: ({ route, sessionId, status, reset, reply, decision, command, turn, notices, failure }) =>
      print({
        type: 'received',
        key: route.keyText,
        sessionId,
        status,
        text: command?.text ?? reply?.text ?? null,
        data: command?.data ?? null,
        reset,
        denied: decision?.allow === false ? decision.reason : null,
        notices,
        usage: turn?.usage ?? null,
        error: failure === null ? null : { code: failure.code, message: failure.message, fix: failure.fix },
      }),
    announced: (text) => print({ type: 'announced', text }),
  };
}
