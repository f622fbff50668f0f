import type { Note } from './note.ts';
import type { MemoryFile } from './workspace.ts';

/** A stretch of a note: what a search finds. */
export interface Passage {
  readonly path: string;
  readonly note: Note;
  /** Numbers of its first and last line in the file. */
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** About 150 tokens: enough to be understood, little enough to show several. */
export const passageChars = 600;

/** The notes of a file in passages: parted at blank lines where there are some, else at any line. */
export function passagesOf({ path, notes }: MemoryFile): readonly Passage[] {
  return notes.flatMap((note) =>
    stretchesOf(note.lines).map((lines) => ({
      path,
      note,
      from: lines[0]?.number ?? 0,
      to: lines.at(-1)?.number ?? 0,
      text: lines.map(({ text }) => text).join('\n'),
    })),
  );
}

type Lines = Note['lines'];

/** Numbered lines in stretches that begin and end with text. Lines that are longer than a passage stay whole. */
export function stretchesOf(lines: Lines): readonly Lines[] {
  const stretches: Lines[number][][] = [[]];
  let length = 0;
  for (const line of lines) {
    const isBreak = line.text === '' && length > passageChars / 2;
    if (length > 0 && (isBreak || length + line.text.length > passageChars)) {
      stretches.push([]);
      length = 0;
    }
    if (line.text === '' && length === 0) continue;
    stretches.at(-1)?.push(line);
    length += line.text.length;
  }
  return stretches
    .map((stretch) => stretch.slice(0, stretch.findLastIndex(({ text }) => text !== '') + 1))
    .filter((stretch) => stretch.length > 0);
}
