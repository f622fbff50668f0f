import { cutText } from '@varve/core';

/** A line of a file, and what is put before it. */
interface NumberedLine {
  readonly number: number;
  readonly prefix: string;
  readonly text: string;
}

/**
 * At most `most` lines, from a character of the first one on, in about `limit` UTF-16 code units; a last line says from
 * where to go on when there is more.
 */
export function shownLines(
  lines: readonly NumberedLine[],
  { most, limit, fromChar }: { readonly most: number; readonly limit: number; readonly fromChar: number },
): string {
  const { text, next } = linesWithin(lines.slice(0, most), { limit, fromChar });
  const more = next ?? (lines[most] === undefined ? null : { line: lines[most].number, char: 1 });
  if (more === null) return text;
  return `${text}\n(… more from line ${more.line}${more.char === 1 ? '' : `, character ${more.char},`} on)`;
}

/** As many lines as there is room for, and where the rest begins. */
interface LinesWithin {
  readonly text: string;
  /** The line that follows, and its first character that is missing, from 1; `null` when all are there. */
  readonly next: { readonly line: number; readonly char: number } | null;
}

/**
 * The lines from a character of the first one on, in at most `limit` UTF-16 code units. Only a line that does not fit by
 * itself is parted, so that whoever asks for the rest gets on.
 */
function linesWithin(
  lines: readonly NumberedLine[],
  { limit, fromChar }: { readonly limit: number; readonly fromChar: number },
): LinesWithin {
  const shown: string[] = [];
  let left = limit;
  for (const [index, { number, prefix, text }] of lines.entries()) {
    const start = index === 0 ? Math.min(fromChar - 1, text.length) : 0;
    const line = `${prefix}${cutText(text, start)}`;
    if (line.length > left) {
      if (index > 0) return { text: shown.join('\n'), next: { line: number, char: 1 } };
      const part = cutText(text, start, start + limit - prefix.length);
      return { text: `${prefix}${part}`, next: { line: number, char: start + part.length + 1 } };
    }
    shown.push(line);
    left -= line.length + 1;
  }
  return { text: shown.join('\n'), next: null };
}
