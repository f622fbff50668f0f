import { cutText, type Entry, isOfUser, type MessageEntry, partsOfMessage } from '@varve/core';
import { cleanLines } from '../clean-text.ts';
import type { Note, NoteSource } from '../note.ts';
import { passageChars, stretchesOf } from '../passage.ts';

type Lines = Note['lines'];

/**
 * What somebody said in a message, in clean lines, numbered from 1; none for everything else: calls of tools and their
 * results, reasoning, what the system, programs and other sessions said, and what was forgotten.
 */
export function saidLines(entry: Entry): Lines {
  if (entry.type !== 'message' || entry.forgotten !== undefined) return [];
  const { message, provenance } = entry;
  const isOfModel = message.role === 'assistant' && provenance.kind === 'model';
  if (!isOfModel && !isOfUser(entry)) return [];
  const text = partsOfMessage(message)
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n');
  const lines = cleanLines(text).map((line, index) => ({ number: index + 1, text: line }));
  return lines.some((line) => line.text !== '') ? lines : [];
}

/** The lines in pieces that can be found and shown by themselves. The same lines always give the same pieces. */
export function passagesOfLines(lines: Lines): readonly string[] {
  const short = lines.flatMap(({ number, text }) => cutLine(text).map((piece) => ({ number, text: piece })));
  return stretchesOf(short).map((stretch) => stretch.map(({ text }) => text).join('\n'));
}

/** Pieces of a long line: behind a sentence where there is one, else behind a word, else anywhere. */
function cutLine(line: string): readonly string[] {
  const pieces: string[] = [];
  let rest = line;
  while (rest.length > passageChars) {
    const head = cutText(rest, 0, passageChars);
    const end = [/[.!?](?=\s)|[。！？…]/g, /\s/g]
      .map((ends) => [...head.matchAll(ends)].at(-1)?.index ?? 0)
      .find((at) => at > passageChars / 2);
    const piece = end === undefined ? head : head.slice(0, end + 1);
    pieces.push(piece.trimEnd());
    rest = rest.slice(piece.length).trimStart();
  }
  return rest === '' && pieces.length > 0 ? pieces : [...pieces, rest];
}

/** Whose words a message is. */
export function sourceOfMessage(entry: MessageEntry, isOwner: boolean): NoteSource {
  if (entry.message.role === 'assistant') return 'model';
  return isOwner ? 'owner' : 'other';
}
