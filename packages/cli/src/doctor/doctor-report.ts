import type { StoreFinding, StoreRepair } from '@varve/stores/jsonl';
import type { createColors } from 'picocolors';
import type { LoadedConfig } from '../config/load-config.ts';
import { byteSize, counted } from '../terminal/format-number.ts';
import { printableText } from '../terminal/printable-text.ts';
import type { Looked } from './examine-sessions.ts';

/** All that an examination has found. `varve doctor --json` prints exactly this; fields are only ever added. */
export interface Diagnosis {
  readonly root: string;
  /** The configuration, and what of it is read otherwise than it may seem; `null` for none. */
  readonly config: Pick<LoadedConfig, 'file' | 'form' | 'warnings'> | null;
  readonly findings: readonly StoreFinding[];
  readonly looked: Looked;
  readonly counts: Readonly<Record<StoreFinding['level'], number>>;
  /** What `--fix` did, before this was found; `null` where it was not asked for. */
  readonly repairs: readonly StoreRepair[] | null;
}

/** Findings by session, and a line with the counts. */
export function doctorReport(
  { root, config, findings, looked, counts, repairs }: Diagnosis,
  { colours }: { readonly colours: ReturnType<typeof createColors> },
): string {
  const colourOf = { error: colours.red, warning: colours.yellow, note: colours.dim } as const;
  const groups = new Map<string, StoreFinding[]>();
  for (const finding of findings) {
    const title = titleOf(finding);
    groups.set(title, [...(groups.get(title) ?? []), finding]);
  }
  const blocks = [...groups].map(([title, group]) => {
    const lines = group.flatMap(({ level, code, text, file, fix, repair }, index) => [
      `  ${colourOf[level](level.padEnd(8))}${printableText(text)} ${colours.dim(`(${printableText(code)})`)}`,
      ...(file === '' || text.includes(file) || title.includes(file) ? [] : [`          in ${printableText(file)}`]),
      // What is to be done about several is said once, behind the last of them.
      ...(group[index + 1]?.fix === fix ? [] : [`          fix: ${printableText(fix)}`, ...repairLine(repair)]),
    ]);
    return [colours.bold(title), ...lines, ''].join('\n');
  });
  const { sessions, entries, bytes } = looked;
  const amount = `${counted(sessions, 'session')}, ${counted(entries, 'line')}, ${byteSize(bytes)}`;
  const kinds = (['error', 'warning', 'note'] as const).map((level) => counted(counts[level], level)).join(', ');
  const words = config?.form === 'openclaw' ? ', in the words of OpenClaw' : '';
  const from = config === null ? [] : [`configuration ${printableText(config.file)}${words}`];
  const fixable = findings.filter(({ repair }) => repair !== undefined).length;
  const would =
    repairs === null && fixable > 0 ? [`varve doctor --fix sees to ${counted(fixable, 'finding')} of these`] : [];
  return [...blocks, ...would, ...from, `looked at ${amount} in ${printableText(root)}: ${kinds}`].join('\n');
}

function repairLine(repair: StoreFinding['repair']): readonly string[] {
  return repair === undefined ? [] : [`          --fix: ${printableText(repair.text)}`];
}

function titleOf({ code, file, sessionId, agentId }: StoreFinding): string {
  if (code.startsWith('config-')) return `configuration ${printableText(file)}`;
  if (sessionId === undefined) return agentId === undefined ? 'set-up and store' : `agent ${printableText(agentId)}`;
  const agent = agentId === undefined || agentId === 'main' ? '' : ` of agent ${printableText(agentId)}`;
  return `session ${printableText(sessionId)}${agent}`;
}
