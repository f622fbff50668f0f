import { Help } from 'commander';

/** A line of two columns: what is typed, and what it does. */
const columnsOfLine = /^( +\S.*? {2,})(\S.*)$/;

/** Columns for what something does; with fewer, it stands on a line of its own. */
const leastColumns = 20;

/**
 * Wraps the lines of a help text that are too long, at spaces; what belongs into a second column stays in it. What is to
 * be typed stays in one line.
 */
export function wrapHelp(text: string, columns: number): string {
  return text
    .split('\n')
    .map((line) => (line.length <= columns ? line : wrapLine(line, columns)))
    .join('\n');
}

function wrapLine(line: string, columns: number): string {
  const [, before = '', after = line] = columnsOfLine.exec(line) ?? [];
  if (before === '' && line.startsWith(' ')) return line;
  const room = columns - before.length;
  if (room < leastColumns) return `${before.trimEnd()}\n      ${after}`;
  // The width that commander itself wraps to, however narrow what is left may be.
  const help = new Help();
  help.minWidthToWrap = leastColumns;
  return before + help.boxWrap(after, room).replaceAll('\n', `\n${' '.repeat(before.length)}`);
}
