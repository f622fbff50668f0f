import { repairStore, type StoreFinding, type StoreRepair } from '@varve/stores/jsonl';
import type { createColors } from 'picocolors';
import { counted } from '../terminal/format-number.ts';
import { printableText } from '../terminal/printable-text.ts';

/** Does what can be done about findings of a store, one file after the other, and tells what became of each. */
export async function repairFindings(
  root: string,
  {
    findings,
    onProgress,
    signal,
  }: {
    readonly findings: readonly StoreFinding[];
    /** Told how many of the findings have been seen to. */
    readonly onProgress: (findings: { readonly done: number; readonly of: number }) => void;
    readonly signal: AbortSignal | undefined;
  },
): Promise<readonly StoreRepair[]> {
  const of = findings.filter(({ repair }) => repair !== undefined).length;
  const repairs: StoreRepair[] = [];
  let done = 0;
  for await (const repair of repairStore(root, { findings, signal })) {
    repairs.push(repair);
    done += repair.codes.length;
    onProgress({ done, of });
  }
  return repairs;
}

/** What became of each file, a line each, and a line with the counts. */
export function repairsText(
  repairs: readonly StoreRepair[],
  { colours }: { readonly colours: ReturnType<typeof createColors> },
): string {
  const paint = { repaired: colours.green, locked: colours.yellow, failed: colours.red } as const;
  const lines = repairs.flatMap(({ file, outcome, text, fix }) => [
    `${paint[outcome](outcome.padEnd(8))} ${printableText(file)}: ${printableText(text)}`,
    ...(fix === '' ? [] : [`         fix: ${printableText(fix)}`]),
  ]);
  const counts = (['repaired', 'locked', 'failed'] as const).flatMap((outcome) => {
    const count = repairs.filter((repair) => repair.outcome === outcome).length;
    return count === 0 ? [] : [`${counted(count, 'file')} ${outcome}`];
  });
  const sum = counts.length === 0 ? 'There was nothing that --fix can see to.' : `${counts.join(', ')}.`;
  return [...lines, sum, ''].join('\n');
}
