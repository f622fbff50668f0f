import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { PartResult, StopPart } from './run-part.ts';

const script = fileURLToPath(new URL('./part-process.ts', import.meta.url));

/** Runs a part in several processes, and adds up what they came to. */
export async function runShares(
  part: StopPart,
  { workers, ...options }: { readonly seed: number; readonly count: number; readonly workers: number },
): Promise<PartResult> {
  const shares = Array.from({ length: workers }, (_, share) => runShare(part, { ...options, share, of: workers }));
  const results = await Promise.all(shares);
  const counted = { points: 0, failed: 0, 'in indexes': 0, lossy: 0 };
  for (const { points, failed, notes } of results) {
    counted.points += points;
    counted.failed += failed;
    const { 'in indexes': inIndexes = 0, lossy = 0 } = notes;
    counted['in indexes'] += inIndexes;
    counted.lossy += lossy;
  }
  const { points, failed, ...sums } = counted;
  const notes = { ...results[0]?.notes, ...(part === 'flips' ? sums : {}) };
  return { points, failed, faults: results.flatMap(({ faults }) => faults), notes };
}

function runShare(part: StopPart, options: Readonly<Record<string, number>>): Promise<PartResult> {
  const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const child = spawn(
    process.execPath,
    ['--conditions=@varve/source', '--import', 'tsx', script, '--part', part, ...words],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  );
  const [out, errors]: [string[], string[]] = [[], []];
  child.stdout.setEncoding('utf8').on('data', (text: string) => out.push(text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => errors.push(text));
  return new Promise((resolve, reject) => {
    child.on('close', (code) => {
      if (code === 0) resolve(JSON.parse(out.join('')));
      else reject(new Error(`${part} ended with ${code}: ${errors.join('')}`));
    });
  });
}
