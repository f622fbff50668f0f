import type { ScoreCard, ScoredCase } from '@varve/testkit';
import type pc from 'picocolors';
import { printableText } from '../../terminal/printable-text.ts';

type Colours = ReturnType<typeof pc.createColors>;

/** A score card as text: what failed with why and where to read on, what was left out or accepted, and the counts. */
export function scoreCardText(card: ScoreCard, { colours }: { readonly colours: Colours }): string {
  const { kind, subject, cases } = card;
  const lines = cases.flatMap((one) => linesOf(one, colours));
  const reason = cases.find(({ status }) => status === 'not-run')?.reason;
  if (reason !== undefined) lines.push(`  ${colours.yellow('?')} ${card.notRun} cases were not run: ${reason}`);
  const title = colours.bold(`${kind} ${printableText(subject)}`);
  return [title, ...lines, `  ${countsOf(card, colours)}`].join('\n');
}

function linesOf({ name, why, status, reason, page }: ScoredCase, colours: Colours): readonly string[] {
  if (status === 'passed' || status === 'not-run') return [];
  const because = printableText(reason ?? '');
  const title = printableText(name);
  if (status === 'skipped') return [`  ${colours.dim('–')} ${title}`, `      left out: ${because}`];
  if (status === 'expected-failure') return [`  ${colours.yellow('~')} ${title}`, `      accepted: ${because}`];
  return [
    `  ${colours.red('✗')} ${title}`,
    `      ${because}`,
    `      why it matters: ${why}`,
    `      see ${colours.underline(page)}`,
  ];
}

function countsOf({ passed, failed, skipped, accepted, notRun, ok }: ScoreCard, colours: Colours): string {
  const parts = [
    `${passed} passed`,
    `${failed} failed`,
    `${skipped} left out`,
    ...(accepted === 0 ? [] : [`${accepted} accepted`]),
    ...(notRun === 0 ? [] : [`${notRun} not run`]),
  ];
  return (ok ? colours.green : colours.red)(parts.join(', '));
}
