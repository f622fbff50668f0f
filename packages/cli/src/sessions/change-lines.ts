import type { ChangeLine } from '@varve/sessions';
import type { createColors } from 'picocolors';
import { cutLine } from '../terminal/cut-line.ts';
import { counted } from '../terminal/format-number.ts';
import { printableText } from '../terminal/printable-text.ts';

type Colours = ReturnType<typeof createColors>;

/** A line a session, and a sum: what was done, would be done, was skipped or failed. */
export function changeText(
  lines: readonly (ChangeLine & { readonly found?: string })[],
  { colours, doing }: { readonly colours: Colours; readonly doing: string },
): string {
  const texts = lines.map((line) => lineText(line, colours));
  const sums = (['done', 'planned', 'skipped', 'failed'] as const).flatMap((outcome) => {
    const count = lines.filter((line) => line.outcome === outcome).length;
    const what = outcome === 'done' ? doing : outcome === 'planned' ? `would be ${doing}` : outcome;
    return count === 0 ? [] : [`${counted(count, 'session')} ${what}`];
  });
  return [...texts, sums.length === 0 ? `No session is ${doing}.` : `${sums.join(', ')}.`].join('\n');
}

function lineText({ sessionId, key, outcome, why, found }: ChangeLine & { readonly found?: string }, colours: Colours) {
  const paint = { done: colours.green, planned: colours.cyan, skipped: colours.dim, failed: colours.red }[outcome];
  const name = key === null ? '' : ` ${printableText(key)}`;
  const reasons = [found, why].filter((reason) => typeof reason === 'string');
  const because = reasons.length === 0 ? '' : `: ${printableText(reasons.join('; '))}`;
  return `${paint(outcome.padEnd(7))} ${cutLine(sessionId, 36)}${name}${because}`;
}

/** Whether any of them went wrong. */
export function hasFailed(lines: readonly ChangeLine[]): boolean {
  return lines.some(({ outcome }) => outcome === 'failed');
}
