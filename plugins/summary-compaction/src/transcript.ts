import {
  cutText,
  isOfUser,
  linesOf,
  type MessageEntry,
  type MessagePart,
  partsOfMessage,
  textOfOutput,
} from '@varve/core';

/** What one entry says, as a summariser reads it: data under a line that names the entry and who speaks. */
export interface Passage {
  /** Names the entry and the speaker: `#12 user`. One line. */
  readonly name: string;
  /** Lines of what was said. None of them stands at the beginning of a line of the transcript. */
  readonly lines: readonly string[];
}

/** A result keeps this much of its beginning and its end, in UTF-16 code units. */
const resultReach = { head: 1_200, tail: 800 } as const;

/** So does the input of a call. */
const inputReach = { head: 600, tail: 200 } as const;

/** Longest name of a tool that is shown. */
const maxNameLength = 80;

/** True for words of the user that can still be read: not of a program in the user's place, and not forgotten. */
export function hasWordsOfUser(entry: MessageEntry): boolean {
  return isOfUser(entry) && entry.forgotten === undefined;
}

/** What the user, or whoever else, wrote in an entry: its texts alone. */
export function spokenText({ message }: MessageEntry): string {
  return partsOfMessage(message)
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n');
}

/** The entries as passages; what says nothing has none. */
export function passagesOf(entries: readonly MessageEntry[]): readonly Passage[] {
  return entries.flatMap((entry) => {
    if (entry.forgotten !== undefined || entry.message.role === 'system') return [];
    const lines = partsOfMessage(entry.message).flatMap((part) => linesOf(textOfPart(part)));
    return lines.length === 0 ? [] : [{ name: `#${entry.seq} ${speakerOf(entry)}`, lines }];
  });
}

/** A text of our own as a passage. */
export function passageOf(name: string, text: string): Passage {
  return { name, lines: linesOf(text) };
}

/**
 * Passages as text. Whatever is in them is neutral: each of their lines stands behind `| `, so that none of them can
 * name another speaker, open a section, or end the transcript.
 */
export function renderPassages(passages: readonly Passage[]): string {
  return passages.map(({ name, lines }) => [`[${name}]`, ...lines.map((line) => `| ${line}`)].join('\n')).join('\n');
}

/** Beginning and end of a long text, with how much lies between them. Sizes in UTF-16 code units. */
export function headAndTail(text: string, { head, tail }: { readonly head: number; readonly tail: number }): string {
  if (text.length <= head + tail) return text;
  const [start, end] = [cutText(text, 0, head), cutText(text, text.length - tail)];
  return `${start}\n(… ${text.length - start.length - end.length} characters left out …)\n${end}`;
}

function speakerOf(entry: MessageEntry): string {
  const { message, provenance } = entry;
  if (message.role === 'user') return isOfUser(entry) ? 'user' : `a program, not the user (${provenance.kind})`;
  return message.role;
}

function textOfPart(part: MessagePart): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'reasoning':
      return '';
    case 'image':
      return '(an image)';
    case 'file':
      return `(a file${part.filename === undefined ? '' : ` ${oneName(part.filename)}`})`;
    case 'tool-call':
      return `calls ${oneName(part.toolName)} with ${headAndTail(JSON.stringify(part.input), inputReach)}`;
    case 'tool-result': {
      const failed = part.output.type === 'error-text' || part.output.type === 'error-json';
      const text = headAndTail(textOfOutput(part.output), resultReach);
      return `${failed ? 'failure' : 'result'} of ${oneName(part.toolName)}:\n${text}`;
    }
  }
}

function oneName(name: string): string {
  return cutText(linesOf(name).join(' '), 0, maxNameLength);
}
