import type { StoreFinding } from '@varve/stores/jsonl';
import type { createColors } from 'picocolors';
import { byteSize, counted } from '../terminal/format-number.ts';
import { printableText } from '../terminal/printable-text.ts';
import type { Looked } from './examine-sessions.ts';

/** All that an examination has found. `varve doctor --json` prints exactly this; fields are only ever added. */
export interface Diagnosis {
  readonly root: string;
  readonly findings: readonly StoreFinding[];
  readonly looked: Looked;
  readonly counts: Readonly<Record<StoreFinding['level'], number>>;
}

/** Findings by session, and a line with the counts. */
export function doctorReport(
  { root, findings, looked, counts }: Diagnosis,
  { colours }: { readonly colours: ReturnType<typeof createColors> },
): string {
  const colourOf = { error: colours.red, warning: colours.yellow, note: colours.dim } as const;
  const groups = new Map<string, StoreFinding[]>();
  for (const finding of findings) {
    const title = titleOf(finding);
    groups.set(title, [...(groups.get(title) ?? []), finding]);
  }
  const blocks = [...groups].map(([title, group]) => {
    const lines = group.flatMap(({ level, code, text, file, fix }) => [
      `  ${colourOf[level](level.padEnd(8))}${printableText(text)} ${colours.dim(`(${printableText(code)})`)}`,
      ...(file === '' || text.includes(file) ? [] : [`          in ${printableText(file)}`]),
      `          fix: ${printableText(fix)}`,
    ]);
    return [colours.bold(title), ...lines, ''].join('\n');
  });
  const { sessions, entries, bytes } = looked;
  const amount = `${counted(sessions, 'session')}, ${counted(entries, 'line')}, ${byteSize(bytes)}`;
  const kinds = (['error', 'warning', 'note'] as const).map((level) => counted(counts[level], level)).join(', ');
  return [...blocks, `looked at ${amount} in ${printableText(root)}: ${kinds}`].join('\n');
}

function titleOf({ sessionId, agentId }: StoreFinding): string {
  if (sessionId === undefined) return agentId === undefined ? 'set-up and store' : `agent ${printableText(agentId)}`;
  const agent = agentId === undefined || agentId === 'main' ? '' : ` of agent ${printableText(agentId)}`;
  return `session ${printableText(sessionId)}${agent}`;
}
