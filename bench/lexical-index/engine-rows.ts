import { fork } from 'node:child_process';
import { join } from 'node:path';
import { type EngineName, engines } from './engines.ts';
import type { EngineFigures } from './measure-engine.ts';

/** Least, median and most of several rounds. */
export interface Spread {
  readonly least: number;
  readonly median: number;
  readonly most: number;
}

/** One engine at one number of texts. */
export interface EngineRow {
  readonly engine: EngineName;
  readonly texts: number;
  /** Milliseconds for a million bytes of text. */
  readonly buildMsPerMegabyte: Spread;
  /** Bytes of memory for one of text. */
  readonly memoryPerByte: Spread;
  readonly addMicroseconds: Spread;
  readonly searchMs: Spread;
  readonly highSearchMs: Spread;
  readonly foundShare: number;
}

/**
 * Measures every engine at every size, in processes of their own, one at a time and in turn, so that what else the
 * machine does meets all of them.
 */
export async function engineRows(
  sizes: readonly number[],
  { rounds, seed }: { readonly rounds: number; readonly seed: number },
): Promise<readonly EngineRow[]> {
  const rows: EngineRow[] = [];
  const names = Object.keys(engines) as EngineName[];
  for (const texts of sizes) {
    const figures = new Map<EngineName, EngineFigures[]>(names.map((name) => [name, []]));
    for (let round = 0; round < rounds; round += 1) {
      for (const name of names) figures.get(name)?.push(await measured(name, { texts, seed: seed + round }));
    }
    for (const [engine, all] of figures) rows.push(rowOf(engine, texts, all));
  }
  return rows;
}

function measured(
  engine: EngineName,
  { texts, seed }: { readonly texts: number; readonly seed: number },
): Promise<EngineFigures> {
  return new Promise((resolve, reject) => {
    const child = fork(join(import.meta.dirname, 'measure-engine.ts'), [engine, String(texts), String(seed)], {
      execArgv: ['--expose-gc', '--max-old-space-size=4096', '--import', 'tsx'],
    });
    let figures: EngineFigures | null = null;
    child.on('message', (message) => {
      figures = message as EngineFigures;
    });
    child.on('error', reject);
    child.on('exit', (code) => {
      if (figures === null) reject(new Error(`${engine} at ${texts} texts ended with code ${code}.`));
      else resolve(figures);
    });
  });
}

function rowOf(engine: EngineName, texts: number, all: readonly EngineFigures[]): EngineRow {
  return {
    engine,
    texts,
    buildMsPerMegabyte: spreadOf(all.map(({ buildMs, megabytes }) => buildMs / megabytes)),
    memoryPerByte: spreadOf(all.map(({ memory, megabytes }) => memory / megabytes)),
    addMicroseconds: spreadOf(all.map(({ addMicroseconds }) => addMicroseconds)),
    searchMs: spreadOf(all.map(({ searchMs }) => searchMs.median)),
    highSearchMs: spreadOf(all.map(({ searchMs }) => searchMs.high)),
    foundShare: all.reduce((sum, { foundShare }) => sum + foundShare, 0) / Math.max(1, all.length),
  };
}

/** Least, median and most of some figures; the median of an even number is the higher one of the two. */
export function spreadOf(figures: readonly number[]): Spread {
  const sorted = [...figures].sort((a, b) => a - b);
  return { least: sorted[0] ?? 0, median: sorted[sorted.length >> 1] ?? 0, most: sorted.at(-1) ?? 0 };
}
