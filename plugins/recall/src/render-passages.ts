import type { Seq } from '@varve/core';

/** Lines of one passage, with who said them and when. */
export interface ShownPassage {
  readonly seq: Seq;
  readonly ordinal: number;
  readonly speaker: string;
  /** As `2026-03-02`. */
  readonly day: string;
  readonly lines: readonly ShownLine[];
}

/** A line, and which one of its passage it is. */
export interface ShownLine {
  readonly place: number;
  readonly text: string;
}

/**
 * Renders passages in the order of the conversation: `#12 user 2026-03-02: text`, or several lines below it, each behind
 * `> `. A day is written where it changes, and passages that follow one another in an entry are one. What was said stands
 * behind a fixed prefix, so it can neither begin a section nor end one.
 */
export function renderPassages(passages: Iterable<ShownPassage>): string {
  const lines: string[] = [];
  let before: ShownPassage | null = null;
  for (const passage of joined(passages)) {
    const { seq, ordinal, speaker, day } = passage;
    const texts = passage.lines.map(({ text }) => text);
    const isNext = before?.seq === seq && before.ordinal + 1 === ordinal;
    if (isNext) lines.push(...texts.map((line) => `> ${line}`));
    else {
      const head = `#${seq} ${speaker}${day === before?.day ? '' : ` ${day}`}:`;
      const [first = '', ...others] = texts;
      if (others.length === 0) lines.push(`${head} ${withoutName(first, speaker)}`);
      else lines.push(head, ...texts.map((line) => `> ${line}`));
    }
    before = passage;
  }
  return lines.join('\n');
}

/** The entries that passages quote, in order. */
export function seqsOf(passages: readonly ShownPassage[]): readonly Seq[] {
  return [...new Set(passages.map(({ seq }) => seq))].sort((a, b) => a - b);
}

/** Passages in order, those of one place put together. */
function joined(passages: Iterable<ShownPassage>): readonly ShownPassage[] {
  const inOrder = [...passages].sort((a, b) => a.seq - b.seq || a.ordinal - b.ordinal);
  const joinedOnes: ShownPassage[] = [];
  for (const passage of inOrder) {
    const last = joinedOnes.at(-1);
    if (last?.seq !== passage.seq || last.ordinal !== passage.ordinal) joinedOnes.push(passage);
    else joinedOnes[joinedOnes.length - 1] = { ...last, lines: joinedLines(last.lines, passage.lines) };
  }
  return joinedOnes;
}

function joinedLines(some: readonly ShownLine[], others: readonly ShownLine[]): readonly ShownLine[] {
  const byPlace = new Map([...some, ...others].map((line) => [line.place, line]));
  return [...byPlace.values()].sort((a, b) => a.place - b.place);
}

/** A transcript of several people may have the name of who speaks in the text, too. */
function withoutName(line: string, speaker: string): string {
  return line.startsWith(`${speaker}: `) ? line.slice(speaker.length + 2) : line;
}
