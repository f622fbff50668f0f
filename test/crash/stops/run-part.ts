import { runFailedSyncs } from './failed-syncs.ts';
import { flipEverywhere } from './flip-everywhere.ts';
import { runStops, type StopPoint, type StopResult } from './run-stops.ts';
import { type Recording, recordScript } from './script.ts';
import { drawnStops, everyStop, sampled, shareOf } from './stop-points.ts';

/** What can be run, by itself or in shares. */
const stopParts = ['every-byte', 'power', 'some-power', 'disk', 'failed-syncs', 'flips'] as const;

/** Its name. */
export type StopPart = (typeof stopParts)[number];

/** How much of a part is run. */
export interface PartOptions {
  readonly seed: number;
  /** Points that are drawn; of every byte, each so many-th is tried. */
  readonly count: number;
  /** Which of several shares this process has. */
  readonly share: number;
  readonly of: number;
}

/** What a part came to. */
export interface PartResult extends StopResult {
  readonly notes: Readonly<Record<string, number>>;
}

/** Short lines, so that every byte can be tried. */
const shortScript = { operations: 200, longest: 8 } as const;

/** Lines of all lengths, as they are in life. */
const realisticScript = { operations: 160, longest: 3_000 } as const;

/** Runs a part, or a share of it. */
export async function runPart(part: StopPart, options: PartOptions): Promise<PartResult> {
  const { seed, count, share, of } = options;
  if (part === 'failed-syncs') {
    const own = { count: Math.ceil(count / of), seed: seed + share * count };
    return { ...(await runFailedSyncs(own)), notes: {} };
  }
  const recording = await recordScript({ seed, ...(part === 'disk' ? realisticScript : shortScript) });
  const { changes, operations } = recording;
  const notes = {
    changes: changes.length,
    bytes: changes.reduce((sum, change) => sum + (change.kind === 'write' ? change.bytes.length : 0), 0),
    operations: [...operations.values()].reduce((sum, times) => sum + times, 0),
    compactions: operations.get('compact') ?? 0,
    resets: operations.get('reset') ?? 0,
    replaced: operations.get('forget') ?? 0,
    packed: operations.get('pack') ?? 0,
  };
  if (part === 'flips') {
    const flipped = await flipEverywhere(recording, { count: Math.ceil(count / of), seed: seed + share });
    const { inIndexes, inArchives, lossy } = flipped;
    return { ...flipped, notes: { ...notes, 'in indexes': inIndexes, 'in archives': inArchives, lossy } };
  }
  const points = shareOf(pointsOf(part, { recording, count, seed }), { share, of });
  return { ...(await runStops(recording, points, { isReal: part === 'disk' })), notes };
}

function pointsOf(
  part: Exclude<StopPart, 'flips' | 'failed-syncs'>,
  { recording, count, seed }: { readonly recording: Recording; readonly count: number; readonly seed: number },
): Iterable<StopPoint> {
  switch (part) {
    case 'every-byte':
      return sampled(everyStop(recording), count);
    case 'power':
      return drawnStops(recording, { count, seed, loses: 'unsynced' });
    case 'some-power':
      return drawnStops(recording, { count, seed, loses: 'some' });
    case 'disk':
      return drawnStops(recording, { count, seed, loses: 'nothing' });
  }
}
