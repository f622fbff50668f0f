import { cutText, linesOf, type MessageEntry, type MessagePart, partsOfMessage, textOfOutput } from '@varve/core';
import type { NoteSource } from '@varve/plugin-workspace-layers';

/** A result, or the input of a call, keeps this much of its beginning and its end, in UTF-16 code units. */
const reach = { head: 900, tail: 500 } as const;

/** Longest text of one entry. */
const longestText = 12_000;

/** An entry as a model reads it: a line that names it and its speaker, and every line of it behind `| `. */
export function passageOf(entry: MessageEntry, source: NoteSource): string | null {
  if (entry.forgotten !== undefined || entry.message.role === 'system') return null;
  const lines = partsOfMessage(entry.message).flatMap((part) => linesOf(textOfPart(part)));
  if (lines.length === 0) return null;
  const body = lines.map((line) => `| ${line}`).join('\n');
  return `[#${entry.seq} ${speakerOf(entry, source)}]\n${cutText(body, 0, longestText)}`;
}

function speakerOf({ message, provenance }: MessageEntry, source: NoteSource): string {
  if (message.role === 'tool') return 'result of a tool';
  if (message.role === 'assistant') return 'the agent';
  if (provenance.kind !== 'user') return `a program (${provenance.kind})`;
  return source === 'owner' ? 'the owner' : 'somebody else';
}

function textOfPart(part: MessagePart): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'tool-call':
      return `calls ${part.toolName} with ${headAndTail(JSON.stringify(part.input))}`;
    case 'tool-result':
      return headAndTail(textOfOutput(part.output));
    case 'file':
      return `(a file ${part.filename ?? ''})`;
    default:
      return '';
  }
}

function headAndTail(text: string): string {
  const { head, tail } = reach;
  if (text.length <= head + tail) return text;
  return `${cutText(text, 0, head)}\n(… ${text.length - head - tail} characters left out …)\n${cutText(text, text.length - tail)}`;
}
